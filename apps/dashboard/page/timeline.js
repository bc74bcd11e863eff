// One piece of a run's trace: the spans of every member on one clock. A click asks for the trace; Perfetto shows all of it.

import {element, drawn, fill} from "./element.js";
import {duration_text} from "./format.js";

const most_spans = 1500;

/** @returns {node} */
export function new_timeline(source, run) {
  const picture = element("div");
  const button = element("button", {type: "button", on: {click: read}}, "Show the last step");
  async function read() {
    button.disabled = true;
    try {
      const rows = last_step(await source.timeline(run.id));
      fill(picture, rows.length > 0 ? drawing(rows) : element("p", {class: "hint"}, "The trace of this run has no spans."));
    } catch (error) {
      fill(picture, element("p", {class: "hint"}, error.message));
    }
    button.disabled = false;
  }
  return {node: element("div", {class: "card"}, element("h2", {}, "Timeline of a step"), element("div", {class: "tools"}, button, element("a", {href: `api/runs/${run.id}/timeline`, download: run.name + ".json"}, "Trace for Perfetto")), picture)};
}

/**
 * The spans of the last step of a trace in Chrome's format: [{name, spans: [{name, begin, length}]}], one row for each
 * thread; times in microseconds. The last step begins where the last span named "step" or "batch" of any thread does;
 * without such spans, the last 200 spans count.
 */
export function last_step(trace) {
  const events = Array.isArray(trace) ? trace : trace.traceEvents ?? [];
  const names = new Map();
  for (const event of events) if (event.ph === "M") names.set(`${event.name}:${event.pid}:${event.name === "thread_name" ? event.tid : ""}`, event.args?.name);
  const spans = events.filter((event) => event.ph === "X" && event.dur >= 0).sort((a, b) => a.ts - b.ts);
  if (spans.length === 0) return [];
  const steps = spans.filter((span) => /^(step|batch)\b/.test(span.name));
  const step = steps.length > 1 ? steps[steps.length - 2] : steps[0];
  const begin = step ? step.ts : spans[Math.max(0, spans.length - 200)].ts;
  const end = step ? step.ts + Math.max(step.dur, 1) : Infinity;
  const rows = new Map();
  for (const span of spans) {
    if (span.ts + span.dur < begin || span.ts > end) continue;
    const id = span.pid + ":" + span.tid;
    if (!rows.has(id)) rows.set(id, {name: [names.get(`process_name:${span.pid}:`), names.get(`thread_name:${span.pid}:${span.tid}`)].filter(Boolean).join(", ") || `${span.pid}.${span.tid}`, spans: []});
    rows.get(id).spans.push({name: span.name, begin: span.ts, length: span.dur});
  }
  return [...rows.values()];
}

function drawing(rows) {
  const all = rows.flatMap((row) => row.spans);
  const begin = Math.min(...all.map((span) => span.begin)), end = Math.max(...all.map((span) => span.begin + span.length), begin + 1);
  const width = 1000, label = 170, row_height = 30;
  const x = (time) => label + ((time - begin) / (end - begin)) * (width - label - 10);
  const kinds = [...new Set(all.map((span) => span.name))];
  return element("div", {class: "timeline"}, drawn("svg", {viewBox: `0 0 ${width} ${rows.length * row_height + 24}`, role: "img", "aria-label": `Timeline of ${rows.length} threads over ${duration_text((end - begin) / 1e6)}`},
    [0, 0.25, 0.5, 0.75, 1].map((share) => drawn("g", {}, drawn("line", {class: "grid", x1: x(begin + share * (end - begin)), x2: x(begin + share * (end - begin)), y1: 0, y2: rows.length * row_height}),
      drawn("text", {x: x(begin + share * (end - begin)), y: rows.length * row_height + 16, "text-anchor": share === 1 ? "end" : "middle"}, share === 0 ? "0" : duration_text((share * (end - begin)) / 1e6)))),
    rows.map((row, index) => drawn("g", {}, drawn("text", {x: 0, y: index * row_height + 19}, row.name.slice(0, 26)),
      row.spans.slice(0, most_spans).map((span) => drawn("rect", {class: "body span-" + (kinds.indexOf(span.name) % 7), x: x(span.begin), y: index * row_height + 4, width: Math.max(1, x(span.begin + span.length) - x(span.begin)), height: row_height - 8, rx: 2}, drawn("title", {}, `${span.name}: ${duration_text(span.length / 1e6)}`)))))),
  element("ul", {class: "share-legend"}, kinds.slice(0, 14).map((kind, index) => element("li", {}, drawn("svg", {width: 14, height: 14, "aria-hidden": "true"}, drawn("rect", {class: "body span-" + (index % 7), width: 14, height: 14})), kind))));
}
