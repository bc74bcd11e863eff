// The page's modules that decide without a browser.
//   node --test tests/dashboard/modules.test.mjs

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import test from "node:test";
import * as format from "../../apps/dashboard/page/format.js";
import * as curves from "../../apps/dashboard/page/curves.js";
import {smoothed} from "../../apps/dashboard/page/smoothing.js";
import {parsed_filter, passes, value_of, sorted_runs, grouped_runs} from "../../apps/dashboard/page/run_filter.js";
import {rows_in_view} from "../../apps/dashboard/page/rows_in_view.js";
import {differences, repetitions, flat_config} from "../../apps/dashboard/page/config_difference.js";
import {axis_scale} from "../../apps/dashboard/page/axis_scale.js";
import {spread, spread_text, better, mean_curve} from "../../apps/dashboard/page/statistics.js";
import {last_step} from "../../apps/dashboard/page/timeline.js";
import {color, colors, dash} from "../../apps/dashboard/page/palette.js";
import {server_source} from "../../apps/dashboard/page/source.js";

const run = (fields) => ({id: "a", name: "run", folder: "/runs/digits", problem: "digits", model: "mlp", state: "done", tags: [], records: {}, config: {}, ...fields});

test("numbers have four significant digits, and large ones marks", () => {
  assert.equal(format.number_text(0.123456), "0.1235");
  assert.equal(format.number_text(1234567), "1,234,567");
  assert.equal(format.number_text(12345.678), "12,350");
  assert.equal(format.number_text(1.5e-7), "1.5e-7");
  assert.equal(format.number_text(0), "0");
  assert.equal(format.number_text(NaN), "NaN");
  assert.equal(format.number_text(null), "");
  assert.equal(format.number_text("relu"), "relu");
});

test("durations have two units at most", () => {
  assert.equal(format.duration_text(0.0123), "12.3 ms");
  assert.equal(format.duration_text(4.25), "4.25 s");
  assert.equal(format.duration_text(59.6), "1 min 00 s");
  assert.equal(format.duration_text(184), "3 min 04 s");
  assert.equal(format.duration_text(7500), "2 h 05 min");
  assert.equal(format.duration_text(100000), "1 d 03 h");
  assert.equal(format.duration_text(null), "");
});

test("bytes and shares have units", () => {
  assert.equal(format.bytes_text(512), "512 B");
  assert.equal(format.bytes_text(87031808), "83 MiB");
  assert.equal(format.share_text(0.0512), "5.1 %");
  assert.equal(format.share_text(null), "");
});

test("an age is rough, and a date after a day", () => {
  assert.equal(format.age_text(0, 1000), "now");
  assert.equal(format.age_text(0, 12000), "12 s ago");
  assert.equal(format.age_text(0, 184000), "3 min ago");
  assert.match(format.age_text(0, 200000000), /^19(69|70)-/);
});

test("settings are written as in YAML's flow style", () => {
  assert.equal(format.setting_text([64, [1, 2]]), "[64, [1, 2]]");
  assert.equal(format.setting_text({a: 1, b: "x"}), "{a: 1, b: x}");
});

test("a smoothed point is the weighted mean of the points up to it", () => {
  assert.deepEqual(smoothed([1, 3], 0.5), [1, (0.5 * 1 + 3) / 1.5]);
  assert.deepEqual(smoothed([1, 3], 0), [1, 3]);
});

test("a constant curve stays constant when it is smoothed", () => {
  for (const value of smoothed(new Array(50).fill(2), 0.9)) assert.ok(Math.abs(value - 2) < 1e-12);
});

test("a value that is not finite does not spoil the smoothed ones after it", () => {
  const values = smoothed([1, NaN, null, 1], 0.9);
  assert.ok(Number.isNaN(values[1]));
  assert.equal(values[2], null);
  assert.ok(Math.abs(values[3] - 1) < 1e-12);
});

test("losses share a panel, accuracies share one, and private records have none", () => {
  const panels = curves.panels(["training_loss", "validation_accuracy", "_hist_w", "control", "time_train_total", "learning_rate", "validation_loss", "unix_time"]);
  assert.deepEqual(panels.map((panel) => panel.title), ["loss", "accuracy", "learning_rate", "time_train_total"]);
  assert.deepEqual(panels[0].records, ["training_loss", "validation_loss"]);
});

test("a panel has training first and the test last, whatever comes first", () => {
  assert.deepEqual(curves.panels(["test_loss", "validation_loss", "batch_loss", "training_loss"])[0].records, ["training_loss", "validation_loss", "batch_loss", "test_loss"]);
});

