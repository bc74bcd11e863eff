// One step of a run's trace: the spans of every member on one clock. A click asks for the trace; Perfetto shows all of it.

import {element, drawn, fill} from "./element.js";
import {duration_text} from "./format.js";

const most_spans = 1500;
const is_step = (name) => /^step\b/.test(name);

const traced_steps = 100;

/**
 * @param members the ids of the runs whose steps it can order to be traced
 * @returns {node}
 */
export function new_timeline(source, run, members = () => [run.id]) {
  const picture = element("div");
  const button = element("button", {type: "button", on: {click: read}}, "Show the last step");
  const tracing = source.may?.("attach") && element("button", {type: "button", on: {click: trace}}, `Trace ${traced_steps} steps`);
  async function read() {
    button.disabled = true;
    try {
      const rows = last_step(await source.timeline(run.id));
      fill(picture, rows.length > 0 ? drawing(rows) : element("p", {class: "hint"}, "No step of this run has been traced. ", element("code", {}, "extensions: {trace: {}}"), " in its configuration traces the first ones, ", element("code", {}, "troupe ctl RUN attach trace"), " the next ones."));
    } catch (error) {
      fill(picture, element("p", {class: "hint"}, error.message));
    }
    button.disabled = false;
  }
  // The members trace the steps that follow, in files beside their logs.
  async function trace() {
    tracing.disabled = true;
    try {
      const answers = await Promise.all(members().map((id) => source.act(id, `attach trace steps=${traced_steps}`)));
      const refusal = answers.find((answer) => !answer.ok);
      fill(picture, element("p", {class: "hint"}, refusal ? refusal.lines.join(" ") : `The next ${traced_steps} steps are traced.`));
    } catch (error) {
      fill(picture, element("p", {class: "hint"}, error.message));
    }
    tracing.disabled = false;
  }
  return {node: element("div", {class: "card"}, element("h2", {}, "Timeline of a step"), element("div", {class: "tools"}, button, tracing, element("a", {href: `api/runs/${run.id}/timeline`, download: run.name + ".json"}, "Trace for Perfetto")), picture)};
}

/**
 * The spans of the last whole step of a trace in Chrome's format: [{pid, tid, name, spans: [{name, begin, length}]}], one row for
 * each thread; times in microseconds, spans cut where the step begins and ends. Nothing if no step was traced.
 */
export function last_step(trace) {
  const events = Array.isArray(trace) ? trace : trace.traceEvents ?? [];
  const names = new Map();
  for (const event of events) if (event.ph === "M") names.set(`${event.name}:${event.pid}:${event.name === "thread_name" ? event.tid : ""}`, event.args?.name);
  const spans = events.filter((event) => event.ph === "X" && event.dur >= 0 && !/^epochs? /.test(event.name)).sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  const steps = spans.filter((span) => is_step(span.name));
  if (steps.length === 0) return [];
  const step = steps[Math.max(0, steps.length - 2)]; // the last one may have begun after the others ended
  const begin = step.ts, end = step.ts + Math.max(step.dur, 1);
  const rows = new Map();
  for (const span of spans) {
    const from = Math.max(span.ts, begin), to = Math.min(span.ts + span.dur, end);
    if (from > to || (from === to && span.dur > 0)) continue;
    const id = span.pid + ":" + span.tid;
    if (!rows.has(id)) rows.set(id, {pid: span.pid, tid: span.tid, name: [names.get(`process_name:${span.pid}:`), names.get(`thread_name:${span.pid}:${span.tid}`)].filter(Boolean).join(", ") || `${span.pid}.${span.tid}`, spans: []});
    rows.get(id).spans.push({name: span.name, begin: from, length: to - from});
  }
  return [...rows.values()].sort((a, b) => a.pid - b.pid || a.tid - b.tid);
}

function drawing(rows) {
  const all = rows.flatMap((row) => row.spans);
  const begin = Math.min(...all.map((span) => span.begin)), end = Math.max(...all.map((span) => span.begin + span.length), begin + 1);
  const width = 1000, label = 230, row_height = 30;
  const x = (time) => label + ((time - begin) / (end - begin)) * (width - label - 10);
  const kinds = [...new Set(all.map((span) => span.name))].filter((name) => !is_step(name)).sort((a, b) => /^waits/.test(a) - /^waits/.test(b));
  const look = (name) => (is_step(name) ? "step" : "body span-" + (/^waits/.test(name) ? 6 : kinds.indexOf(name) % 6));
  return element("div", {class: "timeline"}, drawn("svg", {viewBox: `0 0 ${width} ${rows.length * row_height + 24}`, role: "img", "aria-label": `Timeline of ${rows.length} threads over ${duration_text((end - begin) / 1e6)}`},
    [0, 0.25, 0.5, 0.75, 1].map((share) => drawn("g", {}, drawn("line", {class: "grid", x1: x(begin + share * (end - begin)), x2: x(begin + share * (end - begin)), y1: 0, y2: rows.length * row_height}),
      drawn("text", {x: x(begin + share * (end - begin)), y: rows.length * row_height + 16, "text-anchor": share === 1 ? "end" : "middle"}, share === 0 ? "0" : duration_text((share * (end - begin)) / 1e6)))),
    rows.map((row, index) => drawn("g", {}, drawn("text", {x: 0, y: index * row_height + 19}, row.name.slice(0, 38)),
      row.spans.slice(0, most_spans).map((span) => drawn("rect", {class: look(span.name), x: x(span.begin), y: index * row_height + 4, width: Math.max(1, x(span.begin + span.length) - x(span.begin)), height: row_height - 8, rx: 2}, drawn("title", {}, `${span.name}: ${duration_text(span.length / 1e6)}`)))))),
  element("ul", {class: "share-legend"}, kinds.slice(0, 14).map((kind) => element("li", {}, drawn("svg", {width: 14, height: 14, "aria-hidden": "true"}, drawn("rect", {class: look(kind), width: 14, height: 14})), kind))));
}
