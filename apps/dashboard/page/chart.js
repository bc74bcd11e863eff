// One chart of curves, drawn by dygraphs, with a legend of our own: a click hides a curve, the pointer or the arrow
// keys read values, dragging zooms, double click, `0` or Escape shows all again. A zoom stays while the curves grow.

import {element, drawn, fill} from "./element.js";
import {number_text, date_text, duration_text} from "./format.js";
import {color, dash} from "./palette.js";
import {rows_of} from "./curves.js";
import {is_dark, on_theme, css_value} from "./theme.js";

// Its legend sets styles as attributes, which the page's Content-Security-Policy refuses; this one has its own.
const {Dygraph} = globalThis;
if (Dygraph) Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) => plugin !== Dygraph.Plugins.Legend);

/** The part of the horizontal axis that several charts show together. */
export function shared_view() {
  const charts = new Set();
  return {
    window: null,
    join(chart) { charts.add(chart); return () => charts.delete(chart); },
    show(window) {
      this.window = window;
      charts.forEach((chart) => chart.shown());
    },
  };
}

/**
 * A chart in a new element `chart.node`.
 * Curves: [{label, color: number, dash: number, x, y, pale: bool, low, high}]; `pale` ones are not in the legend; where
 * one has `low` and `high`, all have, and a band is drawn between them.
 * @param height in rem
 */
export function new_chart({title, view = shared_view(), height = 16}) {
  const plot = element("div", {class: "plot", style: {height: height + "rem"}});
  const legend = element("ul", {class: "legend"});
  const reset = element("button", {class: "quiet small", hidden: true, on: {click: () => view.show(null)}}, "Show all");
  const at = element("span", {class: "at"});
  const node = element("figure", {class: "chart", tabindex: "0", role: "group", "aria-label": `Chart of ${title}. Arrow keys read values, plus and minus zoom, 0 shows all.`},
    element("figcaption", {}, element("span", {class: "title"}, title), at, reset), plot, legend);

  let graph = null, curves = [], options = {}, rows = [], values = [];
  const off = new Set();
  const leave = [view.join({shown}), on_theme(() => graph && draw(true))];
  // A chart that is out of sight has no size: it is drawn as soon as it is seen.
  const watched = new ResizeObserver(() => (graph === null ? draw(true) : graph.resize()));
  watched.observe(plot);

  function update(new_curves, new_options = {}) {
    const same = graph !== null && new_curves.length === curves.length && options.kind === new_options.kind
      && options.log === new_options.log && new_curves.every((curve, index) => curve.label === curves[index].label && curve.pale === curves[index].pale);
    curves = new_curves;
    options = new_options;
    rows = banded() ? band_rows() : rows_of(curves);
    draw(!same);
  }

  const banded = () => curves.length > 0 && curves[0].low !== undefined;

  function band_rows() {
    return rows_of(curves.map((curve) => ({x: curve.x, y: curve.y.map((value, point) => [curve.low[point], value, curve.high[point]])})));
  }

  function draw(anew) {
    node.classList.toggle("empty", rows.length === 0);
    if (rows.length === 0) {
      graph?.destroy();
      graph = null;
      fill(plot, element("p", {class: "hint"}, "No value yet."));
      fill(legend);
      return;
    }
    if (graph === null && plot.clientWidth === 0) return;
    if (graph === null) plot.replaceChildren();
    const settings = {file: rows, dateWindow: view.window, visibility: curves.map((curve) => !off.has(curve.label))};
    if (graph === null) graph = new Dygraph(plot, rows, {...look(), ...settings});
    else graph.updateOptions(anew ? {...look(), ...settings} : settings);
    if (anew || legend.childElementCount === 0) draw_legend();
    say_values(null);
    shown();
  }

  function look() {
    const dark = is_dark();
    const names = curves.map((curve, index) => curve.label + "\u0000" + index);
    const series = {};
    names.forEach((name, index) => {
      const curve = curves[index];
      series[name] = {color: curve.pale ? faded(color(curve.color, dark), css_value("--card")) : color(curve.color, dark),
        strokeWidth: curve.pale ? 1 : 1.75, strokePattern: curve.pale ? null : dash(curve.dash ?? 0),
        drawPoints: curve.x.length === 1}; // one point makes no line
    });
    const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 15;
    return {
      labels: ["x", ...names], series, logscale: options.log === true, customBars: banded(), fillAlpha: 0.14,
      connectSeparatedPoints: true, pointSize: 3, highlightCircleSize: 3.5,
      gridLineColor: css_value("--line"), axisLineColor: css_value("--line-strong"), gridLineWidth: 1, axisLabelFontSize: 12 * scale,
      rightGap: 12, xRangePad: 4, yRangePad: 8, animatedZooms: false, labelsUTC: false, hideOverlayOnMouseOut: true,
      axes: {
        x: {...(options.kind === "time" ? {ticker: Dygraph.dateTicker, axisLabelFormatter: Dygraph.dateAxisLabelFormatter}
          : {axisLabelFormatter: (value) => (counts.has(options.kind) && !Number.isInteger(value) ? "" : short_text(value))}), axisLabelWidth: 64 * scale, pixelsPerLabel: 76 * scale},
        y: {axisLabelFormatter: (value) => short_text(value), axisLabelWidth: 54 * scale, pixelsPerLabel: 34 * scale},
      },
      zoomCallback: (low, high) => view.show(whole(low, high) ? null : [low, high]),
      highlightCallback: (event, x, points, row) => say_values(row),
      unhighlightCallback: () => say_values(null),
    };
  }

  function whole(low, high) {
    return rows.length > 0 && low <= rows[0][0] && high >= rows[rows.length - 1][0];
  }

  function draw_legend() {
    values = curves.map(() => element("span", {class: "value"}));
    fill(legend, curves.map((curve, index) => !curve.pale && element("li", {},
      element("button", {class: "curve", "aria-pressed": String(!off.has(curve.label)), on: {click: (event) => toggle(curve.label, event.currentTarget)}},
        sample(curve), element("span", {class: "name"}, curve.label), values[index]))));
  }

  function toggle(label, button) {
    if (off.has(label)) off.delete(label);
    else off.add(label);
    button.setAttribute("aria-pressed", String(!off.has(label)));
    graph.updateOptions({visibility: curves.map((curve) => !off.has(curve.label))});
  }

  /** Shows the values of a row, or each curve's last one. */
  function say_values(row) {
    const x = row === null || rows[row] === undefined ? null : rows[row][0];
    at.textContent = x === null ? "" : x_text(x, options.kind);
    curves.forEach((curve, index) => {
      if (curve.pale || values[index] === undefined) return;
      const point = x === null ? curve.x.length - 1 : nearest(curve.x, x);
      values[index].textContent = point < 0 ? "" : number_text(curve.y[point], 4);
    });
  }

  function shown() {
    reset.hidden = view.window === null;
    if (graph !== null && String(graph.getOption("dateWindow")) !== String(view.window)) graph.updateOptions({dateWindow: view.window});
  }

  let cursor = null;
  node.addEventListener("keydown", (event) => {
    if (graph === null || event.target !== node || event.ctrlKey || event.metaKey || event.altKey) return;
    const [low, high] = graph.xAxisRange();
    const zoom = (factor) => view.show([(low + high) / 2 - ((high - low) / 2) * factor, (low + high) / 2 + ((high - low) / 2) * factor]);
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      const step = (event.key === "ArrowRight" ? 1 : -1) * (event.shiftKey ? 10 : 1);
      cursor = Math.max(0, Math.min(rows.length - 1, (cursor ?? (step > 0 ? -1 : rows.length)) + step));
      graph.setSelection(cursor);
      say_values(cursor);
    } else if (event.key === "+" || event.key === "=") zoom(0.5);
    else if (event.key === "-") zoom(2);
    else if (event.key === "0" || event.key === "Escape") view.show(null);
    else return;
    event.preventDefault();
  });
  node.addEventListener("blur", () => { cursor = null; graph?.clearSelection(); });

  return {
    node, update,
    /** Number of points that the chart has: tests look at it. */
    get points() { return rows.length; },
    end() {
      leave.forEach((act) => act());
      watched.disconnect();
      graph?.destroy();
      graph = null;
    },
  };
}

