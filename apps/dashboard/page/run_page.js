// The page of one run: what it does now, its curves, what bounds it, configuration, log, model, pictures, system and acts.

import {element, fill, refill} from "./element.js";
import {date_text, duration_text, number_text, setting_text} from "./format.js";
import {panels, curve_parts} from "./curves.js";
import {smoothed} from "./smoothing.js";
import {colors} from "./palette.js";
import {better} from "./statistics.js";
import {new_chart, shared_view} from "./chart.js";
import {new_curve_tools} from "./curve_tools.js";
import {new_steering, acts_table} from "./steering.js";
import {new_run_lines} from "./run_lines.js";
import {new_run_log} from "./run_log.js";
import {new_run_system} from "./run_system.js";
import {new_run_why} from "./run_why.js";
import {new_tabs} from "./tabs.js";
import {state_chip} from "./runs_table.js";
import {set_query} from "./address.js";

/** The page of the run `id`. */
export function run_page(source, id, query) {
  const node = element("div", {}, element("p", {class: "hint"}, "Reading the run…"));
  const page = {node, title: id, end: () => ends.forEach((end) => end())};
  const ends = [];
  source.run(id).then((run) => ends.push(show(run)), (error) => fill(node, element("div", {class: "empty-page"}, element("h1", {}, "This run cannot be shown"), element("p", {class: "hint"}, error.message), element("p", {}, element("a", {href: "#/"}, "To the runs")))));

  function show(run) {
    page.title = run.name;
    document.title = `${run.name} · Troupe`;
    const state = element("span", {id: "run-state"});
    const tags = element("span");
    const facts = element("p", {class: "facts"});
    const notice = element("div");
    const tiles = element("dl", {class: "tiles"});
    const steering = new_steering(source, async (order) => {
      const answer = await source.act(id, order);
      ask_position().catch(() => {});
      return answer;
    });
    const acts = element("div", {class: "part"});
    const curves = new_curves(source, run, query);
    const log = new_run_log(source, run);
    const system = new_run_system(source, run);
    const why = new_run_why(source, run);
    const pictures = (run.files ?? []).filter((file) => file.picture);
    let live = null, reading = 0, ended = false;

    const tabs = new_tabs([
      {name: "curves", title: "Curves", node: () => curves.node},
      {name: "why", title: "What bounds it", node: () => why.node},
      {name: "config", title: "Configuration", node: () => configuration(run)},
      {name: "log", title: "Log", node: () => log.node},
      {name: "model", title: "Model", node: () => model(run)},
      ...(pictures.length > 0 ? [{name: "pictures", title: "Pictures", node: () => gallery(source, run, pictures)}] : []),
      {name: "system", title: "System", node: () => system.node},
      {name: "acts", title: "Acts", node: () => acts},
    ], query.get("tab") ?? "curves", (name) => {
      set_query({tab: name === "curves" ? "" : name});
      log.seen(name === "log");
      system.seen(name === "system");
      why.seen(name === "why");
    });

    fill(node, element("div", {class: "title-row"}, element("h1", {tabindex: "-1"}, run.name), state, tags), facts, notice, tiles, steering.node, tabs.node);

    function update(next = {}) {
      Object.assign(run, next);
      // What the run itself has answered is newer than what its log tells.
      if (live !== null && run.control && is_alive(run.state)) run.state = live.phase === "paused" ? "paused" : "training";
      refill(state, run.state, () => state_chip(run.state));
      draw_tags();
      refill(facts, [run.folder, run.started, run.grid, run.cluster].join(), () => [[[run.problem, run.model].filter(Boolean).join(", "), run.folder, run.started && "began " + date_text(run.started)].filter(Boolean).map((fact) => element("span", {}, fact)),
        run.grid && element("a", {href: "#/grid/" + run.grid}, "its grid"), run.cluster && element("a", {href: "#/cluster/" + run.cluster}, "its cluster")]);
      refill(notice, run.state + run.reason, () => [run.state === "failed" && run.reason && element("p", {class: "notice"}, run.reason),
        run.state === "lost" && element("p", {class: "notice"}, "The process that trained this run has ended without a word. Continue from its last checkpoint: ", element("code", {}, `troupe train --resume ${run.folder}`)),
        run.state === "stopped" && element("p", {class: "notice info"}, run.reason ? run.reason + ". " : "", "Continue: ", element("code", {}, `troupe train --resume ${run.folder}`))]);
      if (live !== null && !run.control) live = null;
      steering.update({...run, extensions: extension_names(run, live), learning_rate: live?.learning_rate ?? run.records?.learning_rate});
      refill(acts, JSON.stringify(run.acts ?? []), () => acts_table(run.acts ?? []));
      draw_tiles();
    }

    function draw_tags() {
      refill(tags, (run.tags ?? []).join(), () => [(run.tags ?? []).map((tag) => element("span", {class: "tag"}, tag)),
        source.may("tag") && element("button", {type: "button", class: "quiet small", on: {click: edit_tags}}, (run.tags ?? []).length > 0 ? "Edit tags" : "Add tags")]);
    }

    function edit_tags() {
      const input = element("input", {type: "text", value: (run.tags ?? []).join(" "), "aria-label": "Tags, separated by spaces", placeholder: "baseline paper"});
      const leave = () => {
        refill(tags, "being left", () => []);
        draw_tags();
      };
      // While they are edited, tags that come from elsewhere do not replace the field.
      fill(tags, element("form", {class: "field", on: {submit: async (event) => {
        event.preventDefault();
        const next = input.value.split(/[\s,]+/).filter(Boolean);
        await source.set_tags(id, next).then(() => {
          run.tags = next;
          leave();
        }, (error) => fill(notice, element("p", {class: "notice"}, error.message)));
      }, keydown: (event) => event.key === "Escape" && leave()}}, input, element("button", {type: "submit"}, "Keep")));
      input.focus();
    }

    function draw_tiles() {
      const tile = (name, value, extra) => value !== "" && element("div", {class: "tile"}, element("dt", {title: name}, name), element("dd", {data: {tile: name}}, value, extra));
      const records = run.records ?? {};
      const measured = panels(Object.keys(records)).flatMap((panel) => panel.records).filter((name) => typeof records[name] === "number" && !name.startsWith("time_"));
      const batches = Math.max(run.batches ?? 0, live?.batches ?? 0), share = run.state === "done" ? 1 : run.progress;
      fill(tiles, tile("batches", number_text(batches), typeof share === "number" && element("div", {class: "progress", role: "img", "aria-label": Math.round(share * 100) + " % done"}, element("i", {style: {width: Math.min(1, share) * 100 + "%"}}))),
        tile("epochs", number_text(Math.max(run.epochs ?? 0, live?.epochs ?? 0)), Number(run.config?.["training.epochs"]) > 0 && element("small", {}, " of " + number_text(Number(run.config["training.epochs"])))),
        tile("trained", duration_text(Math.max(run.seconds ?? 0, live?.seconds ?? 0))), tile("examples per second", number_text(run.examples_per_second ?? live?.rate, 3)),
        typeof live?.loss === "number" && tile("loss of the batch", number_text(live.loss)),
        measured.slice(0, 4).map((name) => tile(name, number_text(records[name]), better(name) !== "" && typeof run.best?.[name]?.value === "number" && element("small", {class: "line"}, "best " + number_text(run.best[name].value)))));
    }

    // What a run's folder does not tell at once: acts and parts of time change with the rows.
    async function read_again() {
      reading = 0;
      const next = await source.run(id).catch(() => null);
      if (next === null || ended) return;
      update(next);
      system.update(run);
    }

    // The position between two rows: a controlled run answers every second.
    async function ask_position() {
      if (!run.control || document.hidden) return;
      const answer = await source.act(id, "status json").catch(() => ({ok: false, lines: []}));
      if (ended || !answer.ok) return;
      const position = JSON.parse(answer.lines[0] ?? "null");
      if (position === null) return;
      const passed = live === null ? 0 : position.seconds - live.seconds;
      live = {...position, rate: passed > 0 ? (position.examples - live.examples) / passed : live?.rate};
      update();
    }

    update();
    const timer = source.may("pause") ? setInterval(() => ask_position().catch(() => {}), 1000) : 0;
    if (source.may("pause")) ask_position().catch(() => {});
    const stop = source.watch_run(id, {
      run: (row) => {
        const over = row.state !== run.state;
        update(row);
        if (over) read_again();
      },
      rows: ({rows}) => {
        log.add(rows);
        if (reading === 0) reading = setTimeout(read_again, rows.some((row) => "control" in row.records) ? 300 : 4000);
      },
      reread: () => read_again(),
    });
    return () => {
      ended = true;
      clearInterval(timer);
      clearTimeout(reading);
      stop();
      curves.end();
      log.end();
      system.end();
      why.end();
    };
  }

  return page;
}

