"use strict";
(() => {
  // Data is only ever set as text: nothing here turns it into markup.
  const data = JSON.parse(document.getElementById("data").textContent);
  const NOTHING = "–";
  const MAX_CLASSES = 30; // the largest matrix that can still be read
  const MAX_PAIRS = 15;
  // From this share of the colour on, letters have the other colour, in light mode and in dark mode.
  const TURNS = { "turns-light": 0.68, "turns-dark": 0.53 };

  const make = (tag, about = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(about)) {
      if (name === "class") element.className = value;
      else if (name === "value") element.dataset.value = String(value);
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };
  const written = (number, digits = 0) =>
    number === null ? NOTHING : number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const counted = (number, singular, plural) => `${written(number)} ${number === 1 ? singular : plural}`;
  const share = (part, whole) => (whole ? part / whole : 0);
  const value = (section, name) => section.querySelector(`[name="${name}"]`)?.value ?? "";

  // List the sections at the head of the page.
  const listSections = () => {
    const links = [...document.querySelectorAll("main > section[id]")].map((section) =>
      make("a", { href: `#${section.id}` }, section.dataset.short));
    document.querySelector("nav").append(...links);
  };

  // Charts: draw all panels of a section that match its controls.
  const drawPanels = (section) => {
    const place = section.querySelector(".panels");
    const wanted = data.panels[section.id].filter(({ where }) =>
      Object.entries(where).every(([name, own]) => [own, ""].includes(value(section, name)) ));
    place.replaceChildren(...wanted.map((panel) => {
      const chart = make("div", { class: "chart" });
      const figure = make("figure", {}, ...(panel.title ? [make("figcaption", {}, panel.title)] : []), chart);
      requestAnimationFrame(() => {
        vegaEmbed(chart, panel.chart, { renderer: "svg", actions: false, ast: true }).then(() => {
          chart.dataset.drawn = "yes";
        });
      });
      return figure;
    }));
  };

  // Tables: a click on a title sorts, a second click reverses the order; cells without a number come last.
  const valueOf = (cell) => (cell.dataset.value === undefined ? null : Number(cell.dataset.value));
  const sortBy = (table, place) => {
    const heads = [...table.tHead.rows[0].cells];
    const now = heads[place].getAttribute("aria-sort");
    const other = { ascending: "descending", descending: "ascending" };
    const order = other[now] ?? heads[place].dataset.first;
    const sign = order === "ascending" ? 1 : -1;
    const isNumber = heads[place].classList.contains("number");
    const compare = (first, second) => {
      if (!isNumber) return sign * first.textContent.localeCompare(second.textContent, "en");
      const [left, right] = [valueOf(first), valueOf(second)];
      if (left === null || right === null) return (left === null) - (right === null);
      return sign * (left - right);
    };
    const rows = [...table.tBodies[0].rows].sort((first, second) => compare(first.cells[place], second.cells[place]));
    heads.forEach((head, number) => head.setAttribute("aria-sort", number === place ? order : "none"));
    table.tBodies[0].replaceChildren(...rows);
  };
  document.addEventListener("click", (event) => {
    const head = event.target.closest?.("table.sortable th[aria-sort]");
    if (head && event.target.closest("button")) sortBy(head.closest("table"), head.cellIndex);
  });

  const scrolling = (table, caption) => {
    table.setAttribute("aria-label", caption);
    const about = { class: "scroll", role: "region", tabindex: "0", "aria-label": caption };
    return make("div", {}, make("p", { class: "caption" }, caption), make("div", about, table));
  };
  const sortable = (caption, columns, rows) => {
    const heads = columns.map(([title, first]) =>
      make("th", { scope: "col", "aria-sort": "none", "data-first": first ?? "ascending", class: first ? "number" : "" },
        make("button", { type: "button" }, title)));
    const lines = rows.map((cells) => make("tr", {}, ...cells.map((cell) =>
      typeof cell === "string" ? make("td", {}, cell) : make("td", { class: "number", value: cell[0] }, cell[1]))));
    const table = make("table", { class: "sortable" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...lines));
    return scrolling(table, caption);
  };

  // A matrix of numbers, coloured by their share.
  const heat = (caption, corner, columns, rows, { dense = false } = {}) => {
    const upright = dense || columns.some((name) => name.length > 10);
    const heads = columns.map((name) =>
      make("th", { scope: "col", class: upright ? "upright" : "", title: name }, make("span", {}, name)));
    const lines = rows.map(({ name, cells }) => make("tr", {}, make("th", { scope: "row", title: name }, name),
      ...cells.map(({ text, part, own, title }) => {
        const turned = Object.keys(TURNS).filter((name) => part >= TURNS[name]);
        const cell = make("td", { class: [...(own ? ["own"] : []), ...turned].join(" ") }, text);
        if (title) cell.title = title;
        if (part > 0) cell.style.backgroundColor = `rgb(var(--heat) / ${part.toFixed(3)})`;
        return cell;
      })));
    const table = make("table", { class: dense ? "heat dense" : "heat" },
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, corner), ...heads)), make("tbody", {}, ...lines));
    return scrolling(table, caption);
  };

  const showOverlap = (section) => {
    const place = section.querySelector(".matrix");
    if (!place) return;
    const { size, selectors, selected, ...measures } = data.overlap[Number(value(section, "size"))];
    const index = value(section, "index");
    const titles = { shared: "Shared terms", jaccard: "Jaccard's index", kuncheva: "Kuncheva's index" };
    const digits = index === "shared" ? 0 : 2;
    const most = (row, column) => (index === "shared" ? Math.min(selected[row], selected[column]) : 1);
    const rows = selectors.map((name, row) => ({
      name,
      cells: selectors.map((other, column) => {
        const own = row === column;
        const number = own ? most(row, row) : measures[index][row][column];
        const part = own || number === null ? 0 : Math.max(0, Math.min(1, share(number, most(row, column))));
        return { text: written(number, own && index === "shared" ? 0 : digits), part, own, title: `${name} and ${other}` };
      }),
    }));
    place.replaceChildren(heat(`${titles[index]} of two selectors, ${size} terms`, "", selectors, rows));
  };

  // One combination: its confusion matrix, its most frequent mistakes, and the figures of each class.
  const f1 = ([hits, predicted, all]) => share(2 * hits, predicted + all);
  const mostMistaken = ({ classes }) => classes.map(([hits, predicted, all], number) => ({ number, mistakes: predicted + all - 2 * hits }))
    .sort((first, second) => second.mistakes - first.mistakes).slice(0, MAX_CLASSES).map(({ number }) => number).sort((a, b) => a - b);
  const confusion = (combination) => {
    const shown = combination.classes.length > MAX_CLASSES ? mostMistaken(combination) : combination.classes.map((_, number) => number);
    const rest = combination.classes.length > shown.length;
    const placeOf = new Map(shown.map((number, place) => [number, place]));
    const counts = shown.map(() => new Array(shown.length + (rest ? 1 : 0)).fill(0));
    for (const [actual, predicted, count] of combination.pairs) {
      if (placeOf.has(actual)) counts[placeOf.get(actual)][placeOf.get(predicted) ?? shown.length] += count;
    }
    const names = shown.map((number) => data.classes[number]);
    const columns = rest ? [...names, "any other class"] : names;
    const rows = counts.map((own, row) => {
      const all = own.reduce((sum, count) => sum + count, 0);
      return {
        name: names[row],
        cells: own.map((count, column) => ({
          text: count ? written(count) : "", part: share(count, all), own: row === column,
          title: `${names[row]} predicted as ${columns[column]}: ${written(count)} of ${written(all)}`,
        })),
      };
    });
    const which = rest ? ` The ${shown.length} of ${written(combination.classes.length)} classes with the most mistakes.` : "";
    return heat(`${combination.name}: number of documents, true classes in rows, predicted classes in columns.${which}`,
      "true \\ predicted", columns, rows, { dense: shown.length > 8 });
  };
  const pairs = (combination) => {
    const wrong = combination.pairs.filter(([actual, predicted]) => actual !== predicted)
      .sort((first, second) => second[2] - first[2]).slice(0, MAX_PAIRS);
    const rows = wrong.map(([actual, predicted, count]) => {
      const part = share(count, combination.classes[actual][2]);
      return [data.classes[actual], data.classes[predicted], [count, written(count)], [part, `${written(100 * part, 1)} %`]];
    });
    if (!rows.length) return make("p", {}, "No document was predicted wrongly.");
    return sortable(`The most frequent mistakes of ${combination.name}`,
      [["true class"], ["predicted class"], ["documents", "descending"], ["of the class", "descending"]], rows);
  };
  const byClass = (combination) => {
    const rows = combination.classes.map((counts, number) => {
      const [hits, predicted, all] = counts;
      const figures = [share(hits, predicted), share(hits, all), f1(counts)];
      return [data.classes[number], [all, written(all)], ...figures.map((figure) => [figure, written(figure, 3)])];
    });
    return sortable(`Precision, recall and F1 of each class, ${combination.name}`,
      [["class"], ["documents", "descending"], ["precision", "descending"], ["recall", "descending"], ["F1", "descending"]], rows);
  };
  const showClasses = (section) => {
    const combination = data.combinations[Number(value(section, "combination"))];
    if (combination.pairs) {
      section.querySelector(".matrix").replaceChildren(confusion(combination));
      section.querySelector(".pairs").replaceChildren(pairs(combination));
    } else if (section.querySelector(".matrix")) {
      section.querySelector(".matrix").replaceChildren();
      section.querySelector(".pairs").replaceChildren();
    }
    section.querySelector(".by-class").replaceChildren(byClass(combination));
  };

  // Terms: a card for each class; the search looks for a part of a term, or of the name of a class.
  const scoreText = (score, most) =>
    score === null ? "" : most < 0.01 ? score.toExponential(2) : most < 10 ? score.toFixed(4) : written(score, 1);
  const card = (name, terms, all, most) => make("div", { class: "card" }, make("h3", {}, name), terms.length
    ? make("ol", { tabindex: "0", "aria-label": `Terms of ${name}` }, ...terms.map(([rank, term, score]) => make("li", {},
      make("span", { title: "rank among all terms" }, `${written(rank)}.`), make("span", { class: "term" }, term),
      make("span", { title: "score" }, scoreText(score, most)))))
    : make("p", {}, all ? "No such term." : "No selected term indicates this class."));
  const showTerms = (section) => {
    const [selector, size] = [value(section, "selector"), value(section, "size")];
    const selection = data.selections.find((entry) => entry.selector === selector && entry.size === size);
    const place = section.querySelector(".cards");
    const status = section.querySelector(".shown");
    if (!selection) {
      status.textContent = `${selector} selected nothing with ${size} terms.`;
      place.replaceChildren();
      return;
    }
    const wanted = value(section, "search").trim().toLocaleLowerCase();
    const known = data.rankings[selection.ranking].classes;
    const most = Math.max(...known.flatMap((own) => own.map(([, , score]) => Math.abs(score ?? 0))), 0);
    let count = 0;
    let listed = 0;
    const cards = known.flatMap((own, number) => {
      const name = data.classes[number];
      const within = own.filter(([rank]) => rank <= selection.selected);
      listed += within.length;
      const isNamed = name.toLocaleLowerCase().includes(wanted);
      const terms = isNamed ? within : within.filter(([, term]) => term.toLocaleLowerCase().includes(wanted));
      if (wanted && !isNamed && !terms.length) return [];
      count += terms.length;
      return [card(name, terms, within.length, most)];
    });
    const some = wanted && listed < selection.selected ? `, ${written(listed)} of them are here` : "";
    const what = wanted ? `match “${value(section, "search").trim()}”` : "are shown";
    status.textContent = `${selector} selected ${counted(selection.selected, "term", "terms")}${some}; ${written(count)} ${what}, in ${counted(cards.length, "class", "classes")}.`;
    place.replaceChildren(...cards);
  };

  // The table of all combinations as comma-separated values, with all digits.
  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const asCsv = (table) => [...table.rows].map((row) => [...row.cells].map((cell) => {
    const text = cell.textContent.trim();
    return quoted(cell.dataset.value !== undefined && text !== "best" ? cell.dataset.value : text === NOTHING ? "" : text);
  }).join(",")).join("\n") + "\n";
  const copied = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = make("textarea", {}, text);
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  };
  const offerCsv = () => {
    const table = document.getElementById("conditions");
    document.getElementById("copy").addEventListener("click", async () => {
      const done = await copied(asCsv(table));
      document.getElementById("copied").textContent =
        done ? `Copied ${counted(table.tBodies[0].rows.length, "row", "rows")}.` : "The browser does not allow it.";
    });
  };

  const SHOWN = { quality: drawPanels, times: drawPanels, energy: drawPanels, overlap: showOverlap, classes: showClasses, terms: showTerms };
  listSections();
  offerCsv();
  for (const [name, show] of Object.entries(SHOWN)) {
    const section = document.getElementById(name);
    if (!section) continue;
    show(section);
    section.addEventListener("input", (event) => {
      if (event.target.closest(".controls")) show(section);
    });
  }
})();
