// Several runs together: their curves, what their configurations differ in, and results over repetitions.

import {element, fill} from "./element.js";
import {number_text, setting_text} from "./format.js";
import {panels} from "./curves.js";
import {smoothed} from "./smoothing.js";
import {colors} from "./palette.js";
import {new_chart, sample, shared_view} from "./chart.js";
import {new_run_lines} from "./run_lines.js";
import {new_curve_tools} from "./curve_tools.js";
import {differences, repetitions} from "./config_difference.js";
import {spread, spread_text, better} from "./statistics.js";
import {parallel_coordinates} from "./parallel.js";
import {state_chip} from "./runs_table.js";
import {run_address} from "./address.js";

/** The page. Runs are those of the address: ?runs=a,b. */
export function compare_page(source, query) {
  const ids = (query.get("runs") ?? "").split(",").filter(Boolean).map(decodeURIComponent);
  const content = element("div", {}, element("p", {class: "hint"}, "Reading the runs…"));
  const node = element("div", {}, element("h1", {tabindex: "-1"}, ids.length > 0 ? `Compare ${ids.length} runs` : "Compare"), content);
  const charts = new Map();
  let stops = [];
  if (ids.length === 0)
    fill(content, element("div", {class: "empty-page"}, element("h2", {}, "No run is chosen"), element("p", {class: "hint"}, "Choose two or more in the table of runs, then press Compare."), element("p", {}, element("a", {href: "#/"}, "To the runs"))));
  else load();

  async function load() {
    const found = await Promise.allSettled(ids.map((id) => source.run(id)));
    const runs = found.filter((one) => one.status === "fulfilled").map((one) => one.value);
    if (runs.length === 0) {
      fill(content, element("p", {class: "notice"}, "None of these runs is known to this dashboard any more."));
      return;
    }
    const labels = run_labels(runs);
    const view = shared_view();
    const lines = runs.map((run) => new_run_lines(source, run, draw));
    const tools = new_curve_tools(query, (other_axis) => {
      if (other_axis) {
        view.show(null);
        lines.forEach((line) => line.use(tools.against));
      } else draw();
    });
    let planned = false;
    const leave = view.join({shown: () => lines.forEach((line) => line.zoom(view.window))});
    stops = [leave, ...lines.map((line) => line.end)];
    lines.forEach((line) => line.use(tools.against));
    const frame = element("div", {class: "charts"});
    fill(content, runs.length < ids.length && element("p", {class: "notice"}, `${ids.length - runs.length} of these runs are not known to this dashboard any more.`),
      tools.node, frame, element("div", {class: "card"}, element("h2", {}, "Settings and results"), comparison(runs, labels)),
      results(runs), coordinates(runs, labels));

    function draw() {
      if (planned) return;
      planned = true;
      requestAnimationFrame(() => {
        planned = false;
        draw_now();
      });
    }

    function draw_now() {
      const all = lines.map((line) => line.lines);
      // Of a cluster's or several workers' runs, the curves of the first worker.
      const names = [...new Set(all.flatMap((line) => Object.keys(line)))].filter((name) => !name.includes("@") && !name.startsWith("time_") && all.some((line) => (line[name]?.x.length ?? 0) > 1));
      for (const record of panels(names).flatMap((panel) => panel.records)) {
        if (!charts.has(record)) {
          charts.set(record, new_chart({title: record, view, height: 16}));
          frame.append(charts.get(record).node);
        }
        const curves = runs.flatMap((run, index) => {
          const points = all[index][record];
          if (points === undefined) return [];
          const curve = {label: labels[index], color: index % colors, dash: index, x: points.x, y: smoothed(points.y, tools.smooth)};
          return tools.smooth > 0 ? [{...curve, y: points.y, pale: true}, curve] : [curve];
        });
        charts.get(record).update(curves, {kind: tools.against, log: tools.log});
      }
    }
  }

  return {node, title: "Compare", end: () => {
    stops.forEach((stop) => stop());
    charts.forEach((chart) => chart.end());
  }};
}