function is_alive(state) {
  return state === "training" || state === "paused";
}

// Extensions that can be detached: those of the process, or of the configuration.
function extension_names(run, live) {
  if (live?.extensions) return live.extensions.map((extension) => extension.name);
  return [...new Set(Object.keys(run.config ?? {}).filter((key) => key.startsWith("extensions.")).map((key) => key.split(".")[1]))];
}

/** The curves of a run, which grow. */
function new_curves(source, run, query) {
  const view = shared_view();
  const charts = new Map();
  const frame = element("div", {class: "charts"}), time_frame = element("div", {class: "charts"});
  const times = element("details", {class: "more", hidden: true}, element("summary", {}, "Times"), time_frame);
  const hint = element("p", {class: "hint"}, "No value yet: the first ones come after the first epoch.");
  const lines = new_run_lines(source, run, draw);
  const tools = new_curve_tools(query, (kind_changed) => {
    if (kind_changed) {
      view.show(null);
      lines.use(tools.against);
    } else draw();
  });
  const leave = view.join({shown: () => lines.zoom(view.window)});
  let planned = false;
  lines.use(tools.against);

  // At most once a frame, however fast points come.
  function draw() {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      const all = lines.lines;
      const parts = Object.keys(all).map((name) => ({name, ...curve_parts(name)}));
      const workers = new Set(parts.map((part) => part.worker)).size > 1;
      hint.hidden = parts.length > 0;
      for (const panel of panels([...new Set(parts.map((part) => part.record))])) {
        if (!charts.has(panel.title)) {
          charts.set(panel.title, new_chart({title: panel.title, view, height: 16}));
          (panel.title.startsWith("time_") ? time_frame : frame).append(charts.get(panel.title).node);
          times.hidden = time_frame.childElementCount === 0;
        }
        charts.get(panel.title).update(curves_of(panel, parts, workers, all), {kind: tools.against, log: tools.log});
      }
    });
  }

  function curves_of(panel, parts, workers, all) {
    const shown = parts.filter((part) => panel.records.includes(part.record)).sort((a, b) => panel.records.indexOf(a.record) - panel.records.indexOf(b.record) || a.worker - b.worker);
    return shown.flatMap(({name, record, worker}, index) => {
      const curve = {label: workers ? `${record}, worker ${worker}` : record, color: index % colors, dash: index, x: all[name].x, y: smoothed(all[name].y, tools.smooth)};
      return tools.smooth > 0 ? [{...curve, y: all[name].y, pale: true}, curve] : [curve];
    });
  }

  return {node: element("div", {}, tools.node, hint, frame, times), end: () => {
    leave();
    lines.end();
    charts.forEach((chart) => chart.end());
  }};
}

