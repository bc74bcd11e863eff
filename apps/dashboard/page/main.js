// The page: the bar, and the page that the address names.

import {element, fill} from "./element.js";
import {address} from "./address.js";
import {begin_theme} from "./theme.js";
import {begin_theme_button} from "./theme_button.js";
import {runs_page} from "./runs_page.js";
import {run_page} from "./run_page.js";
import {compare_page} from "./compare_page.js";
import {grids_page, grid_page} from "./grid_page.js";
import {clusters_page, cluster_page} from "./cluster_page.js";
import {server_source} from "./source.js";

const parts = [{name: "runs", title: "Runs", href: "#/", of: ["", "run"]}, {name: "compare", title: "Compare", href: "#/compare", of: ["compare"]},
  {name: "grids", title: "Grids", href: "#/grids", of: ["grids", "grid"]}, {name: "clusters", title: "Clusters", href: "#/clusters", of: ["clusters", "cluster"]}];
const main = document.getElementById("main");
const navigation = document.getElementById("navigation");
const live = document.getElementById("live");
let page = null;

begin_theme();
begin_theme_button(document.getElementById("theme"));
document.getElementById("help").addEventListener("click", help);
server_source().then(begin, (error) => fill(main, element("div", {class: "empty-page"}, element("h1", {}, "The dashboard cannot be reached"), element("p", {class: "hint"}, error.message),
  error.status === 401 && element("p", {class: "hint"}, "Open the address that troupe dashboard has printed: it holds the token."))));

function begin(source) {
  addEventListener("hashchange", () => show(source));
  addEventListener("keydown", keys);
  source.watch_connection((connected) => {
    live.textContent = connected === null ? "connecting" : connected ? "live" : "not connected";
    live.classList.toggle("off", connected === false);
  });
  live.title = `Role ${source.session.role}, Troupe ${source.session.version}` + (source.session.machine ? " on " + source.session.machine : "");
  show(source, true);
}

function show(source, first = false) {
  const {path, query} = address();
  page?.end();
  page = page_of(source, path, query);
  document.title = page.title + " · Troupe";
  fill(navigation, parts.map((part) => element("a", {href: part.href, "aria-current": part.of.includes(path[0] ?? "") ? "page" : null}, part.title)));
  fill(main, page.node);
  scrollTo(0, 0);
  // A reader of the screen hears the new page's title; the first one is read anyway.
  if (!first) main.focus({preventScroll: true});
}

function page_of(source, [name, id], query) {
  switch (name) {
    case "run": return run_page(source, id, query);
    case "compare": return compare_page(source, query);
    case "grids": return grids_page(source);
    case "grid": return grid_page(source, id);
    case "clusters": return clusters_page(source);
    case "cluster": return cluster_page(source, id);
    default: return runs_page(source, query);
  }
}

// Letters that are not typed into a field: g with r, c, d or l goes to a page, / to the filter, ? shows these.
let after_g = 0;
function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
  if (Date.now() - after_g < 1500) {
    const part = {r: "#/", c: "#/compare", g: "#/grids", l: "#/clusters"}[event.key];
    after_g = 0;
    if (part !== undefined) location.hash = part;
  } else if (event.key === "g") after_g = Date.now();
  else if (event.key === "/") {
    document.querySelector('main input[type="search"]')?.focus();
    event.preventDefault();
  } else if (event.key === "?") help();
}

function help() {
  const list = [["/", "to the filter"], ["g r", "runs"], ["g c", "compare"], ["g g", "grids"], ["g l", "clusters"], ["↑ ↓ PgUp PgDn", "rows of the table; Enter opens, Space chooses"], ["← →", "values of a chart, or tabs"], ["+ − 0", "zoom a chart; 0 shows all"], ["?", "these keys"]];
  const dialog = element("dialog", {"aria-label": "Keys"}, element("h2", {}, "Keys"), element("table", {}, element("tbody", {}, list.map(([key, act]) => element("tr", {}, element("td", {}, element("code", {}, key)), element("td", {class: "wrap"}, act))))),
    element("div", {class: "row"}, element("button", {type: "button", class: "primary", on: {click: () => dialog.close()}}, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
