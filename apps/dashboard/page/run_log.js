// The log of a run: the console's lines, or rows as `troupe log` prints them. The end stays in view unless the reader
// has scrolled up.

import {element} from "./element.js";
import {clock_text, number_text} from "./format.js";

const kept = 1000; // lines

/** @returns {node, seen(bool), add(rows), end()}: asks for lines only while it is seen */
export function new_run_log(source, run) {
  const which = element("select", {"aria-label": "What to show", on: {change: () => read()}}, [["rows", "rows of the log"], ["console", "lines of the console"]].map(([value, title]) => element("option", {value}, title)));
  const lines = element("div", {class: "log", tabindex: "0", role: "log", "aria-label": "Log", "aria-live": "off"});
  let visible = false, timer = 0;

  async function read() {
    clearTimeout(timer);
    if (!visible) return;
    try {
      if (which.value === "console") show((await source.console(run.id, 400)).lines, "This run has written no line to its console. Quiet runs and runs of a grid write warnings and errors only.");
      else show((await source.log(run.id, -400, 400)).rows.map(row_text), "No row yet: the first ones come when training begins.");
    } catch (error) {
      show([], error.message);
    }
    if (visible && which.value === "console" && (run.state === "training" || run.state === "paused")) timer = setTimeout(read, 2000);
  }

  function show(texts, empty) {
    const follow = at_end();
    lines.textContent = texts.length > 0 ? texts.join("\n") + "\n" : empty;
    if (follow) lines.scrollTop = lines.scrollHeight;
  }

  const at_end = () => lines.scrollTop + lines.clientHeight >= lines.scrollHeight - 12;

  return {
    node: element("div", {}, element("div", {class: "tools"}, element("label", {}, "Show ", which)), lines),
    seen(now) {
      visible = now;
      lines.scrollTop = lines.scrollHeight;
      read().then(() => { lines.scrollTop = lines.scrollHeight; });
    },
    add(rows) {
      if (!visible || which.value !== "rows") return;
      const follow = at_end();
      const all = (lines.textContent + rows.map(row_text).join("\n") + "\n").split("\n");
      lines.textContent = all.slice(-kept).join("\n");
      if (follow) lines.scrollTop = lines.scrollHeight;
    },
    end: () => {
      visible = false;
      clearTimeout(timer);
    },
  };
}

/** "02:11:53.906  batch 1,714  epoch 5  training_loss 0.1893". */
export function row_text(row) {
  const records = Object.entries(row.records).map(([name, value]) => `${name} ${typeof value === "number" ? number_text(value, 5) : value}`);
  return [clock_text(Date.parse(row.time)), row.worker > 0 && "worker " + row.worker, "batch " + number_text(row.batch), "epoch " + row.epoch, ...records].filter(Boolean).join("  ");
}