function configuration(run) {
  const filter = element("input", {type: "search", placeholder: "Filter the settings", "aria-label": "Filter of settings", on: {input: () => draw()}});
  const changed = element("input", {type: "checkbox", on: {change: () => draw()}});
  const body = element("tbody");
  const settings = run.configuration ?? Object.entries(run.config ?? {}).map(([key, value]) => ({key, value}));
  const sourced = settings.some((setting) => setting.source);
  function draw() {
    const words = filter.value.toLowerCase();
    const shown = settings.filter(({key, value}) => (key + " " + setting_text(value)).toLowerCase().includes(words)).filter(({source}) => !changed.checked || (source && source !== "default"));
    fill(body, shown.map(({key, value, source}) => element("tr", {}, element("td", {}, element("code", {}, key)), element("td", {class: "wrap"}, element("code", {}, setting_text(value))), sourced && element("td", {class: source === "default" ? "soft" : null}, source ?? ""))),
      shown.length === 0 && element("tr", {}, element("td", {colspan: 3, class: "soft"}, "No setting matches.")));
  }
  draw();
  return element("div", {}, element("div", {class: "tools"}, element("span", {class: "grow"}, filter), sourced && element("label", {}, changed, " Only what differs from the defaults")),
    element("div", {class: "table-frame"}, element("table", {}, element("thead", {}, element("tr", {}, ["setting", "value", ...(sourced ? ["from"] : [])].map((name) => element("th", {scope: "col"}, name)))), body)));
}

function model(run) {
  const summary = run.summary;
  if (!summary) return element("p", {class: "hint part"}, "This model cannot be built here, so there is no summary. Where it can: ", element("code", {}, `troupe summary ${run.folder}/config.yaml`));
  const numbers = ["trained", "frozen", "statistic"].filter((name) => name === "trained" || summary.layers.some((layer) => layer[name] > 0));
  return element("div", {class: "part"}, element("p", {}, element("strong", {}, number_text(summary.parameters) + " parameters"), summary.sentence && element("span", {class: "soft"}, "; " + summary.sentence)),
    element("div", {class: "table-frame"}, element("table", {}, element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "layer"), element("th", {scope: "col"}, "output"), numbers.map((name) => element("th", {scope: "col", class: "number"}, name === "trained" ? "trained parameters" : name === "frozen" ? "frozen" : "statistics")))),
      element("tbody", {}, summary.layers.map((layer) => element("tr", {}, element("td", {}, layer.layer), element("td", {class: "mono"}, layer.output), numbers.map((name) => element("td", {class: "number"}, number_text(layer[name])))))))));
}

function gallery(source, run, files) {
  return element("div", {class: "pictures part"}, files.map((file) => element("figure", {class: "card"}, element("img", {src: source.file(run.id, file.name), alt: file.name, loading: "lazy"}), element("figcaption", {class: "soft"}, file.name))));
}