test("a row lies on each axis where the run's lengths say", () => {
  const row = {batch: 640, epoch: 2, seconds: 3.5, time: "1970-01-01T00:00:10.000Z"};
  const of = {batches_per_epoch: 320, batch_size: 64};
  assert.deepEqual(curves.abscissas.map((kind) => curves.place_of(row, kind, of)), [640, 2, 40960, 3.5, 10000]);
  assert.equal(curves.place_of(row, "epochs", {}), 2);
});

test("new rows extend the curves of their worker, and leave the old curves as they were", () => {
  const old = {training_loss: {x: [1], y: [0.5]}};
  const rows = [{batch: 2, worker: 0, records: {training_loss: 0.4, saved_to: "a"}}, {batch: 2, worker: 1, records: {training_loss: "NaN"}}];
  const grown = curves.with_rows(old, rows, "batches", {});
  assert.deepEqual(old.training_loss.x, [1]);
  assert.deepEqual(grown.training_loss, {x: [1, 2], y: [0.5, 0.4]});
  assert.deepEqual(grown["training_loss@1"], {x: [2], y: [NaN]});
  assert.equal(grown.saved_to, undefined);
});

test("a curve that grows without end keeps a bounded number of points", () => {
  let lines = {};
  for (let batch = 0; batch < 1000; ++batch) lines = curves.with_rows(lines, [{batch, worker: 0, records: {loss: batch % 7}}], "batches", {}, 100);
  assert.ok(lines.loss.x.length <= 101);
  assert.equal(lines.loss.x.at(-1), 999);
  assert.equal(lines.loss.decimated, true);
});

test("thinning keeps the ends and every peak", () => {
  const x = Array.from({length: 10000}, (_, index) => index), y = x.map(() => 1);
  y[4321] = 50;
  y[8765] = -50;
  const kept = curves.thinned(x, y, 200);
  assert.ok(kept.x.length <= 202);
  assert.equal(kept.x[0], 0);
  assert.equal(kept.x.at(-1), 9999);
  assert.ok(kept.y.includes(50) && kept.y.includes(-50));
});

test("a more exact part replaces the points of its range only", () => {
  const whole = {x: [0, 10, 20, 30], y: [0, 1, 2, 3]};
  assert.deepEqual(curves.spliced(whole, {x: [10, 15, 20], y: [1, 1.5, 2]}, 10, 20), {x: [0, 10, 15, 20, 30], y: [0, 1, 1.5, 2, 3]});
  assert.deepEqual(curves.spliced(whole, {x: [], y: []}, 40, 50), whole);
});

test("rows of a chart are in order of x, with gaps where a curve has no point", () => {
  assert.deepEqual(curves.rows_of([{x: [2, 1], y: [20, 10]}, {x: [1, 3], y: [5, 6]}]), [[1, 10, 5], [2, 20, null], [3, null, 6]]);
});

test("a filter's words all have to hold", () => {
  const one = run({name: "lenet-1", tags: ["baseline"], config: {"optimizer.learning_rate": 0.01, "model.hidden": "[64]"}, records: {validation_loss: 0.2}});
  const selects = (text) => passes(one, parsed_filter(text));
  assert.ok(selects(""));
  assert.ok(selects("lenet state:done tag:baseline"));
  assert.ok(selects("learning_rate<0.02 validation_loss<=0.2"));
  assert.ok(selects("optimizer.learning_rate=1e-2"));
  assert.ok(selects("hidden~64 -mlp2"));
  assert.ok(!selects("learning_rate<0.01"));
  assert.ok(!selects("state:failed"));
  assert.ok(!selects("-lenet"));
  assert.ok(!selects("seed=1"));
  assert.ok(selects("seed!=1"));
});

test("a filter's quotes keep words together", () => {
  assert.deepEqual(parsed_filter('"two words" x').map((condition) => condition.value), ["two words", "x"]);
});

test("a value is found by its whole name, its end, and as the best one", () => {
  const one = run({config: {"optimizer.name": "adam", "model.name": "mlp"}, records: {training_loss: 1}, best: {training_loss: {value: 0.5}}});
  assert.equal(value_of(one, "optimizer.name"), "adam");
  assert.equal(value_of(one, "training_loss"), 1);
  assert.equal(value_of(one, "best.training_loss"), 0.5);
  assert.equal(value_of(one, "unknown"), undefined);
});

