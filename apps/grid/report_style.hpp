// The style of a grid's report page, and the script that sorts its table.
#pragma once

namespace troupe {

/// CSS, for light and dark, screen and paper. c0 to c6 are Okabe and Ito's colours
/// (jfly.uni-koeln.de/color), which colour-blind people can distinguish; a dark page has sky blue
/// before blue, and white for black.
inline constexpr const char* report_style = R"css(
:root { color-scheme: light dark; --page: #fff; --text: #222; --faint: #666; --rule: #ddd; --head: #f4f4f4;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #e69f00; --c5: #56b4e9; --c6: #222;
  --c7: #8c5729; --c8: #858c00; --c9: #592e99; --c10: #8c8c8c; --c11: #8c0026; }
@media (prefers-color-scheme: dark) { :root { --page: #16181b; --text: #e4e4e4; --faint: #a0a0a0; --rule: #3a3d42;
  --head: #23262b; --c0: #56b4e9; --c1: #f07a2a; --c2: #2fc296; --c3: #dd92bb; --c4: #f0b429; --c5: #4d8fd6;
  --c6: #eee; --c7: #c08a5a; --c8: #b9c033; --c9: #a58be0; --c10: #a8a8a8; --c11: #e05a78; } }
body { background: var(--page); color: var(--text); font: 15px/1.45 system-ui, sans-serif; max-width: 1240px;
  margin: 2em auto; padding: 0 1.5em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin: 2em 0 .5em; }
p.note { color: var(--faint); margin: .3em 0; }
pre { background: var(--head); padding: .7em 1em; overflow-x: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .87em; font-variant-numeric: tabular-nums; }
th, td { padding: .3em .8em; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
th { background: var(--head); } th, .sortable td { white-space: nowrap; }
td.number { text-align: right; }
th button { all: unset; cursor: pointer; } th button:focus-visible { outline: 2px solid var(--c0); }
th[aria-sort=ascending] button::after { content: " \25B2"; }
th[aria-sort=descending] button::after { content: " \25BC"; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--text); stroke: var(--page); stroke-width: 3px; paint-order: stroke; }
.grid { stroke: var(--rule); } .axis { stroke: var(--faint); }
.c0 { --ink: var(--c0); } .c1 { --ink: var(--c1); } .c2 { --ink: var(--c2); } .c3 { --ink: var(--c3); }
.c4 { --ink: var(--c4); } .c5 { --ink: var(--c5); } .c6 { --ink: var(--c6); } .c7 { --ink: var(--c7); }
.c8 { --ink: var(--c8); } .c9 { --ink: var(--c9); } .c10 { --ink: var(--c10); } .c11 { --ink: var(--c11); }
.d1 { stroke-dasharray: 8 4; } .d2 { stroke-dasharray: 2 4; } .d3 { stroke-dasharray: 8 4 2 4; }
.d4 { stroke-dasharray: 14 4; } .d5 { stroke-dasharray: 8 3 2 3 2 3; } .d6 { stroke-dasharray: 4 4; }
.d7 { stroke-dasharray: 14 3 4 3; }
path, .across, .sample { fill: none; stroke: var(--ink); stroke-linejoin: round; stroke-linecap: round; }
.run { stroke-width: 1; opacity: .45; } .mean, .single .run { stroke-width: 2.4; opacity: 1; }
.band { fill: var(--ink); opacity: .14; } .across { stroke-width: 1.6; opacity: .8; }
g:hover .mean, .across:hover { stroke-width: 4; }
svg.swatch { width: 30px; height: 12px; } .sample { stroke-width: 3; }
@media print { body { margin: 0; max-width: none; font-size: 11px; } .wide { overflow: visible; }
  svg, tr { break-inside: avoid; } h2 { break-after: avoid; } pre { white-space: pre-wrap; } }
)css";

/// JavaScript: numbers are sorted as numbers, and empty cells stay last.
inline constexpr const char* report_script = R"js(
for (const head of document.querySelectorAll("table.sortable th"))
  head.addEventListener("click", () => {
    const body = head.closest("table").tBodies[0], column = head.cellIndex;
    const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    const text = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const compare = (a, b) => a === "" || b === "" ? (a === "") - (b === "")
      : sign * (isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b);
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
    body.append(...[...body.rows].sort((a, b) => compare(text(a), text(b))));
  });
)js";

} // namespace troupe
