// Tabs as the ARIA practices have them: arrow keys go from one to the next, and only the chosen one is a tab stop.

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** The place that a key leads to from another one, in a ring of `many`; null for other keys. */
export const stepped = (event, at, many) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  if (event.key === "Home") return 0;
  if (event.key === "End") return many - 1;
  return event.key in STEPS ? (at + STEPS[event.key] + many) % many : null;
};

/** Tabs whose panels are named by aria-controls; the address remembers the chosen one. `told(id)` hears of it. */
export const useTabs = (list, told) => {
  const tabs = [...list.querySelectorAll("[role=tab]")];
  const panelOf = (tab) => document.getElementById(tab.getAttribute("aria-controls"));
  const choose = (chosen) => {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      panelOf(tab).hidden = tab !== chosen;
    }
    told(panelOf(chosen).id);
  };
  const remember = (tab) => {
    history.replaceState(null, "", `#${panelOf(tab).id}`);
    choose(tab);
  };
  list.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) remember(tab);
  });
  list.addEventListener("keydown", (event) => {
    const next = stepped(event, tabs.indexOf(event.target.closest("[role=tab]")), tabs.length);
    if (next === null) return;
    event.preventDefault();
    tabs[next].focus();
    remember(tabs[next]);
  });
  const fromAddress = () => tabs.find((tab) => `#${panelOf(tab).id}` === location.hash);
  addEventListener("hashchange", () => { if (fromAddress()) choose(fromAddress()); });
  choose(fromAddress() ?? tabs[0]);
};
