// Parts of a page of which one is seen: left and right arrows move between their names.

import {element, fill} from "./element.js";

/**
 * @param parts [{name, title, node() -> element}]: a part is made when it is first seen
 * @returns {node, show(name)}
 */
export function new_tabs(parts, first, changed) {
  const made = new Map();
  const panel = element("div", {role: "tabpanel", id: "panel", tabindex: "-1"});
  const buttons = parts.map((part) => element("button", {type: "button", role: "tab", "aria-controls": "panel", id: "tab-" + part.name,
    on: {click: () => show(part.name)}}, part.title));
  const bar = element("div", {class: "tabs", role: "tablist", on: {keydown: (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    const at = buttons.indexOf(event.target);
    if (step === undefined || at < 0) return;
    const next = (at + step + buttons.length) % buttons.length;
    show(parts[next].name);
    buttons[next].focus();
    event.preventDefault();
  }}}, buttons);

  function show(name) {
    const at = Math.max(0, parts.findIndex((part) => part.name === name));
    const part = parts[at];
    buttons.forEach((button, index) => {
      button.setAttribute("aria-selected", String(index === at));
      button.tabIndex = index === at ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", "tab-" + part.name);
    if (!made.has(part.name)) made.set(part.name, part.node());
    fill(panel, made.get(part.name));
    changed?.(part.name);
  }

  show(first);
  return {node: element("div", {}, bar, panel), show};
}
