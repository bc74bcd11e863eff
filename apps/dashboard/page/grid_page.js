// Grids: a list of them, and the page of one: progress, ranks, rungs of halving, curves over repetitions, all its runs.
// A saved report shows the same page from the data in its file.

import {element, fill} from "./element.js";
import {list_page} from "./list_page.js";
import {duration_text, number_text} from "./format.js";
import {colors} from "./palette.js";
import {new_chart, sample} from "./chart.js";
import {parallel_coordinates} from "./parallel.js";
import {compared} from "./run_filter.js";
import {mean_curve} from "./statistics.js";
import {state_chip} from "./runs_table.js";

const again = 3000; // milliseconds between two looks at a grid: another process may continue it

/** The list of grids. */
export function grids_page(source) {
  return list_page({title: "Grids", read: source.grids, hint: ["No grid yet", "A grid trains, tests and compares many configurations:", "troupe grid run examples/grid/digits.yaml"],
    card: (grid) => element("a", {class: "card", href: "#/grid/" + grid.id}, element("div", {class: "title-row"}, element("h2", {}, grid.name), state_chip(grid.state)), element("p", {class: "soft"}, progress_sentence(grid)), progress_bar(grid))});
}

function progress_sentence(grid) {
  const parts = [`${number_text(grid.done)} of ${number_text(grid.runs)} runs done`, grid.training > 0 && `${grid.training} training`, grid.failed > 0 && `${grid.failed} failed`];
  return parts.filter(Boolean).join(", ") + `; compared by ${grid.by}`;
}

function progress_bar(grid) {
  const share = grid.runs > 0 ? (grid.done + grid.failed) / grid.runs : 0;
  return element("div", {class: "progress", role: "img", "aria-label": Math.round(share * 100) + " % of the runs have ended"}, element("i", {style: {width: share * 100 + "%"}}));
}

// Curves of more runs would take longer to read than anyone looks at them.
const most_runs_drawn = 120;

/** Reads the curves of a grid's runs, of those anew that train: the journal has one score for each rung only. */
function new_score_reader(source) {
  const known = new Map(); // run -> {outcome, scores}
  return async (grid) => {
    const runs = grid.trials.slice().sort((a, b) => compared(a.rank, b.rank, false)).flatMap((trial) => trial.runs).filter((run) => run.id).slice(0, most_runs_drawn);
    const unread = runs.filter((run) => !known.has(run.id) || known.get(run.id).outcome !== run.outcome || run.outcome === "");
    const next = async () => {
      for (let run = unread.shift(); run !== undefined; run = unread.shift()) {
        const answer = await source.curves(run.id, {records: grid.by, x: grid.unit === "episodes" ? "batches" : "epochs", points: 400}).catch(() => null);
        const curve = answer?.series.find((one) => one.worker === 0) ?? answer?.series[0];
        known.set(run.id, {outcome: run.outcome, scores: curve ? curve.x.map((x, point) => [x, curve.y[point]]) : []});
      }
    };
    await Promise.all([next(), next(), next(), next()]);
    for (const run of runs) if (known.get(run.id)?.scores.length > 0) run.scores = known.get(run.id).scores;
  };
}

/** The page of the grid `id`. */
export function grid_page(source, id) {
  const node = element("div", {}, element("p", {class: "hint"}, "Reading the grid…"));
  const page = {node, title: "Grid", end() { over = true; clearTimeout(timer); part?.end(); }};
  const read_scores = new_score_reader(source);
  let over = false, timer = 0, part = null, last = "";

  async function read() {
    try {
      const grid = await source.grid(id);
      await read_scores(grid);
      if (over) return;
      const text = JSON.stringify(grid);
      if (text !== last) {
        if (part === null) {
          part = grid_view(source);
          fill(node, part.node);
        }
        part.update(grid);
        document.title = `${grid.name} · Troupe`;
      }
      last = text;
      timer = setTimeout(read, again);
    } catch (error) {
      if (part === null) fill(node, element("p", {class: "notice"}, error.message));
      else timer = setTimeout(read, again);
    }
  }
  read();
  return page;
}