test("sorting puts missing values last in both directions, and is stable", () => {
  const runs = [run({id: "a"}), run({id: "b", records: {loss: 2}}), run({id: "c", records: {loss: 1}}), run({id: "d", records: {loss: 2}})];
  assert.deepEqual(sorted_runs(runs, "loss", false).map((one) => one.id), ["c", "b", "d", "a"]);
  assert.deepEqual(sorted_runs(runs, "loss", true).map((one) => one.id), ["b", "d", "c", "a"]);
});

test("groups are in the order of numbers, not of texts", () => {
  const runs = [10, 9, 10].map((epochs, index) => run({id: String(index), config: {"training.epochs": epochs}}));
  assert.deepEqual(grouped_runs(runs, "training.epochs").map((group) => [group.value, group.runs.length]), [[9, 1], [10, 2]]);
});

test("only the rows in view have elements", () => {
  const view = rows_in_view(10000, 38, 38 * 5000, 600, 8);
  assert.ok(view.end - view.begin < 40);
  assert.ok(view.begin <= 5000 && view.end > 5015);
  assert.equal(view.before + (view.end - view.begin) * 38 + view.after, 10000 * 38);
  assert.deepEqual(rows_in_view(3, 38, 5000, 600), {begin: 3, end: 3, before: 114, after: 0});
});

test("differences of configurations are the keys whose values differ", () => {
  assert.deepEqual(differences([{a: 1, b: [1]}, {a: 1, b: [2], c: 0}]), [{key: "b", values: [[1], [2]]}, {key: "c", values: [undefined, 0]}]);
});

test("repetitions differ in nothing but the seed", () => {
  const groups = repetitions([{a: 1, "training.seed": 1}, {a: 2, "training.seed": 1}, {a: 1, "training.seed": 2}]);
  assert.deepEqual(groups.map((group) => group.members), [[0, 2], [1]]);
});

test("a tree of settings becomes flat, and its lists stay", () => {
  assert.deepEqual(flat_config({model: {name: "mlp", hidden: [64]}, none: {}}), {"model.name": "mlp", "model.hidden": [64], none: {}});
});

test("an axis of numbers is logarithmic where they span a factor of twenty", () => {
  const scale = axis_scale([0.001, 0.1]);
  assert.ok(scale.logarithmic);
  assert.ok(Math.abs(scale.place(0.01) - 0.5) < 1e-12);
  const linear = axis_scale([1, 3]);
  assert.ok(!linear.logarithmic);
  assert.deepEqual([1, 2, 3].map(linear.place), [0, 0.5, 1]);
  assert.equal(axis_scale([-1, 100]).logarithmic, false);
});

test("an axis of one value or of texts has a place for each", () => {
  assert.equal(axis_scale([5, 5]).place(5), 0.5);
  const texts = axis_scale(["[64]", "[8]", undefined]);
  assert.equal(texts.place(undefined), null);
  assert.deepEqual(texts.ticks.map((tick) => tick.value), ["[8]", "[64]"]);
});

test("a value that is not finite has no place on an axis", () => {
  assert.equal(axis_scale([1, 2]).place(NaN), null);
});

test("the deviation is that of a sample", () => {
  const of = spread([1, 3, NaN, null]);
  assert.equal(of.count, 2);
  assert.equal(of.mean, 2);
  assert.ok(Math.abs(of.deviation - Math.SQRT2) < 1e-12);
  assert.ok(Number.isNaN(spread([1]).deviation));
  assert.equal(spread_text(of, (value) => value.toFixed(1)), "2.0 ± 1.4 (2)");
  assert.equal(spread_text(spread([]), String), "");
});

test("names say which values are better", () => {
  assert.deepEqual(["validation_loss", "test_accuracy", "learning_rate"].map(better), ["min", "max", ""]);
});

