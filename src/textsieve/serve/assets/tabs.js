// Tabs as in the ARIA practices: arrow keys move between them, and only the selected one is a tab stop.

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** Returns the index that an arrow key, Home or End leads to, in a ring of `count` elements; null for other keys. */
export const nextIndex = (event, index, count) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  if (event.key === "Home") return 0;
  if (event.key === "End") return count - 1;
  return event.key in STEPS ? (index + STEPS[event.key] + count) % count : null;
};

/** Sets up tabs, whose panels are named by aria-controls; the URL has the selected one. Calls `onSelect(id)`. */
export const useTabs = (list, onSelect) => {
  const tabs = [...list.querySelectorAll("[role=tab]")];
  const panelOf = (tab) => document.getElementById(tab.getAttribute("aria-controls"));
  const select = (selected) => {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === selected));
      tab.tabIndex = tab === selected ? 0 : -1;
      panelOf(tab).hidden = tab !== selected;
    }
    onSelect(panelOf(selected).id);
  };
  const selectInUrl = (tab) => {
    history.replaceState(null, "", `#${panelOf(tab).id}`);
    select(tab);
  };
  list.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) selectInUrl(tab);
  });
  list.addEventListener("keydown", (event) => {
    const next = nextIndex(event, tabs.indexOf(event.target.closest("[role=tab]")), tabs.length);
    if (next === null) return;
    event.preventDefault();
    tabs[next].focus();
    selectInUrl(tabs[next]);
  });
  const tabOfUrl = () => tabs.find((tab) => `#${panelOf(tab).id}` === location.hash);
  addEventListener("hashchange", () => { if (tabOfUrl()) select(tabOfUrl()); });
  select(tabOfUrl() ?? tabs[0]);
};
