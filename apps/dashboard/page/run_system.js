// The machine under a run: processor and memory while it trains, and where its time went.

import {element, fill} from "./element.js";
import {bytes_text, number_text} from "./format.js";
import {new_chart, shared_view} from "./chart.js";
import {new_timeline} from "./timeline.js";
import {step_shares} from "./step_shares.js";

const every = 2000; // milliseconds
const kept = 900; // samples: half an hour

/** @returns {node, seen(bool), update(run), end()}: asks for samples only while it is seen */
export function new_run_system(source, run) {
  const view = shared_view();
  const shares = element("div");
  const tiles = element("dl", {class: "tiles"});
  const frame = element("div", {class: "charts"});
  const hint = element("p", {class: "hint"});
  const timeline = new_timeline(source, run);
  const charts = new Map();
  const samples = new Map(); // name -> {x, y}
  let visible = false, timer = 0;

  async function read() {
    clearTimeout(timer);
    if (!visible) return;
    try {
      const now = await source.system(run.id);
      take(now);
      hint.textContent = "";
      timer = setTimeout(read, every);
    } catch (error) {
      hint.textContent = error.status === 404 ? "This run does not train on this machine now, so there is no processor or memory to measure." : error.message;
      if (error.status !== 404) timer = setTimeout(read, every);
    }
  }

  function take(now) {
    const time = Date.now();
    add("processors in use", time, now.cpu);
    add("memory, MiB", time, now.memory_bytes / 1048576);
    (now.gpus ?? []).forEach((gpu, index) => {
      for (const [name, value] of Object.entries(gpu)) if (typeof value === "number" && name !== "index") add(`GPU ${gpu.index ?? index}: ${name}`, time, value);
    });
    const tile = (name, value) => value !== "" && element("div", {class: "tile"}, element("dt", {}, name), element("dd", {}, value));
    fill(tiles, tile("process", String(now.process ?? "")), tile("processors in use", number_text(now.cpu, 3)), tile("memory", bytes_text(now.memory_bytes)), tile("threads", number_text(now.threads)),
      now.machine && [tile("processors of the machine", number_text(now.machine.cpus)), tile("used by all", number_text(now.machine.cpu, 3)), tile("memory available", bytes_text(now.machine.memory_available_bytes))]);
    draw();
  }

  function add(name, x, y) {
    if (typeof y !== "number" || !Number.isFinite(y)) return;
    if (!samples.has(name)) samples.set(name, {x: [], y: []});
    const curve = samples.get(name);
    curve.x.push(x);
    curve.y.push(y);
    if (curve.x.length > kept) {
      curve.x.shift();
      curve.y.shift();
    }
  }

  function draw() {
    for (const [name, curve] of samples) {
      if (!charts.has(name)) {
        charts.set(name, new_chart({title: name, view, height: 12}));
        frame.append(charts.get(name).node);
      }
      charts.get(name).update([{label: name, color: 0, dash: 0, x: curve.x.slice(), y: curve.y.slice()}], {kind: "time"});
    }
  }

  function update(next) {
    const parts = time_parts(next);
    fill(shares, parts.length > 0 && element("div", {class: "card"}, element("h2", {}, "Where the time of training goes"), step_shares(parts)));
  }

  update(run);
  return {
    node: element("div", {class: "part"}, shares, hint, tiles, frame, timeline.node),
    seen(now) {
      visible = now;
      if (now) read();
    },
    update,
    end() {
      visible = false;
      clearTimeout(timer);
      charts.forEach((chart) => chart.end());
    },
  };
}

/** Parts of a run's time: [{name, seconds}]; what no part names is "other". */
export function time_parts(run) {
  const parts = (run.time?.parts ?? []).filter((part) => part.seconds > 0).map(({name, seconds}) => ({name, seconds}));
  const named = parts.reduce((sum, part) => sum + part.seconds, 0);
  const rest = (run.time?.seconds ?? 0) - named;
  if (parts.length > 0 && rest > 0.005 * named) parts.push({name: "other", seconds: rest});
  return parts;
}

