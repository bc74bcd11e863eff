// The table of runs: groups and rows in view, columns that sort, boxes that choose runs, arrow keys that move.

import {element, fill} from "./element.js";
import {age_text, date_text, duration_text, number_text, setting_text} from "./format.js";
import {value_of} from "./run_filter.js";
import {rows_in_view} from "./rows_in_view.js";

const row_height = 38;

/** A column's cell text; `numeric` columns are aligned to the right. */
const special = {
  name: {title: "run"},
  state: {title: "state"},
  tags: {title: "tags"},
  started: {title: "started", text: (run) => age_text(run.started, Date.now())},
  seconds: {title: "time", numeric: true, text: (run) => duration_text(run.seconds)},
  epochs: {title: "epochs done", numeric: true},
  batches: {title: "batches done", numeric: true},
};

/** The head of a column: the last part of a setting's name. */
function title_of(key) {
  return special[key]?.title ?? (key.startsWith("best.") ? key.replace(".", " ") : key.replace(/\.name$/, "").split(".").pop());
}

/** The state of a run as a sign and a word. */
export function state_chip(state) {
  return element("span", {class: "state " + state}, state);
}

export function cell_text(run, key) {
  const value = special[key]?.text ? special[key].text(run) : value_of(run, key);
  return typeof value === "number" ? number_text(value) : setting_text(value);
}

/**
 * @param on {sort(key), choose(set), open(run)}
 * @returns {node, update({items, columns, sort, descending, chosen})}; items: {group, count, open} or {run}
 */