// WCAG's contrast of two colors.
function contrast(first, second) {
  const luminance = (text) => {
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [light, dark] = [luminance(first), luminance(second)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

test("each curve's color has a contrast of 3:1 to its card", () => {
  for (let number = 0; number < colors; ++number) {
    assert.ok(contrast(color(number, false), "#ffffff") >= 3, color(number, false));
    assert.ok(contrast(color(number, true), "#181d26") >= 3, color(number, true));
  }
});

test("curves of the same color differ in their line type", () => {
  const looks = new Set(Array.from({length: 24}, (_, index) => color(index % colors, false) + String(dash(index))));
  assert.equal(looks.size, 24);
});

test("each text has a contrast of 4.5:1 to what it stands on, light and dark", () => {
  const css = readFileSync(new URL("../../apps/dashboard/page/theme.css", import.meta.url), "utf8");
  const pairs = [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)];
  for (const [place, theme] of ["light", "dark"].entries()) {
    const variables = Object.fromEntries(pairs.map(([, name, ...values]) => [name, values[place]]));
    for (const text of ["text", "soft", "accent", "training", "done", "failed", "lost", "paused", "queued"])
      for (const ground of ["ground", "card", "raised", ...(["text", "soft", "accent"].includes(text) ? ["accent-ground"] : [])])
        assert.ok(contrast(variables[text], variables[ground]) >= 4.5, `${theme}: ${text} on ${ground} is ${contrast(variables[text], variables[ground]).toFixed(2)}`);
    assert.ok(contrast(variables["on-accent"], variables.accent) >= 4.5, `${theme}: on-accent`);
    assert.ok(contrast(variables["line-strong"], variables.card) >= 3, `${theme}: borders of fields`);
  }
});

test("the last step of a trace has the spans of every thread that touch it", () => {
  const span = (name, pid, ts, dur) => ({ph: "X", name, pid, tid: 1, ts, dur});
  const rows = last_step({traceEvents: [{ph: "M", name: "process_name", pid: 1, args: {name: "worker-0"}}, span("step", 1, 0, 10), span("read", 2, 2, 3), span("step", 1, 20, 10), span("gate", 2, 25, 2), span("step", 1, 40, 10)]});
  assert.deepEqual(rows.map((row) => [row.name, row.spans.map((one) => one.name)]), [["worker-0", ["step"]], ["2.1", ["gate"]]]);
  const cut = last_step([span("epoch 1", 1, 0, 90), span("step 1", 1, 0, 10), span("step 2", 1, 10, 10), span("push", 2, 8, 4), span("step 3", 1, 20, 10)]);
  assert.deepEqual(cut.map((row) => row.spans.map((one) => [one.name, one.begin, one.length])), [[["step 2", 10, 10]], [["push", 10, 2]]]);

  assert.deepEqual(last_step({traceEvents: []}), []);
});

test("a mean curve has the deviation over its runs, and none where only one has a point", () => {
  const curve = mean_curve([[[0, 1], [1, 3]], [[0, 3]]]);
  assert.deepEqual(curve.x, [0, 1]);
  assert.deepEqual(curve.y, [2, 3]);
  assert.ok(Math.abs(curve.high[0] - 2 - Math.SQRT2) < 1e-12);
  assert.equal(curve.low[1], 3);
});

/** A source whose dashboard answers when the test says so: `answers` are the pending requests, `tell` sends an event. */
async function source_in_slow_motion(t) {
  const answers = [], listeners = new Map();
  t.mock.method(globalThis, "fetch", (path) => path === "api/session" ? Promise.resolve({ok: true, json: async () => ({})})
    : new Promise((answer) => answers.push((runs) => answer({ok: true, json: async () => ({common: {}, runs})}))));
  globalThis.EventSource = class {
    addEventListener(name, act) { listeners.set(name, (data) => act({data: JSON.stringify(data)})); }
    close() {}
  };
  t.after(() => delete globalThis.EventSource);
  const source = await server_source();
  let shown = [];
  source.watch_runs((runs) => { shown = runs.map((one) => `${one.id} ${one.epochs}`); });
  const settle = (milliseconds = 0) => new Promise((done) => setTimeout(done, milliseconds));
  await settle(50); // it listens to events then
  return {answers, settle, shown: () => shown, tell: (name, data) => listeners.get(name)(data)};
}

test("a change that comes before an older answer is shown", async (t) => {
  const {answers, settle, shown, tell} = await source_in_slow_motion(t);
  tell("runs", {runs: [{id: "a", epochs: 3}], gone: ["b"]});
  answers.shift()([{id: "a", epochs: 2}, {id: "b", epochs: 1}]);
  await settle();
  assert.deepEqual(shown(), ["a 3"]);
});

test("a run that comes before an answer without it is asked for", async (t) => {
  const {answers, settle, shown, tell} = await source_in_slow_motion(t);
  tell("runs", {runs: [{id: "b", epochs: 1}]});
  answers.shift()([{id: "a", epochs: 2}]);
  await settle();
  answers.shift()([{id: "a", epochs: 2}, {id: "b", epochs: 1}]);
  await settle();
  assert.deepEqual(shown(), ["a 2", "b 1"]);
});

test("runs are asked for again if the connection opens before they are answered", async (t) => {
  const {answers, settle, shown, tell} = await source_in_slow_motion(t);
  tell("hello", {});
  answers.shift()([{id: "a", epochs: 2}]);
  await settle();
  answers.shift()([{id: "a", epochs: 3}]);
  await settle();
  assert.deepEqual(shown(), ["a 3"]);
  assert.equal(answers.length, 0);
});