/** Short names that tell runs apart: the settings in which they differ, or their own names. */
export function run_labels(runs) {
  const varying = differences(runs.map((run) => run.config)).filter(({key}) => !/^(run|cluster|extensions)\.|^training\.seed$/.test(key));
  if (varying.length === 0 || varying.length > 3) return runs.map((run) => run.name);
  return runs.map((run, index) => varying.map(({key, values}) => `${key.split(".").pop()} ${setting_text(values[index]) || "not set"}`).join(", "));
}

function comparison(runs, labels) {
  const rows = differences(runs.map((run) => run.config));
  const records = [...new Set(runs.flatMap((run) => Object.keys(run.records ?? {})))].filter((name) => panels([name]).length > 0 && !name.startsWith("time_"));
  const cells = (values, mark) => values.map((value) => element("td", {class: typeof value === "number" ? "number" : null, ...(mark?.(value) ? {style: {"font-weight": 700}} : {})}, typeof value === "number" ? number_text(value) : value === undefined ? element("span", {class: "soft"}, "not set") : setting_text(value)));
  return element("div", {class: "table-frame"}, element("table", {},
    element("thead", {}, element("tr", {}, element("th", {scope: "col"}, ""), runs.map((run, index) => element("th", {scope: "col"}, sample({color: index % colors, dash: index}), " ", element("a", {href: run_address(run.id), title: labels[index]}, run.name))))),
    element("tbody", {}, element("tr", {}, element("th", {scope: "row"}, "state"), runs.map((run) => element("td", {}, state_chip(run.state)))),
      rows.map(({key, values}) => element("tr", {class: "different"}, element("th", {scope: "row"}, key), cells(values))),
      rows.length === 0 && element("tr", {}, element("td", {colspan: runs.length + 1, class: "soft"}, "Their configurations are the same.")),
      records.map((record) => {
        const values = runs.map((run) => run.records?.[record]);
        const best = best_of(values, better(record));
        return element("tr", {}, element("th", {scope: "row"}, record), cells(values, (value) => typeof value === "number" && value === best));
      }))));
}

function best_of(values, way) {
  const finite = values.filter((value) => typeof value === "number" && Number.isFinite(value));
  if (finite.length < 2 || way === "") return undefined;
  return way === "min" ? Math.min(...finite) : Math.max(...finite);
}

function results(runs) {
  const groups = repetitions(runs.map((run) => run.config));
  if (groups.every((group) => group.members.length < 2)) return null;
  const records = [...new Set(runs.flatMap((run) => Object.keys(run.records ?? {})))].filter((name) => /(loss|accuracy|r2)$/.test(name) && !name.startsWith("_"));
  return element("div", {class: "card"}, element("h2", {}, "Mean and deviation over repetitions"), element("div", {class: "table-frame"}, element("table", {},
    element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "configuration"), element("th", {scope: "col", class: "number"}, "runs"), records.map((record) => element("th", {scope: "col", class: "number"}, record)))),
    element("tbody", {}, groups.map((group) => element("tr", {}, element("td", {}, group.settings.map(({key, value}) => `${key} ${setting_text(value) || "not set"}`).join(", ") || "all the same"),
      element("td", {class: "number"}, group.members.length),
      records.map((record) => element("td", {class: "number"}, spread_text(spread(group.members.map((index) => runs[index].records?.[record])), number_text)))))))));
}

function coordinates(runs, labels) {
  const varying = differences(runs.map((run) => run.config)).filter(({key}) => !/^(run|cluster)\.|^training\.seed$/.test(key)).slice(0, 7);
  const result = ["validation_loss", "validation_accuracy", "training_loss"].find((record) => runs.some((run) => typeof run.records?.[record] === "number"));
  if (runs.length < 3 || varying.length === 0 || result === undefined) return null;
  return element("div", {class: "card"}, element("h2", {}, "Settings and " + result), parallel_coordinates(
    [...varying.map(({key, values}) => ({title: key.split(".").slice(-2).join("."), values})), {title: result, values: runs.map((run) => run.records?.[result])}],
    labels, (index) => { location.hash = run_address(runs[index].id); }, better(result)));
}
