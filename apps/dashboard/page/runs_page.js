// The table of all runs: filter, states, groups, columns, and the way to compare some of them.

import {element, fill, refill} from "./element.js";
import {number_text} from "./format.js";
import {parsed_filter, passes, sorted_runs, grouped_runs, value_of} from "./run_filter.js";
import {spread, spread_text} from "./statistics.js";
import {new_runs_table} from "./runs_table.js";
import {set_query} from "./address.js";

const states = ["training", "paused", "done", "stopped", "failed", "lost", "new"];
const usual = ["name", "state", "model", "started", "seconds", "epochs"];
const interesting = ["validation_loss", "validation_accuracy", "validation_r2", "training_loss"];

/** The page. @param source where runs come from. @returns {node, end()} */
export function runs_page(source, query) {
  let runs = [];
  let chosen = new Set((query.get("chosen") ?? "").split(",").filter(Boolean));
  const folded = new Set();
  const choice = {filter: query.get("filter") ?? "", state: query.get("state") ?? "", group: query.get("group") ?? "",
    sort: query.get("sort") ?? "started", descending: query.get("order") !== "up", columns: query.get("columns")};

  const search = element("input", {type: "search", value: choice.filter, id: "filter", "aria-label": "Filter of runs", autocomplete: "off", spellcheck: "false",
    placeholder: "Filter: lenet  state:done  learning_rate<0.01  tag:baseline", on: {input: () => change({filter: search.value})}});
  const chips = element("div", {class: "chips", role: "group", "aria-label": "States"});
  const group = element("select", {"aria-label": "Group by", on: {change: () => change({group: group.value})}});
  const columns = element("details", {class: "menu"}, element("summary", {}, "Columns"));
  const column_list = element("div", {class: "menu-list"});
  columns.append(column_list);
  const count = element("span", {class: "soft", role: "status"});
  const table = new_runs_table({
    sort: (key) => change(choice.sort === key ? {descending: !choice.descending} : {sort: key, descending: key === "started"}),
    choose: (next) => { chosen = next; draw(); },
    open: (run) => { location.hash = "#/run/" + encodeURIComponent(run.id); },
    fold: (value) => { if (!folded.delete(value)) folded.add(value); draw(); },
  });
  const selected = element("div", {class: "selected-bar", hidden: true});
  const content = element("div");
  const node = element("div", {}, element("h1", {tabindex: "-1"}, "Runs"), content);
  const list = [element("div", {class: "tools"}, element("span", {class: "grow"}, search), element("label", {}, "Group by ", group), columns),
    element("div", {class: "tools"}, chips, count), table.node, selected];

  columns.addEventListener("toggle", () => columns.open && draw_columns());
  function show() {
    if (runs.length === 0) fill(content, no_runs(source));
    else {
      if (!table.node.isConnected) fill(content, list);
      draw_groups();
      draw();
    }
  }

  function change(next) {
    Object.assign(choice, next);
    set_query({filter: choice.filter, state: choice.state, group: choice.group, sort: choice.sort === "started" ? "" : choice.sort,
      order: choice.descending ? "" : "up", columns: choice.columns});
    draw();
  }

  function draw() {
    const conditions = parsed_filter(choice.filter);
    const found = runs.filter((run) => passes(run, conditions));
    draw_chips(found);
    const shown = choice.state === "" ? found : found.filter((run) => run.state === choice.state);
    count.textContent = shown.length === runs.length ? `${number_text(runs.length)} runs` : `${number_text(shown.length)} of ${number_text(runs.length)} runs`;
    table.update({items: items_of(sorted_runs(shown, choice.sort, choice.descending)), columns: shown_columns(), sort: choice.sort, descending: choice.descending, chosen});
    draw_selected();
  }

  function items_of(sorted) {
    if (choice.group === "") return sorted.map((run) => ({run}));
    return grouped_runs(sorted, choice.group).flatMap(({value, runs: members}) => {
      const open = !folded.has(value);
      const record = interesting.find((name) => members.some((run) => typeof value_of(run, name) === "number"));
      const summary = record && `${record} ${spread_text(spread(members.map((run) => value_of(run, record))), number_text)}`;
      const head = {group: value, text: `${choice.group} = ${value === "" ? "not set" : typeof value === "number" ? number_text(value) : value}`, count: members.length, open, summary};
      return [head, ...(open ? members.map((run) => ({run})) : [])];
    });
  }

  function shown_columns() {
    if (choice.columns) return choice.columns.split(",");
    const tagged = runs.some((run) => (run.tags ?? []).length > 0) ? ["tags"] : [];
    return [...usual, ...varying().slice(0, innerWidth > 1700 ? 4 : 2), ...interesting.filter((name) => runs.some((run) => run.records?.[name] !== undefined)).slice(0, innerWidth > 1700 ? 4 : 2), ...tagged];
  }

  // Settings in which the runs differ, those first that people change most. A run keeps its settings, so only other runs
  // change the list.
  let varied = {count: -1, keys: []};
  function varying() {
    if (varied.count !== runs.length) varied = {count: runs.length, keys: varying_keys()};
    return varied.keys;
  }

  function varying_keys() {
    const first = new Map();
    const found = new Set();
    for (const run of runs)
      for (const key in run.config ?? {}) {
        const text = typeof run.config[key] === "object" ? JSON.stringify(run.config[key]) : run.config[key];
        if (!first.has(key)) first.set(key, text);
        else if (first.get(key) !== text) found.add(key);
      }
    const usual_keys = ["optimizer.learning_rate", "model.hidden", "training.batch_size", "optimizer.name", "model.activation"];
    return [...usual_keys.filter((key) => found.has(key)), ...[...found].filter((key) => !usual_keys.includes(key) && /^(model|optimizer|training)\./.test(key) && key !== "model.name")];
  }

  function keys() {
    const settings = new Set(), records = new Set();
    for (const run of runs) {
      for (const key in run.config ?? {}) settings.add(key);
      for (const key in run.records ?? {}) records.add(key);
    }
    return {settings: [...settings].sort(), records: [...records].sort()};
  }

  function draw_chips(found) {
    const counts = new Map();
    for (const run of found) counts.set(run.state, (counts.get(run.state) ?? 0) + 1);
    refill(chips, choice.state + JSON.stringify([...counts]), () => states.filter((state) => counts.has(state) || state === choice.state).map((state) => element("button", {type: "button", "aria-pressed": String(choice.state === state),
      on: {click: () => change({state: choice.state === state ? "" : state})}}, element("span", {class: "state " + state}, state), " ", String(counts.get(state) ?? 0))));
  }

  let grouped = -1;
  function draw_groups() {
    if (grouped === runs.length) return;
    grouped = runs.length;
    const {settings} = keys();
    refill(group, settings.join(), () => [element("option", {value: ""}, "nothing"), ["state", "problem", "model", "tag", "grid"].map((key) => element("option", {value: key}, key)),
      element("optgroup", {label: "settings"}, settings.map((key) => element("option", {value: key}, key)))]);
    group.value = choice.group;
  }

  function draw_columns() {
    const {settings, records} = keys();
    const now = shown_columns();
    const box = (key) => element("label", {}, element("input", {type: "checkbox", checked: now.includes(key), on: {change: (event) => {
      const next = event.target.checked ? [...shown_columns(), key] : shown_columns().filter((name) => name !== key);
      change({columns: next.join(",")});
    }}}), key);
    fill(column_list, element("strong", {}, "run"), ["state", "problem", "model", "started", "seconds", "epochs", "batches", "tags", "grid", "folder"].map(box),
      element("strong", {}, "records"), records.filter((key) => !key.startsWith("_")).map(box), element("strong", {}, "settings"), settings.map(box));
  }

  function draw_selected() {
    const known = [...chosen].filter((id) => runs.some((run) => run.id === id));
    selected.hidden = known.length === 0;
    refill(selected, known.join(), () => [`${known.length} ${known.length === 1 ? "run" : "runs"} chosen`,
      element("button", {type: "button", disabled: known.length < 2, on: {click: () => { location.hash = "#/compare?runs=" + known.map(encodeURIComponent).join(","); }}}, known.length < 2 ? "Choose another to compare" : "Compare"),
      element("button", {type: "button", on: {click: () => { chosen = new Set(); draw(); }}}, "Choose none")]);
  }

  // Last, since runs that are known already are shown at once.
  const stop = source.watch_runs((next) => {
    runs = next;
    show();
  }, (error) => fill(content, element("p", {class: "notice"}, error.message)));
  return {node, title: "Runs", end: stop};
}

function no_runs(source) {
  return element("div", {class: "empty-page"}, element("h2", {}, "No run yet"),
    element("p", {class: "hint"}, source.folders?.length ? `The dashboard looks for runs in ${source.folders.join(", ")}. Start one, and it appears here:` : "Start one, and it appears here:"),
    element("pre", {}, "troupe train training.epochs=20 --control 127.0.0.1:0"),
    element("p", {class: "hint"}, "With --control you can pause and steer it from its page."));
}
