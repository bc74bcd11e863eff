// Buttons that steer a running run, and the lines that it answers. What a role may not do is not shown.

import {element} from "./element.js";
import {clock_text, number_text} from "./format.js";

/**
 * @param source whose `may(verb)` says what this page's role may do
 * @param act(command) -> Promise<{ok, lines}>; a command is one of `troupe ctl`: "pause", "set learning_rate=0.01"
 * @returns {node, update(run)}
 */
export function new_steering(source, act) {
  const answer = element("pre", {class: "answer", hidden: true, role: "status"});
  const pause = button("Pause", "pause", "Pauses after the running batch");
  const resume = button("Resume", "resume", "Continues training");
  const batches = element("input", {type: "number", min: 1, value: 1, "aria-label": "Batches to train"});
  const step = element("button", {type: "button", title: "Trains so many batches, then pauses", on: {click: () => send("step " + (batches.value || 1))}}, "Step");
  const rate = element("input", {type: "text", inputmode: "decimal", "aria-label": "New learning rate", placeholder: "0.001"});
  const set = element("form", {class: "field", on: {submit: (event) => {
    event.preventDefault();
    if (rate.value.trim() !== "") send("set learning_rate=" + rate.value.trim());
  }}}, element("span", {}, "Learning rate"), rate, element("button", {type: "submit"}, "Set"));
  const more = element("span", {class: "field"}, button("Save", "save", "Writes a checkpoint into the run's folder"),
    element("button", {type: "button", on: {click: evaluate}}, "Evaluate…"), element("button", {type: "button", on: {click: attach}}, "Attach…"),
    element("button", {type: "button", on: {click: detach}}, "Detach…"),
    element("button", {type: "button", on: {click: breakpoints}}, "Breakpoints…"));
  const stop = element("button", {type: "button", class: "danger", on: {click: confirm_stop}}, "Stop…");
  const node = element("section", {class: "card", "aria-label": "Steering", hidden: true},
    element("div", {class: "steering"}, pause, resume, element("span", {class: "field"}, step, batches, "batches"), set, more, stop), answer);
  let run = {};
  const allowed = (verb, part) => { part.hidden = !source.may(verb); };
  allowed("pause", pause);
  allowed("resume", resume);
  allowed("step", step);
  allowed("step", batches);
  allowed("set", set);
  allowed("stop", stop);
  ["save", "evaluate", "attach", "detach", "break"].forEach((verb, index) => allowed(verb, more.children[index]));

  function button(text, command, title) {
    return element("button", {type: "button", title, data: {command}, on: {click: () => send(command)}}, text);
  }

  async function send(command) {
    say(true, [command + " …"]);
    try {
      const {ok, lines} = await act(command);
      say(ok, lines.length > 0 ? lines : [ok ? command + ": done" : command + ": refused"]);
      return ok;
    } catch (error) {
      say(false, [`${command}: ${error.message}`]);
      return false;
    }
  }

  function say(ok, lines) {
    answer.hidden = false;
    answer.classList.toggle("bad", !ok);
    answer.textContent = lines.join("\n");
  }

  function ask(title, fields, accept, danger = false) {
    const inputs = fields.filter((field) => field.input);
    const dialog = element("dialog", {"aria-label": title}, element("form", {method: "dialog", on: {submit: () => accept(...inputs.map((field) => field.input.value))}},
      element("h2", {}, title), fields.map((field) => (field.input ? element("label", {}, field.label, field.input) : element("p", {class: "hint"}, field.label))),
      element("div", {class: "row"}, element("button", {type: "button", on: {click: () => dialog.close()}}, "Cancel"),
        element("button", {type: "submit", class: danger ? "danger" : "primary"}, title))));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  const choice = (values) => element("select", {}, values.map((value) => element("option", {value}, value)));
  const text = (placeholder, value = "") => element("input", {type: "text", placeholder, value, required: true, autocomplete: "off", spellcheck: "false"});

  function confirm_stop() {
    const how = element("select", {}, [["after_batch", "after the running batch"], ["after_epoch", "after the running epoch"], ["now", "now, without further callbacks"]]
      .map(([value, title]) => element("option", {value}, title)));
    ask("Stop training", [{label: `${run.name} saves its state and ends. \`troupe train --resume\` continues it.`}, {label: "When", input: how}], (when) => send("stop " + when), true);
  }

  function evaluate() {
    ask("Evaluate", [{label: "Measures the current parameters of worker 0 while training continues."}, {label: "Section", input: choice(["validation", "test", "train"])}], (section) => send("evaluate " + section));
  }

  function attach() {
    ask("Attach an extension", [{label: "An extension's kind, then its options and triggers as in a configuration, e.g. printing:often every_n_batches=10."},
      {label: "Extension", input: text("norms every_n_batches=10")}], (what) => send("attach " + what.trim()));
  }

  function detach() {
    const names = run.extensions ?? [];
    ask("Detach an extension", [{label: "The extension ends, and training goes on without it."}, {label: "Extension", input: names.length > 0 ? choice(names) : text("norms")}], (what) => send("detach " + what.trim()));
  }

  // Their list comes from the run: others may have set some, too.
  async function breakpoints() {
    const {lines} = await act("break").catch((error) => ({lines: [error.message]}));
    const numbers = lines.map((line) => /^breakpoint (\d+):/.exec(line)?.[1]).filter(Boolean);
    const condition = element("input", {type: "text", placeholder: "gradient_norm > 10", "aria-label": "Condition", autocomplete: "off", spellcheck: "false"});
    const removed = element("select", {"aria-label": "Breakpoint to remove"}, [["", "none"], ...numbers.map((number) => [number, "breakpoint " + number]), ...(numbers.length > 1 ? [["all", "all"]] : [])].map(([value, title]) => element("option", {value}, title)));
    ask("Change breakpoints", [{label: "Training pauses after the batch that meets a condition on the loss, learning_rate, batch, epoch, seconds or a record: loss > 5, loss is nan."},
      ...lines.map((label) => ({label})), {label: "Set", input: condition}, ...(numbers.length > 0 ? [{label: "Remove", input: removed}] : [])], async (set, remove = "") => {
      if (remove !== "") await send("unbreak " + remove);
      if (set.trim() !== "") await send("break " + set.trim());
    });
  }

  function update(next) {
    run = next;
    node.hidden = !run.control || !source.may("pause");
    const paused = run.state === "paused";
    pause.disabled = paused;
    resume.disabled = !paused;
    if (run.learning_rate !== undefined) rate.placeholder = String(run.learning_rate);
  }

  return {node, update, send};
}

/** The acts on a run, the newest first: [{batch, worker, time, act, by}]. */
export function acts_table(acts) {
  if (acts.length === 0) return element("p", {class: "hint"}, "No command was given to this run. Commands from this page and from troupe ctl appear here, with who gave them.");
  return element("div", {class: "table-frame"}, element("table", {}, element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "time"), element("th", {scope: "col", class: "number"}, "batch"), element("th", {scope: "col", class: "number"}, "worker"), element("th", {scope: "col"}, "command"), element("th", {scope: "col"}, "by"))),
    element("tbody", {}, acts.slice().reverse().map((act) => element("tr", {}, element("td", {title: act.time}, clock_text(Date.parse(act.time))), element("td", {class: "number"}, number_text(act.batch)), element("td", {class: "number"}, act.worker ?? ""), element("td", {}, element("code", {}, act.act)), element("td", {class: "wrap"}, act.by ?? ""))))));
}
