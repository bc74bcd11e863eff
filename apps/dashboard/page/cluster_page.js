// Clusters: a list of them, and the page of one: its members, who is slow, how much each waits.

import {element, fill} from "./element.js";
import {list_page} from "./list_page.js";
import {duration_text, number_text, share_text} from "./format.js";
import {new_chart, shared_view} from "./chart.js";
import {colors} from "./palette.js";
import {panels} from "./curves.js";
import {new_run_lines} from "./run_lines.js";
import {new_timeline} from "./timeline.js";
import {state_chip} from "./runs_table.js";

const again = 2000; // milliseconds

/** The list of clusters. */
export function clusters_page(source) {
  return list_page({title: "Clusters", read: source.clusters, hint: ["No cluster yet", "A cluster trains one model in several processes:", "troupe launch -n 2 training.epochs=5"],
    card: (cluster) => element("a", {class: "card", href: "#/cluster/" + cluster.id}, element("div", {class: "title-row"}, element("h2", {}, cluster.name), state_chip(cluster.state)), element("p", {class: "soft"}, members_sentence(cluster)))});
}

function members_sentence({workers, holders}) {
  return `${number_text(workers)} ${workers === 1 ? "worker" : "workers"}, ${number_text(holders)} parameter ${holders === 1 ? "holder" : "holders"}`;
}

/** The page of the cluster `id`. */
export function cluster_page(source, id) {
  const node = element("div", {}, element("p", {class: "hint"}, "Reading the cluster…"));
  const head = element("div"), members = element("div"), frame = element("div", {class: "charts part"}), trace = element("div");
  const view = shared_view();
  const charts = new Map(), lines = new Map();
  let training_members = []; // their runs
  let over = false, timer = 0, planned = false;

  async function read() {
    try {
      const cluster = await source.cluster(id);
      if (over) return;
      if (!head.isConnected) fill(node, head, members, frame, trace);
      draw(cluster);
      if (cluster.state === "training" || cluster.state === "paused") timer = setTimeout(read, again);
    } catch (error) {
      if (!head.isConnected) fill(node, element("p", {class: "notice"}, error.message));
      else timer = setTimeout(read, again);
    }
  }

  function draw(cluster) {
    training_members = cluster.members.filter((member) => member.run && member.role === "worker" && member.state === "training").map((member) => member.run);
    document.title = `${cluster.name} · Troupe`;
    fill(head, element("div", {class: "title-row"}, element("h1", {tabindex: "-1"}, cluster.name), state_chip(cluster.state)), element("p", {class: "facts"}, element("span", {}, members_sentence(cluster)), element("span", {}, cluster.folder)));
    const slow = cluster.members.filter((member) => member.slow).map((member) => member.name);
    const columns = [["member"], ["role"], ["state"], ["batches", true], ["epochs", true], ["batches per second", true], ["waiting", true], ["staleness", true], ["starts", true], ["last heard", true]];
    fill(members, slow.length > 0 && element("p", {class: "notice"}, `${slow.join(", ")} ${slow.length === 1 ? "is" : "are"} slow: the others wait for ${slow.length === 1 ? "it" : "them"} in each round.`),
      element("div", {class: "table-frame"}, element("table", {"aria-label": "Members"}, element("thead", {}, element("tr", {}, columns.map(([title, numeric]) => element("th", {scope: "col", class: numeric ? "number" : null}, title)))),
        element("tbody", {}, cluster.members.map((member) => element("tr", {class: member.slow ? "different" : null}, element("td", {}, member.run ? element("a", {href: "#/run/" + member.run}, member.name) : member.name, member.slow && element("span", {class: "tag"}, "slow")),
          element("td", {}, member.role), element("td", {}, member.state ? state_chip(member.state) : ""), number(member.batches), number(member.epochs), number(member.batches_per_second, 3),
          element("td", {class: "number"}, typeof member.waiting_share === "number" ? [share_text(member.waiting_share), element("span", {class: "meter" + (member.waiting_share > 0.5 ? " high" : "")}, element("i", {style: {width: Math.min(1, member.waiting_share) * 100 + "%"}}))] : unknown()),
          number(member.staleness, 3), number(member.incarnation), element("td", {class: "number"}, typeof member.silent_seconds === "number" ? duration_text(member.silent_seconds) + " ago" : unknown())))))));
    for (const member of cluster.members.filter((one) => one.run).slice(0, 16)) {
      if (lines.has(member.name)) continue;
      // The details say how long an epoch is; a curve needs only the id.
      const line = new_run_lines(source, {id: member.run, record_names: []}, plan);
      lines.set(member.name, line);
      line.use("seconds");
      if (trace.childElementCount === 0) fill(trace, new_timeline(source, {id: member.run, name: cluster.name}, () => training_members).node);
    }
  }

  function plan() {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      const all = [...lines].map(([name, line]) => ({name, lines: line.lines}));
      const records = [...new Set(all.flatMap((one) => Object.keys(one.lines).map((key) => key.split("@")[0])))].filter((name) => !name.startsWith("time_") && all.some((one) => Object.entries(one.lines).some(([key, curve]) => key.split("@")[0] === name && curve.x.length > 1)));
      for (const record of panels(records).flatMap((panel) => panel.records).slice(0, 8)) {
        if (!charts.has(record)) {
          charts.set(record, new_chart({title: record + " of each member", view, height: 15}));
          frame.append(charts.get(record).node);
        }
        charts.get(record).update(all.flatMap((one, index) => Object.entries(one.lines).filter(([key]) => key.split("@")[0] === record).map(([, curve]) => ({label: one.name, color: index % colors, dash: index, x: curve.x, y: curve.y}))), {kind: "seconds"});
      }
    });
  }

  read();
  return {node, title: "Cluster", end() {
    over = true;
    clearTimeout(timer);
    lines.forEach((line) => line.end());
    charts.forEach((chart) => chart.end());
  }};
}

const unknown = () => element("span", {class: "soft", title: "not known"}, "–");

function number(value, digits = 4) {
  return element("td", {class: "number"}, typeof value === "number" ? number_text(value, digits) : unknown());
}
