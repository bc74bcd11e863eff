// Shares of a whole as one bar with a legend: each part has a color and a pattern of its own, and its number.

import {element, drawn} from "./element.js";
import {duration_text, share_text} from "./format.js";

/** @param parts [{name, seconds}] */
export function step_shares(parts) {
  const whole = parts.reduce((sum, part) => sum + Math.max(0, part.seconds), 0);
  const share = (part) => (whole > 0 ? Math.max(0, part.seconds) / whole : 0);
  return element("div", {}, element("div", {class: "shares", role: "img", "aria-label": parts.map((part) => `${part.name} ${share_text(share(part))}`).join(", ")},
    parts.map((part, index) => share(part) > 0 && element("span", {style: {flex: `${share(part)} 0 0`, display: "flex"}, title: part.name}, field(index, "100%", "100%")))),
  element("ul", {class: "share-legend"}, parts.map((part, index) => element("li", {}, field(index, 16, 16), part.name + " ", element("strong", {}, share_text(share(part)) || "0 %"), element("span", {class: "soft"}, " " + duration_text(part.seconds))))));
}

/** A field of a color, with stripes whose distance and slope tell it apart without color. */
export function field(index, width, height) {
  const id = `stripes-${++fields}`;
  const distance = [0, 6, 9, 4, 7, 5][index % 6];
  return drawn("svg", {class: "fill-" + (index % 7), width, height, "aria-hidden": "true"},
    distance > 0 && drawn("defs", {}, drawn("pattern", {id, width: distance, height: distance, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${index * 45})`}, drawn("rect", {class: "stripe", width: distance / 3, height: distance}))),
    drawn("rect", {class: "body", width: "100%", height: "100%"}), distance > 0 && drawn("rect", {width: "100%", height: "100%", fill: `url(#${id})`}));
}

let fields = 0;
