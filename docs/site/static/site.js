// Cells name their column, for the cards of site.css. Tables that are too wide for the page get smaller text.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("table.docutils")) {
    const heads = [...table.querySelectorAll("thead th")].map(h => h.textContent.trim());
    for (const row of table.querySelectorAll("tbody tr")) {
      [...row.cells].forEach((cell, i) => { if (heads[i]) cell.dataset.head = heads[i]; });
    }
    if (table.parentElement.scrollWidth > table.parentElement.clientWidth) table.classList.add("wide");
  }
});
