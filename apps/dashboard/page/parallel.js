// Parallel coordinates: a line for each run through the settings in which runs differ, to its result. Lines are
// colored by the result, and a darker color is not all: the axes carry the values.

import {element, drawn} from "./element.js";
import {axis_scale} from "./axis_scale.js";
import {number_text, setting_text} from "./format.js";
import {ramp} from "./palette.js";
import {is_dark} from "./theme.js";

/**
 * @param axes [{title, values: one for each line}]; the last one colors the lines
 * @param names of the lines; @param open(index) what a click does
 */
export function parallel_coordinates(axes, names, open, better = "") {
  const node = element("div", {class: "parallel"});
  let drawn_width = 0;
  // As wide as its place, so that its texts keep their size.
  const draw = () => {
    const width = Math.max(480, axes.length * 120, Math.floor(node.clientWidth));
    if (width === drawn_width || node.clientWidth === 0) return;
    drawn_width = width;
    node.replaceChildren(drawing(axes, names, open, better, width));
  };
  new ResizeObserver(draw).observe(node);
  return node;
}

function drawing(axes, names, open, better, width) {
  const height = 300, left = 70, right = 90, top = 34, bottom = 18;
  const scales = axes.map((axis) => axis_scale(axis.values));
  const x = (axis) => (axes.length === 1 ? width / 2 : left + (axis * (width - left - right)) / (axes.length - 1));
  const y = (place) => top + (1 - place) * (height - top - bottom);
  const last = axes.length - 1;
  const dark = is_dark();

  const lines = names.map((name, line) => {
    const places = axes.map((axis, at) => scales[at].place(axis.values[line]));
    const path = places.map((place, at) => (place === null ? null : `${x(at).toFixed(1)},${y(place).toFixed(1)}`)).filter((point) => point !== null);
    if (path.length < 2) return null;
    const result = places[last];
    const title = name + ": " + axes.map((axis) => `${axis.title} ${text_of(axis.values[line])}`).join(", ");
    const visible = drawn("polyline", {class: "line", points: path.join(" "), stroke: result === null ? "#888888" : ramp(better === "max" ? result : 1 - result, dark)});
    const act = {on: {click: () => open?.(line), mouseenter: () => visible.classList.add("strong"), mouseleave: () => visible.classList.remove("strong")}};
    return {result: result ?? -1, node: drawn("g", {}, visible, drawn("polyline", {class: "hit", points: path.join(" "), ...act}, drawn("title", {}, title)))};
  }).filter((line) => line !== null).sort((a, b) => (better === "max" ? a.result - b.result : b.result - a.result));

  return drawn("svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Parallel coordinates of ${names.length} runs over ${axes.map((axis) => axis.title).join(", ")}`},
    lines.map((line) => line.node),
    axes.map((axis, at) => drawn("g", {class: "axis"}, drawn("line", {x1: x(at), x2: x(at), y1: top, y2: height - bottom}),
      drawn("text", {x: x(at), y: 14, "text-anchor": at === 0 ? "start" : at === last ? "end" : "middle", dx: at === 0 ? -left + 6 : at === last ? right - 6 : 0, "font-weight": 600}, short(axis.title) + (scales[at].logarithmic ? " (log)" : "")),
      apart(scales[at].ticks, 14 / (height - top - bottom)).map((tick) => drawn("text", {class: "tick", x: x(at) + (at === 0 ? -8 : 8), y: y(tick.place) + 4, "text-anchor": at === 0 ? "end" : "start"}, text_of(tick.value))))));
}

// Ticks whose texts do not overlap, from the greatest on.
function apart(ticks, distance) {
  const kept = [];
  for (const tick of ticks.slice().sort((a, b) => b.place - a.place)) if (kept.length === 0 || kept[kept.length - 1].place - tick.place >= distance) kept.push(tick);
  return kept;
}

function text_of(value) {
  return typeof value === "number" ? number_text(value, 3) : value === undefined ? "not set" : setting_text(value);
}

function short(title) {
  const end = title.length > 20 ? title.split(".").pop() : title;
  return end.length > 22 ? "…" + end.slice(-21) : end;
}
