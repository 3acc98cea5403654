"use strict";
// Headings of the tables become buttons that sort by that column; without a script they stay headings.
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const headings = [...table.tHead.rows[0].cells];
  const key = (row, at) => {
    const cell = row.cells[at];
    return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number"
      ? a - b
      : typeof a === typeof b
        ? a.localeCompare(b, document.documentElement.lang, { numeric: true })
        : typeof a === "number" ? -1 : 1;
  headings.forEach((heading, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const down = heading.getAttribute("aria-sort") === "ascending";
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      // What is missing, a sign among numbers, comes last either way.
      const order = (a, b) => (down && typeof a === typeof b ? compare(b, a) : compare(a, b));
      table.tBodies[0].append(...[...table.tBodies[0].rows].sort((a, b) => order(key(a, at), key(b, at))));
    });
  });
}