/** What a grid shows. @returns {node, update(grid), end()} */
export function grid_view(source) {
  const head = element("div"), best = element("div"), ranks = element("div"), rungs = element("div"), coordinates = element("div"), failed = element("div"), statistics = element("div", {class: "charts part"}), all = element("div");
  const more_charts = new Map();
  const chart = new_chart({title: "", height: 22});
  const log = element("input", {type: "checkbox", on: {change: () => draw_curves()}});
  let log_set = false;
  const single = element("input", {type: "checkbox", on: {change: () => draw_curves()}});
  const curves = element("section", {}, element("div", {class: "tools"}, element("label", {}, single, " Each run"), element("label", {}, log, " Logarithmic values")), chart.node);
  let grid = {trials: [], axes: []};
  let order = {key: "rank", descending: false}, run_order = {key: "run", descending: false};

  function update(next) {
    grid = next;
    if (!log_set) {
      const values = all_scores().map(([, value]) => value).filter(Number.isFinite);
      log.checked = values.length > 0 && values.every((value) => value > 0) && Math.max(...values) / Math.min(...values) >= 20;
      log_set = values.length > 0;
    }
    fill(head, element("div", {class: "title-row"}, element("h1", {tabindex: "-1"}, grid.name), state_chip(grid.state)), element("p", {class: "facts"}, element("span", {}, progress_sentence(grid)), element("span", {}, grid.better === "max" ? "larger is better" : "smaller is better"), grid.folder && element("span", {}, grid.folder)), progress_bar(grid));
    draw_best();
    draw_curves();
    draw_statistics();
    draw_ranks();
    draw_rungs();
    draw_coordinates();
    draw_failed();
    draw_runs();
  }

  const settings = (trial) => grid.axes.map((axis, index) => `${axis.split(".").pop()} ${trial.values[index] ?? ""}`).join(", ") || "trial " + trial.trial;
  const ranked = () => grid.trials.slice().sort((a, b) => compared(a.rank, b.rank, false) || a.trial - b.trial);
  const all_scores = () => grid.trials.flatMap((trial) => trial.runs.flatMap((run) => run.scores ?? []));
  const run_link = (run, text) => (run.id && source ? element("a", {href: "#/run/" + run.id}, text) : text);

  function draw_best() {
    const trial = ranked()[0];
    if (trial === undefined || trial.rank === null || trial.rank === undefined) {
      fill(best);
      return;
    }
    const runs = trial.runs.filter((run) => run.outcome === "done" && Number.isFinite(run.score));
    const first = runs.sort((a, b) => (grid.better === "max" ? b.score - a.score : a.score - b.score))[0];
    fill(best, element("section", {class: "card"}, element("h2", {}, "The best configuration"),
      element("p", {}, element("strong", {}, settings(trial)), `: ${grid.by} ${number_text(trial.mean)}`, Number.isFinite(trial.deviation) && ` ± ${number_text(trial.deviation, 2)} over ${runs.length} runs`),
      first && element("p", {}, "Its best run: ", run_link(first, `${grid.by} ${number_text(first.score)}, seed ${first.seed}`), first.command && [element("br"), element("code", {}, first.command)])));
  }

  function draw_curves() {
    const shown = ranked().filter((trial) => trial.runs.some((run) => (run.scores ?? []).length > 0)).slice(0, 20);
    const list = shown.flatMap((trial, index) => {
      const style = {color: index % colors, dash: index};
      if (single.checked) return trial.runs.filter((run) => (run.scores ?? []).length > 0).map((run) => ({...style, label: `${settings(trial)}, seed ${run.seed}`, x: run.scores.map(([x]) => x), y: run.scores.map(([, y]) => y ?? NaN)}));
      const mean = mean_curve(trial.runs.map((run) => run.scores ?? []));
      return [{...style, label: settings(trial), ...mean}];
    });
    chart.node.querySelector(".title").textContent = `${grid.by} over ${grid.unit ?? "epochs"}` + (single.checked ? "" : ": mean and deviation over repetitions") + (grid.trials.length > shown.length ? `, the best ${shown.length} configurations` : "");
    chart.update(list, {kind: grid.unit ?? "epochs", log: log.checked});
  }

  // Numbers that problem and model add, where the runs keep statistics.
  function draw_statistics() {
    const runs = grid.trials.flatMap((trial) => trial.runs);
    for (const name of new Set(runs.flatMap((run) => Object.keys(run.statistics ?? {})))) {
      if (!more_charts.has(name)) {
        more_charts.set(name, new_chart({title: `${name} over ${grid.unit ?? "epochs"}`, height: 15}));
        statistics.append(more_charts.get(name).node);
      }
      more_charts.get(name).update(ranked().slice(0, 20).map((trial, index) => ({color: index % colors, dash: index, label: settings(trial), ...mean_curve(trial.runs.map((run) => run.statistics?.[name] ?? []))})), {kind: grid.unit ?? "epochs"});
    }
  }

  function draw_ranks() {
    const columns = [{key: "rank", title: "rank", numeric: true, value: (trial) => trial.rank}, ...grid.axes.map((axis, index) => ({key: axis, title: axis, value: (trial) => as_value(trial.values[index])})),
      {key: "mean", title: grid.by, numeric: true, value: (trial) => trial.mean}, {key: "deviation", title: "deviation", numeric: true, value: (trial) => trial.deviation},
      {key: "done", title: "runs done", numeric: true, value: (trial) => trial.runs.filter((run) => run.outcome === "done").length}];
    const trials = sorted(ranked(), columns, order);
    const styles = new Map(ranked().map((trial, index) => [trial.trial, index]));
    fill(ranks, element("section", {class: "card"}, element("h2", {}, "Configurations, the best first"), element("div", {class: "table-frame"}, element("table", {},
      heads(columns, order, (next) => { order = next; draw_ranks(); }),
      element("tbody", {}, trials.map((trial) => element("tr", {}, columns.map((column, index) => element("td", {class: column.numeric ? "number" : null}, index === 0 && styles.get(trial.trial) < 20 && [sample({color: styles.get(trial.trial) % colors, dash: styles.get(trial.trial)}), " "], text(column.value(trial)))))))))));
  }

  function draw_rungs() {
    if ((grid.rungs ?? []).length === 0) {
      fill(rungs);
      return;
    }
    const reached = grid.rungs.map((length, rung) => ({length, trials: grid.trials.filter((trial) => (trial.rung ?? -1) >= rung)}));
    const most = Math.max(1, reached[0].trials.length);
    fill(rungs, element("section", {class: "card"}, element("h2", {}, "Rungs of halving"), element("p", {class: "hint"}, "Each rung trains longer; only the best configurations of a rung continue to the next."),
      element("div", {class: "table-frame"}, element("table", {}, element("thead", {}, element("tr", {}, ["rung", grid.unit ?? "epochs", "configurations", "", "the best there"].map((title, index) => element("th", {scope: "col", class: index < 3 ? "number" : null}, title)))),
        element("tbody", {}, reached.map(({length, trials}, rung) => element("tr", {}, element("td", {class: "number"}, rung + 1), element("td", {class: "number"}, number_text(length)), element("td", {class: "number"}, trials.length),
          element("td", {}, element("span", {class: "meter wide"}, element("i", {style: {width: (trials.length / most) * 100 + "%"}}))), element("td", {class: "wrap"}, trials.sort((a, b) => compared(a.rank, b.rank, false)).slice(0, 1).map(settings).join("")))))))));
  }

  function draw_coordinates() {
    const done = grid.trials.flatMap((trial) => trial.runs.filter((run) => Number.isFinite(run.score)).map((run) => ({trial, run})));
    if (done.length < 3 || grid.axes.length === 0) {
      fill(coordinates);
      return;
    }
    const axes = [...grid.axes.map((axis, index) => ({title: axis, values: done.map(({trial}) => as_value(trial.values[index]))})), {title: grid.by, values: done.map(({run}) => run.score)}];
    fill(coordinates, element("section", {class: "card"}, element("h2", {}, `Settings and ${grid.by}`),
      parallel_coordinates(axes, done.map(({trial, run}) => `run ${run.run}, ${settings(trial)}`), source ? (index) => done[index].run.id && (location.hash = "#/run/" + done[index].run.id) : null, grid.better)));
  }

  function draw_failed() {
    const list = grid.trials.flatMap((trial) => trial.runs.filter((run) => run.outcome === "failed" || run.outcome === "refused").map((run) => ({trial, run})));
    fill(failed, list.length > 0 && element("section", {class: "card"}, element("h2", {}, "Runs that failed"), list.map(({trial, run}) => element("p", {class: "notice"}, run_link(run, `Run ${run.run}`), ` (${settings(trial)}): ${run.reason}`))));
  }

  function draw_runs() {
    const columns = [{key: "run", title: "run", numeric: true, value: ({run}) => run.run}, ...grid.axes.map((axis, index) => ({key: axis, title: axis, value: ({trial}) => as_value(trial.values[index])})), {key: "outcome", title: "outcome", value: ({run}) => run.outcome || "not begun"},
      {key: "score", title: grid.by, numeric: true, value: ({run}) => run.score}, {key: "seconds", title: "time", numeric: true, value: ({run}) => run.seconds, text: duration_text}, {key: "seed", title: "seed", numeric: true, value: ({run}) => run.seed},
      ...[...new Set(grid.trials.flatMap((trial) => trial.runs.flatMap((run) => Object.keys(run.numbers ?? {}))))].filter((name) => name !== grid.by).map((name) => ({key: "numbers." + name, title: name, numeric: true, value: ({run}) => run.numbers?.[name]})), {key: "node", title: "node", value: ({run}) => run.node}]
      .filter((column) => !["node", "seconds"].includes(column.key) || grid.trials.some((trial) => trial.runs.some((run) => column.value({trial, run}))));
    const rows = sorted(grid.trials.flatMap((trial) => trial.runs.map((run) => ({trial, run}))), columns, run_order);
    fill(all, element("section", {class: "card"}, element("h2", {}, "All runs"), element("div", {class: "table-frame tall"}, element("table", {}, heads(columns, run_order, (next) => { run_order = next; draw_runs(); }),
      element("tbody", {}, rows.slice(0, 2000).map((row) => element("tr", {}, columns.map((column) => element("td", {class: column.numeric ? "number" : null}, column.key === "run" ? run_link(row.run, text(row.run.run)) : column.text ? column.text(column.value(row)) : text(column.value(row)))))))))));
  }

  return {node: element("div", {}, head, best, curves, ranks, rungs, coordinates, statistics, failed, all), update, end: () => {
    chart.end();
    more_charts.forEach((one) => one.end());
  }};
}

/** Numbers are compared as such; the server gives settings as texts. */
function as_value(value) {
  return typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
}

function text(value) {
  return typeof value === "number" ? number_text(value) : value ?? "";
}

function sorted(rows, columns, {key, descending}) {
  const column = columns.find((one) => one.key === key);
  return column === undefined ? rows : rows.slice().sort((a, b) => compared(column.value(a), column.value(b), descending));
}

function heads(columns, {key, descending}, change) {
  return element("thead", {}, element("tr", {}, columns.map((column) => element("th", {scope: "col", class: column.numeric ? "number" : null, "aria-sort": key === column.key ? (descending ? "descending" : "ascending") : null},
    element("button", {type: "button", on: {click: () => change({key: column.key, descending: key === column.key && !descending})}}, column.title)))));
}
