// DOM elements from plain calls: element("button", {class: "act", on: {click: stop}}, "Stop").

const svg_space = "http://www.w3.org/2000/svg";

/** An element. `properties`: attributes, and `on` (listeners), `style`, `data`, `value`, `checked`. */
export function element(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/** An element of a drawing. */
export function drawn(tag, properties = {}, ...children) {
  return filled(document.createElementNS(svg_space, tag), properties, children);
}

function filled(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (name === "style") for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else if (name === "data") Object.assign(node.dataset, value);
    else if (name === "value" || name === "checked" || name === "indeterminate") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(node, child);
    else if (child !== null && child !== undefined && child !== false) node.append(child);
  }
}

/** Replaces the content of `node`. */
export function fill(node, ...children) {
  node.replaceChildren();
  append(node, children);
  return node;
}

const content_keys = new WeakMap();

/** Fills `node` by make() if `key` differs from that of the last time: what did not change keeps focus and selection. */
export function refill(node, key, make) {
  if (content_keys.get(node) === key) return;
  content_keys.set(node, key);
  fill(node, make());
}
