// The controls above charts: horizontal axis, smoothing, logarithmic values. The choice is kept in the address.

import {element} from "./element.js";
import {abscissas} from "./curves.js";
import {set_query} from "./address.js";

/** @returns {node, against, smooth, log} whose values are the present choice; `changed(axis)` is called after each change, with true for another axis */
export function new_curve_tools(query, changed) {
  const choice = {
    against: abscissas.includes(query.get("against")) ? query.get("against") : "batches",
    smooth: Math.min(0.99, Math.max(0, Number(query.get("smooth")) || 0)),
    log: query.get("log") === "yes",
  };
  const said = element("output", {class: "number"}, String(choice.smooth));
  const against = element("select", {on: {change: () => change({against: against.value})}}, abscissas.map((kind) => element("option", {value: kind}, kind === "time" ? "time of day" : kind === "seconds" ? "seconds trained" : kind)));
  against.value = choice.against;
  const smooth = element("input", {type: "range", min: 0, max: 0.99, step: 0.01, value: choice.smooth, on: {input: () => {
    said.textContent = smooth.value;
    change({smooth: Number(smooth.value)});
  }}});
  const log = element("input", {type: "checkbox", checked: choice.log, on: {change: () => change({log: log.checked})}});

  function change(next) {
    const other = "against" in next;
    Object.assign(choice, next);
    set_query({against: choice.against === "batches" ? "" : choice.against, smooth: choice.smooth || "", log: choice.log ? "yes" : ""});
    changed(other);
  }

  const node = element("div", {class: "tools"}, element("label", {}, "Over ", against), element("label", {}, "Smoothing ", smooth, said), element("label", {}, log, " Logarithmic values"));
  return {node, get against() { return choice.against; }, get smooth() { return choice.smooth; }, get log() { return choice.log; }};
}