// There is no half of these worth a mark on the axis.
const counts = new Set(["batches", "epochs", "episodes", "examples"]);

/** A piece of a curve's line, for legends and tables. */
export function sample(curve) {
  const pattern = dash(curve.dash ?? 0);
  return drawn("svg", {class: "sample color-" + curve.color, width: 26, height: 10, viewBox: "0 0 26 10", "aria-hidden": "true"},
    drawn("line", {x1: 1, x2: 25, y1: 5, y2: 5, "stroke-width": 2.5, ...(pattern ? {"stroke-dasharray": pattern.map((part) => part * 0.7).join(" ")} : {})}));
}

function short_text(value) {
  const size = Math.abs(value);
  if (size >= 1e6) return number_text(value / 1e6, 3) + "M";
  if (size >= 1e4) return number_text(value / 1e3, 3) + "k";
  return number_text(value, 3);
}

function x_text(x, kind) {
  switch (kind) {
    case "time": return date_text(x);
    case "seconds": return duration_text(x);
    case "epochs": return "epoch " + number_text(x, 4);
    case "examples": return number_text(x, 7) + " examples";
    default: return "batch " + number_text(x, 9);
  }
}

// The last point at or before x, or the first one.
function nearest(x, at) {
  let low = 0, high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return x.length === 0 ? -1 : Math.max(0, low - 1);
}

// A third of a color on the background: dygraphs knows no transparent lines beside opaque ones.
function faded(from, background) {
  const parts = (text) => [1, 3, 5].map((place) => parseInt(text.slice(place, place + 2), 16));
  const ground = (/^rgb\((\d+), (\d+), (\d+)\)$/.exec(background) ?? []).slice(1).map(Number);
  if (ground.length === 0) return from;
  return "#" + parts(from).map((part, index) => Math.round(part * 0.34 + ground[index] * 0.66).toString(16).padStart(2, "0")).join("");
}
