// What bounds a run, as `troupe why` says it: five sentences, and a bar for each worker.

import {element, fill} from "./element.js";
import {duration_text, share_text} from "./format.js";
import {field} from "./step_shares.js";

const every = 5000; // milliseconds, while the run trains
const known = ["reading", "gradient", "update", "between batches", "network", "holder", "joining", "rate limit", "held", "waiting"];

/** @returns {node, seen(bool), end()}: asks only while it is seen */
export function new_run_why(source, run) {
  const node = element("div", {class: "part"}, element("p", {class: "hint"}, "Asking what bounds this run…"));
  let visible = false, timer = 0, shown = "";

  async function read() {
    clearTimeout(timer);
    if (!visible) return;
    let again = true;
    try {
      const answer = await source.why(run.id);
      again = !answer.ended;
      show(JSON.stringify(answer), () => [sentences(answer), bars(answer.bars), (answer.remarks ?? []).map((remark) => element("p", {class: "hint"}, remark + ".")),
        !answer.ended && element("p", {class: "hint"}, "The run trains on, and this is told anew every few seconds.")]);
    } catch (error) {
      again = error.status === 404;
      show(error.message, () => [element("p", {class: "hint"}, sentence_of(error.message))]);
    }
    if (visible && again) timer = setTimeout(read, every);
  }

  function show(text, draw) {
    if (text === shown) return;
    shown = text;
    fill(node, draw());
  }

  return {
    node,
    seen(now) {
      visible = now;
      if (now) read();
      else clearTimeout(timer);
    },
    end() {
      visible = false;
      clearTimeout(timer);
    },
  };
}

function sentence_of(text) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");
}

// The second sentence says what bounds the run, and is the headline of the others.
function sentences({sentences: all}) {
  return element("div", {class: "card why"}, element("h2", {}, all[1]), all.filter((_, index) => index !== 1).map((sentence) => element("p", {}, sentence)));
}

function bars(all) {
  const longest = Math.max(...all.map((bar) => bar.seconds), Number.MIN_VALUE);
  const looks = looks_of(all);
  return element("div", {class: "card"}, element("h2", {}, "Where the time of each worker goes"),
    element("div", {class: "why-bars"}, all.map((bar) => [
      element("span", {class: bar.critical ? "name critical" : "name"}, bar.name, bar.critical && element("span", {class: "soft"}, ", the critical path")),
      element("span", {class: "track"}, element("span", {class: "shares", role: "img", "aria-label": `${bar.name}: ` + seen_parts(bar, longest).map((part) => `${part.cost} ${share_text(part.seconds / bar.seconds)}`).join(", "), style: {width: `${(100 * bar.seconds) / longest}%`}},
        seen_parts(bar, longest).map((part) => element("span", {class: part.bounds ? "bounds" : null, style: {flex: `${(1000 * part.seconds) / longest} 0 0`, display: "flex"}, title: `${part.cost}: ${duration_text(part.seconds)}`}, field(looks.get(part.cost), "100%", "100%"))))),
      element("span", {class: "length"}, duration_text(bar.seconds)),
    ])),
    legend(all, looks, longest));
}

// Less than a thousandth cannot be seen.
function seen_parts(bar, longest) {
  return bar.parts.filter((part) => part.seconds > longest / 1000);
}

// The same cost looks the same in each picture; extensions come after the costs of every run.
function looks_of(all) {
  const names = [...new Set(all.flatMap((bar) => bar.parts.map((part) => part.cost)))];
  const place = (name) => known.findIndex((one) => name === one || (one === "waiting" && name.startsWith("waiting")));
  const extensions = names.filter((name) => place(name) < 0).sort();
  return new Map(names.map((name) => [name, place(name) >= 0 ? place(name) : known.length + extensions.indexOf(name)]));
}

function legend(all, looks, longest) {
  const first = all[0];
  const parts = new Map();
  for (const bar of all) for (const part of seen_parts(bar, longest)) {
    const before = parts.get(part.cost) ?? {cost: part.cost, seconds: 0, bounds: false};
    parts.set(part.cost, {...before, seconds: before.seconds + (bar === first ? part.seconds : 0), bounds: before.bounds || part.bounds});
  }
  return element("ul", {class: "share-legend"}, [...parts.values()].sort((a, b) => b.seconds - a.seconds).map((part) => element("li", {}, field(looks.get(part.cost), 16, 16), part.cost + " ",
    element("strong", {}, share_text(part.seconds / first.seconds)), part.bounds && element("span", {class: "tag bounding"}, "bounds the run"))));
}
