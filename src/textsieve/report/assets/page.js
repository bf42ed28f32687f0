"use strict";
(() => {
  // All data is inserted as text, never as markup.
  const data = JSON.parse(document.getElementById("data").textContent);
  const NOTHING = "–";
  const MAX_CLASSES = 30; // the largest confusion matrix that is still readable
  const MAX_MISTAKES = 15; // rows in the table of the most frequent mistakes
  // How many rows, terms and cards are shown at first; the style sheet has the same numbers. A few more are shown at once.
  const FIRST = { row: 12, term: 8, class: 12 };
  const FEW_MORE = 3;
  // Classes for cells with a dark background, and the opacity from which on a cell gets them: its text is then inverted.
  const INVERTED_TEXT = { "turns-light": 0.68, "turns-dark": 0.53 };

  const createElement = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "class") element.className = value;
      else if (name === "value") element.dataset.value = String(value);
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };
  const formatNumber = (number, digits = 0) =>
    number === null ? NOTHING : number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const formatMeanCount = (mean) => formatNumber(mean, Number.isInteger(mean) ? 0 : 1);
  const formatCount = (number, singular, plural) => `${formatNumber(number)} ${number === 1 ? singular : plural}`;
  const shareOf = (part, whole) => (whole ? part / whole : 0);
  const controlValue = (section, name) => section.querySelector(`[name="${name}"]`)?.value ?? "";

  // List the sections at the top of the page.
  const listSections = () => {
    const links = [...document.querySelectorAll("main > section[id]")].map((section) =>
      createElement("a", { href: `#${section.id}` }, section.dataset.short));
    document.querySelector("nav").append(...links);
  };

  // Charts: draw all panels of a section that match its controls. The control value "" matches every panel.
  const drawPanels = (section) => {
    const matchingPanels = data.panels[section.id].filter(({ where }) =>
      Object.entries(where).every(([name, value]) => [value, ""].includes(controlValue(section, name))));
    section.querySelector(".panels").replaceChildren(...matchingPanels.map((panel) => {
      const chart = createElement("div", { class: "chart" });
      const caption = panel.title ? [createElement("figcaption", {}, panel.title)] : [];
      requestAnimationFrame(() => {
        vegaEmbed(chart, panel.chart, { renderer: "svg", actions: false, ast: true }).then(() => {
          chart.dataset.drawn = "yes";
        });
      });
      return createElement("figure", {}, ...caption, chart);
    }));
  };

  // Tables: a click on a column title sorts, a second click reverses the order. Cells without a number come last.
  const numberOf = (cell) => (cell.dataset.value === undefined ? null : Number(cell.dataset.value));
  const sortTable = (table, column) => {
    const headers = [...table.tHead.rows[0].cells];
    const reverse = { ascending: "descending", descending: "ascending" };
    const order = reverse[headers[column].getAttribute("aria-sort")] ?? headers[column].dataset.first;
    const sign = order === "ascending" ? 1 : -1;
    const isNumber = headers[column].classList.contains("number");
    const compareCells = (first, second) => {
      if (!isNumber) return sign * first.textContent.localeCompare(second.textContent, "en");
      const [left, right] = [numberOf(first), numberOf(second)];
      if (left === null || right === null) return (left === null) - (right === null);
      return sign * (left - right);
    };
    const rows = [...table.tBodies[0].rows].sort((first, second) => compareCells(first.cells[column], second.cells[column]));
    headers.forEach((header, number) => header.setAttribute("aria-sort", number === column ? order : "none"));
    table.tBodies[0].replaceChildren(...rows);
    if (table.id === "conditions") document.getElementById("copied").textContent = `Sorted by ${headers[column].textContent}.`;
  };
  document.addEventListener("click", (event) => {
    const header = event.target.closest?.("table.sortable th[aria-sort]");
    if (header && event.target.closest("button")) sortTable(header.closest("table"), header.cellIndex);
  });

  // Long lists: show the first items, and a button that shows all. Return the button, or nothing if there are few items.
  const clip = (box, nItems, kind, plural) => {
    if (nItems <= FIRST[kind] + FEW_MORE) return [];
    const button = createElement("button", { type: "button", class: "more" });
    const toggle = (isClipped) => {
      box.classList.toggle("clipped", isClipped);
      button.setAttribute("aria-expanded", String(!isClipped));
      button.textContent = isClipped ? `Show all ${formatNumber(nItems)} ${plural}` : "Show fewer";
    };
    button.addEventListener("click", () => toggle(!box.classList.contains("clipped")));
    toggle(true);
    return [button];
  };
  // Wide tables: mark the sides on which a table continues, now and whenever it is scrolled or its size changes.
  const markContinuation = (frame) => {
    const box = frame.firstElementChild;
    const update = () => {
      const isBefore = box.scrollLeft > 1, isAfter = box.scrollLeft + box.clientWidth < box.scrollWidth - 1;
      frame.dataset.more = [isBefore ? "left" : "", isAfter ? "right" : ""].join(" ").trim();
    };
    box.addEventListener("scroll", update, { passive: true });
    const observer = new ResizeObserver(update);
    observer.observe(box);
    observer.observe(box.firstElementChild);
  };
  const frameTable = (frame) => {
    markContinuation(frame);
    const box = frame.firstElementChild, table = box.firstElementChild;
    if (table.matches(".sortable")) frame.after(...clip(box, table.tBodies[0].rows.length, "row", "rows"));
  };

  // Return a table below its caption, in a box that scrolls.
  const wrapTable = (table, caption) => {
    table.setAttribute("aria-label", caption);
    const attributes = { class: "scroll", role: "region", tabindex: "0", "aria-label": caption };
    const frame = createElement("div", { class: "frame" }, createElement("div", attributes, table));
    const block = createElement("div", {}, createElement("p", { class: "caption" }, caption), frame);
    frameTable(frame);
    return block;
  };
  // A column is [title], or [title, order of the first click] if it has numbers. A cell is a text, or [number, text].
  const createSortableTable = (caption, columns, rows) => {
    const headers = columns.map(([title, firstOrder]) => createElement("th",
      { scope: "col", "aria-sort": "none", "data-first": firstOrder ?? "ascending", class: firstOrder ? "number" : "" },
      createElement("button", { type: "button" }, title)));
    const createCell = (cell) => typeof cell === "string"
      ? createElement("td", {}, cell)
      : createElement("td", { class: "number", value: cell[0] }, cell[1]);
    const bodyRows = rows.map((cells) => createElement("tr", {}, ...cells.map(createCell)));
    const table = createElement("table", { class: "sortable" },
      createElement("thead", {}, createElement("tr", {}, ...headers)), createElement("tbody", {}, ...bodyRows));
    return wrapTable(table, caption);
  };

  // Return a matrix of numbers as a table. The `share` of a cell, from 0 to 1, is the opacity of its background.
  const createHeatMap = (caption, corner, columns, rows, { isDense = false } = {}) => {
    const hasUprightTitles = isDense || columns.some((name) => name.length > 10);
    const headers = columns.map((name) => createElement("th",
      { scope: "col", class: hasUprightTitles ? "upright" : "", title: name }, createElement("span", {}, name)));
    const createCell = ({ text, share, isDiagonal, title }) => {
      const inverted = Object.keys(INVERTED_TEXT).filter((name) => share >= INVERTED_TEXT[name]);
      const cell = createElement("td", { class: [...(isDiagonal ? ["own"] : []), ...inverted].join(" ") }, text);
      if (title) cell.title = title;
      if (share > 0) cell.style.backgroundColor = `rgb(var(--heat) / ${share.toFixed(3)})`;
      return cell;
    };
    const bodyRows = rows.map(({ name, cells }) =>
      createElement("tr", {}, createElement("th", { scope: "row", title: name }, name), ...cells.map(createCell)));
    const table = createElement("table", { class: isDense ? "heat dense" : "heat" },
      createElement("thead", {}, createElement("tr", {}, createElement("th", { scope: "col" }, corner), ...headers)),
      createElement("tbody", {}, ...bodyRows));
    return wrapTable(table, caption);
  };

  const MEASURES = { shared: "Shared terms", jaccard: "Jaccard's index", kuncheva: "Kuncheva's index" };
  const showOverlap = (section) => {
    const matrix = section.querySelector(".matrix");
    if (!matrix) return;
    const { size, selectors, selected, ...tables } = data.overlap[Number(controlValue(section, "size"))];
    const measure = controlValue(section, "index");
    const isCount = measure === "shared";
    const maxOverlap = (row, column) => (isCount ? Math.min(selected[row], selected[column]) : 1);
    const rows = selectors.map((name, row) => ({
      name,
      cells: selectors.map((otherName, column) => {
        const isDiagonal = row === column;
        const overlap = isDiagonal ? maxOverlap(row, row) : tables[measure][row][column];
        const share = isDiagonal || overlap === null ? 0 : Math.max(0, Math.min(1, shareOf(overlap, maxOverlap(row, column))));
        const text = isCount ? formatMeanCount(overlap) : formatNumber(overlap, 2);
        return { text, share, isDiagonal, title: `${name} and ${otherName}` };
      }),
    }));
    matrix.replaceChildren(createHeatMap(`${MEASURES[measure]} of two selectors, ${size} terms`, "", selectors, rows));
  };

  // One combination: its confusion matrix, its most frequent mistakes, and the measures of each class.
  // The counts of a class are [correctly predicted, predicted, true] documents; its number is its index in `data.classes`.
  const f1 = ([nCorrect, nPredicted, nTrue]) => shareOf(2 * nCorrect, nPredicted + nTrue);
  const classesWithMostMistakes = (classCounts) => classCounts
    .map(([nCorrect, nPredicted, nTrue], number) => ({ number, nMistakes: nPredicted + nTrue - 2 * nCorrect }))
    .sort((first, second) => second.nMistakes - first.nMistakes).slice(0, MAX_CLASSES)
    .map(({ number }) => number).sort((first, second) => first - second);
  const createConfusionMatrix = (combination) => {
    const nClasses = combination.classes.length;
    const hasOtherClasses = nClasses > MAX_CLASSES;
    const classNumbers = hasOtherClasses ? classesWithMostMistakes(combination.classes) : combination.classes.map((_, number) => number);
    const positions = new Map(classNumbers.map((number, position) => [number, position]));
    const counts = classNumbers.map(() => new Array(classNumbers.length + (hasOtherClasses ? 1 : 0)).fill(0));
    for (const [actual, predicted, count] of combination.pairs) {
      if (positions.has(actual)) counts[positions.get(actual)][positions.get(predicted) ?? classNumbers.length] += count;
    }
    const names = classNumbers.map((number) => data.classes[number]);
    const columns = hasOtherClasses ? [...names, "any other class"] : names;
    const rows = counts.map((rowCounts, row) => {
      const total = rowCounts.reduce((sum, count) => sum + count, 0);
      return {
        name: names[row],
        cells: rowCounts.map((count, column) => ({
          text: count ? formatNumber(count) : "", share: shareOf(count, total), isDiagonal: row === column,
          title: `${names[row]} predicted as ${columns[column]}: ${formatNumber(count)} of ${formatNumber(total)}`,
        })),
      };
    });
    const note = hasOtherClasses ? ` The ${MAX_CLASSES} of ${formatNumber(nClasses)} classes with the most mistakes.` : "";
    return createHeatMap(`${combination.name}: number of documents, true classes in rows, predicted classes in columns.${note}`,
      "true \\ predicted", columns, rows, { isDense: classNumbers.length > 8 });
  };
  const createMistakesTable = (combination) => {
    const mistakes = combination.pairs.filter(([actual, predicted]) => actual !== predicted)
      .sort(([, , first], [, , second]) => second - first).slice(0, MAX_MISTAKES);
    if (!mistakes.length) return createElement("p", {}, "All documents were predicted correctly.");
    const rows = mistakes.map(([actual, predicted, count]) => {
      const [, , nTrue] = combination.classes[actual];
      const share = shareOf(count, nTrue);
      return [data.classes[actual], data.classes[predicted], [count, formatNumber(count)], [share, `${formatNumber(100 * share, 1)} %`]];
    });
    return createSortableTable(`The most frequent mistakes of ${combination.name}`,
      [["true class"], ["predicted class"], ["documents", "descending"], ["of the class", "descending"]], rows);
  };
  const createClassTable = (combination) => {
    const rows = combination.classes.map((counts, number) => {
      const [nCorrect, nPredicted, nTrue] = counts;
      const measures = [shareOf(nCorrect, nPredicted), shareOf(nCorrect, nTrue), f1(counts)];
      return [data.classes[number], [nTrue, formatNumber(nTrue)], ...measures.map((measure) => [measure, formatNumber(measure, 3)])];
    });
    return createSortableTable(`Precision, recall and F1 of each class, ${combination.name}`,
      [["class"], ["documents", "descending"], ["precision", "descending"], ["recall", "descending"], ["F1", "descending"]], rows);
  };
  const showClasses = (section) => {
    const combination = data.combinations[Number(controlValue(section, "combination"))];
    const matrix = section.querySelector(".matrix");
    if (matrix) { // multilabel documents have no confusion matrix
      matrix.replaceChildren(...(combination.pairs ? [createConfusionMatrix(combination)] : []));
      section.querySelector(".pairs").replaceChildren(...(combination.pairs ? [createMistakesTable(combination)] : []));
    }
    section.querySelector(".by-class").replaceChildren(createClassTable(combination));
  };

  // Probabilities: the tables of all combinations are in the page, and one of them is shown.
  const showConfidence = (section) => {
    const shown = Number(controlValue(section, "combination"));
    section.querySelectorAll(".confidence").forEach((tables, number) => { tables.hidden = number !== shown; });
  };

  // Terms: a card for each class. The search finds terms and class names that contain the query.
  const formatScore = (score, maxScore) => {
    if (score === null) return "";
    if (maxScore < 0.01) return score.toExponential(2);
    return maxScore < 10 ? score.toFixed(4) : formatNumber(score, 1);
  };
  const createTermItem = ([rank, term, score], maxScore) => createElement("li", {},
    createElement("span", { title: "rank among all terms" }, `${formatNumber(rank)}.`),
    createElement("span", { class: "term" }, term),
    createElement("span", { title: "score" }, formatScore(score, maxScore)));
  const createCard = (className, terms, hasSelectedTerms, maxScore) => {
    const card = createElement("div", { class: "card" }, createElement("h3", {}, className));
    if (!terms.length) {
      card.append(createElement("p", {}, hasSelectedTerms ? "No such term." : "No selected term indicates this class."));
      return card;
    }
    const list = createElement("ol", { "aria-label": `Terms of ${className}` }, ...terms.map((term) => createTermItem(term, maxScore)));
    card.append(list, ...clip(list, terms.length, "term", "terms"));
    return card;
  };
  const showTerms = (section) => {
    const [selector, size] = [controlValue(section, "selector"), controlValue(section, "size")];
    const selection = data.selections.find((entry) => entry.selector === selector && entry.size === size);
    const cardList = section.querySelector(".cards");
    const status = section.querySelector(".shown");
    if (!selection) {
      status.textContent = `${selector} selected nothing with ${size} terms.`;
      cardList.replaceChildren();
      section.querySelector(":scope > .more")?.remove();
      return;
    }
    const typedQuery = controlValue(section, "search").trim();
    const query = typedQuery.toLocaleLowerCase();
    const termsByClass = data.rankings[selection.ranking].classes;
    const maxScore = Math.max(...termsByClass.flatMap((terms) => terms.map(([, , score]) => Math.abs(score ?? 0))), 0);
    let nSearched = 0;
    let nMatches = 0;
    const cards = termsByClass.flatMap((terms, number) => {
      const className = data.classes[number];
      const selectedTerms = terms.filter(([rank]) => rank <= selection.selected);
      const classMatches = className.toLocaleLowerCase().includes(query);
      const matches = classMatches ? selectedTerms : selectedTerms.filter(([, term]) => term.toLocaleLowerCase().includes(query));
      nSearched += selectedTerms.length;
      nMatches += matches.length;
      if (query && !classMatches && !matches.length) return [];
      return [createCard(className, matches, selectedTerms.length > 0, maxScore)];
    });
    const searched = query && nSearched < selection.selected ? `, ${formatNumber(nSearched)} of which were searched` : "";
    const action = query ? `match “${typedQuery}”` : "are listed";
    status.textContent = `${selector} selected ${formatCount(selection.selected, "term", "terms")}${searched}; `
      + `${formatNumber(nMatches)} ${action}, in ${formatCount(cards.length, "class", "classes")}.`;
    cardList.replaceChildren(...cards);
    section.querySelector(":scope > .more")?.remove();
    cardList.classList.remove("clipped");
    cardList.after(...clip(cardList, cards.length, "class", "classes"));
  };

  // Copy the table of all combinations as comma-separated values, with all digits.
  const quoteForCsv = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const csvCell = (cell) => {
    const text = cell.textContent.trim();
    if (cell.dataset.value !== undefined && text !== "best") return quoteForCsv(cell.dataset.value);
    return text === NOTHING ? "" : quoteForCsv(text);
  };
  const tableAsCsv = (table) => [...table.rows].map((row) => `${[...row.cells].map(csvCell).join(",")}\n`).join("");
  // Return whether the browser allows copying.
  const copyText = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = createElement("textarea", {}, text);
      document.body.append(area);
      area.select();
      const isCopied = document.execCommand("copy");
      area.remove();
      return isCopied;
    }
  };
  const enableCopying = () => {
    const table = document.getElementById("conditions");
    document.getElementById("copy").addEventListener("click", async () => {
      const isCopied = await copyText(tableAsCsv(table));
      document.getElementById("copied").textContent =
        isCopied ? `Copied ${formatCount(table.tBodies[0].rows.length, "row", "rows")}.` : "The browser does not allow copying.";
    });
  };

  // What fills each section, at first and when one of its controls changes.
  const RENDERERS = { quality: drawPanels, times: drawPanels, energy: drawPanels, overlap: showOverlap, classes: showClasses, probabilities: showConfidence, terms: showTerms };
  listSections();
  enableCopying();
  document.querySelectorAll(".frame").forEach(frameTable);
  for (const [name, render] of Object.entries(RENDERERS)) {
    const section = document.getElementById(name);
    if (!section) continue;
    render(section);
    section.addEventListener("input", (event) => {
      if (event.target.closest(".controls")) render(section);
    });
  }
})();