export function new_runs_table(on) {
  const head = element("tr");
  const body = element("tbody");
  const sizes = element("colgroup");
  const frame = element("div", {class: "table-frame rows", tabindex: "-1", on: {scroll: () => draw()}},
    element("table", {"aria-label": "Runs"}, sizes, element("thead", {}, head), body));
  let shown = {items: [], columns: [], chosen: new Set()};
  let last = "";

  new ResizeObserver(() => draw()).observe(frame);
  frame.addEventListener("keydown", move);

  function update(next) {
    shown = next;
    last = "";
    draw_head();
    draw();
  }

  let head_key = "", sizes_key = "";
  function draw_head() {
    const runs = shown.items.filter((item) => item.run).map((item) => item.run);
    const count = runs.filter((run) => shown.chosen.has(run.id)).length;
    const key = [shown.columns.join(), shown.sort, shown.descending, count === 0 ? "none" : count === runs.length ? "all" : "some", runs.length > 0].join(";");
    if (key !== head_key) fill_head(runs);
    head_key = key;
    if (sizes_key !== shown.columns.join() + runs.length) set_sizes(runs);
    sizes_key = shown.columns.join() + runs.length;
  }

  function fill_head(runs) {
    const all = runs.length > 0 && runs.every((run) => shown.chosen.has(run.id));
    fill(head, element("th", {scope: "col"}, element("input", {type: "checkbox", "aria-label": "Choose all", checked: all,
      indeterminate: !all && runs.some((run) => shown.chosen.has(run.id)), on: {change: (event) => on.choose(event.target.checked ? new Set(shown.items.filter((item) => item.run).map((item) => item.run.id)) : new Set())}})),
      shown.columns.map((key) => element("th", {scope: "col", class: numeric(key, runs) ? "number" : null,
        "aria-sort": shown.sort === key ? (shown.descending ? "descending" : "ascending") : null, title: key},
        element("button", {type: "button", on: {click: () => on.sort(key)}}, title_of(key)))));
  }

  function set_sizes(runs) {
    // Widths from the texts: measured once for all rows, since the rows in view change.
    const sampled = runs.length > 400 ? runs.filter((_, index) => index % Math.ceil(runs.length / 400) === 0) : runs;
    fill(sizes, element("col", {style: {width: "2.6rem"}}), shown.columns.map((key) => {
      const longest = sampled.reduce((most, run) => Math.max(most, cell_text(run, key).length), title_of(key).length + 1);
      return element("col", {style: {width: Math.min(longest * 0.53 + 1.7, 24) + "rem"}});
    }));
    const width = [...sizes.children].reduce((sum, col) => sum + parseFloat(col.style.width), 0);
    const table = frame.firstElementChild;
    table.style.setProperty("table-layout", "fixed");
    table.style.setProperty("min-width", width + "rem");
  }

  function numeric(key, runs) {
    if (special[key]) return special[key].numeric;
    const first = runs.find((run) => value_of(run, key) !== undefined);
    return first !== undefined && typeof value_of(first, key) === "number";
  }

  function draw() {
    const view = rows_in_view(shown.items.length, row_height, frame.scrollTop, frame.clientHeight || 600);
    const id = view.begin + "-" + view.end;
    if (id === last) return;
    last = id;
    const focused = body.contains(document.activeElement) ? document.activeElement.closest("tr")?.dataset.place : undefined;
    const span = shown.columns.length + 1;
    const space = (height) => height > 0 && element("tr", {class: "space", "aria-hidden": "true"}, element("td", {colspan: span, style: {height: height + "px"}}));
    const runs = shown.items;
    const number_columns = shown.columns.map((key) => numeric(key, runs.filter((item) => item.run).slice(0, 50).map((item) => item.run)));
    fill(body, space(view.before), runs.slice(view.begin, view.end).map((item, index) => (item.run ? row(item.run, view.begin + index, number_columns) : group(item, view.begin + index, span))), space(view.after));
    if (focused !== undefined) body.querySelector(`tr[data-place="${focused}"]`)?.focus({preventScroll: true});
  }

  function group(item, place, span) {
    return element("tr", {class: "group", data: {place}}, element("td", {colspan: span},
      element("button", {class: "quiet small", "aria-expanded": String(item.open), on: {click: () => on.fold(item.group)}}, item.open ? "▾" : "▸"),
      ` ${item.text} `, element("span", {class: "soft"}, `${number_text(item.count)} ${item.count === 1 ? "run" : "runs"}${item.summary ? " · " + item.summary : ""}`)));
  }

  function row(run, place, number_columns) {
    const chosen = shown.chosen.has(run.id);
    return element("tr", {class: "run" + (chosen ? " chosen" : ""), tabindex: "0", data: {id: run.id, place}},
      element("td", {class: "pick"}, element("input", {type: "checkbox", checked: chosen, "aria-label": "Choose " + run.name, on: {change: () => choose(run)}})),
      shown.columns.map((key, index) => element("td", {class: number_columns[index] ? "number" : null, title: key === "started" ? date_text(run.started) : null}, cell(run, key))));
  }

  function cell(run, key) {
    if (key === "name") return element("a", {href: "#/run/" + encodeURIComponent(run.id), tabindex: "-1", title: run.folder}, run.name);
    if (key === "state") return state_chip(run.state);
    if (key === "tags") return (run.tags ?? []).map((tag) => element("span", {class: "tag"}, tag));
    return cell_text(run, key);
  }

  function choose(run) {
    const chosen = new Set(shown.chosen);
    if (!chosen.delete(run.id)) chosen.add(run.id);
    on.choose(chosen);
  }

  function move(event) {
    const at = event.target.closest("tr[data-place]");
    if (at === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const place = Number(at.dataset.place);
    const item = shown.items[place];
    const page = Math.max(1, Math.floor(frame.clientHeight / row_height) - 2);
    const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -place, End: shown.items.length - 1 - place};
    if (event.key in steps) focus(Math.max(0, Math.min(shown.items.length - 1, place + steps[event.key])));
    else if (event.key === "Enter" && event.target === at && item.run) on.open(item.run);
    else if (event.key === " " && event.target === at && item.run) choose(item.run);
    else return;
    event.preventDefault();
  }

  function focus(place) {
    const top = place * row_height;
    if (top < frame.scrollTop) frame.scrollTop = top;
    else if (top + 2 * row_height > frame.scrollTop + frame.clientHeight - row_height) frame.scrollTop = top - frame.clientHeight + 3 * row_height;
    draw();
    const found = body.querySelector(`tr[data-place="${place}"]`);
    (found?.querySelector("button") ?? found)?.focus({preventScroll: true});
  }

  return {node: frame, update};
}
