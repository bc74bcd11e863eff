// Which runs a text selects: words that all have to hold.
//
//   lenet                      the name, folder, problem, model or a tag contains it
//   state:failed  tag:baseline
//   optimizer.learning_rate<0.01     a setting or a record; its last part is enough: learning_rate<0.01
//   model.name=lenet  seed!=1  validation_loss<=0.2
//   -lenet                     not

const comparison = /^([A-Za-z_][\w.\-*]*)(<=|>=|!=|=|<|>|~)(.*)$/;

/** The conditions of a text. */
export function parsed_filter(text) {
  return (text.match(/(?:[^\s"]|"[^"]*")+/g) ?? []).map((word) => {
    const not = word.length > 1 && word.startsWith("-");
    const plain = (not ? word.slice(1) : word).replaceAll('"', "");
    const field = /^(state|tag|grid|cluster):(.*)$/.exec(plain);
    if (field) return {not, kind: field[1], value: field[2].toLowerCase()};
    const compared = comparison.exec(plain);
    if (compared) return {not, kind: "value", key: compared[1], sign: compared[2], value: compared[3]};
    return {not, kind: "text", value: plain.toLowerCase()};
  });
}

/** Whether a run fulfils all conditions. */
export function passes(run, conditions) {
  return conditions.every((condition) => holds(run, condition) !== condition.not);
}

function holds(run, condition) {
  switch (condition.kind) {
    case "state": return run.state.startsWith(condition.value);
    case "tag": return (run.tags ?? []).some((tag) => tag.toLowerCase() === condition.value);
    case "grid": return (run.grid ?? "").toLowerCase().includes(condition.value);
    case "cluster": return (run.cluster ?? "").toLowerCase().includes(condition.value);
    case "value": return compares(value_of(run, condition.key), condition.sign, condition.value);
    default: return searched(run).includes(condition.value);
  }
}

function searched(run) {
  return [run.name, run.folder, run.problem, run.model, run.state, ...(run.tags ?? [])].join(" ").toLowerCase();
}

function compares(value, sign, text) {
  if (value === undefined || value === null) return sign === "!=";
  const number = Number(text);
  const numeric = text.trim() !== "" && Number.isFinite(number) && Number.isFinite(Number(value));
  const left = numeric ? Number(value) : String(value).toLowerCase();
  const right = numeric ? number : text.toLowerCase();
  switch (sign) {
    case "=": return left === right;
    case "!=": return left !== right;
    case "<": return left < right;
    case ">": return left > right;
    case "<=": return left <= right;
    case ">=": return left >= right;
    default: return String(value).toLowerCase().includes(text.toLowerCase());
  }
}

/** A setting, a record's last value or a field of a run, by its name or the end of a setting's name. */
export function value_of(run, key) {
  if (key.startsWith("best.")) return run.best?.[key.slice(5)]?.value;
  if (run.records && key in run.records) return run.records[key];
  if (run.config && key in run.config) return run.config[key];
  if (fields.has(key)) return run[key];
  if (run.config) {
    const end = "." + key;
    for (const name in run.config) if (name.endsWith(end)) return run.config[name];
  }
  return undefined;
}

const fields = new Set(["name", "folder", "problem", "model", "state", "started", "seconds", "epochs", "batches", "workers", "progress", "grid", "cluster", "reason"]);

/** Order of values: numbers, then texts; missing ones last in either direction. */
export function compared(left, right, descending) {
  const left_missing = left === undefined || left === null || left === "" || Number.isNaN(left);
  const right_missing = right === undefined || right === null || right === "" || Number.isNaN(right);
  if (left_missing || right_missing) return left_missing - right_missing;
  const both = typeof left === "number" && typeof right === "number";
  const order = both ? left - right : String(left).localeCompare(String(right), "en", {numeric: true});
  return descending ? -order : order;
}

/** The runs in the order of a column; equal ones stay in theirs. */
export function sorted_runs(runs, key, descending) {
  return runs.map((run, place) => ({run, place, value: value_of(run, key)}))
    .sort((a, b) => compared(a.value, b.value, descending) || a.place - b.place)
    .map((entry) => entry.run);
}

/** Groups by the value of a key, in order of the values: [{value, runs}]. */
export function grouped_runs(runs, key) {
  const groups = new Map();
  for (const run of runs) {
    const value = key === "tag" ? (run.tags ?? []).join(", ") : value_of(run, key);
    const text = value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : value;
    if (!groups.has(text)) groups.set(text, []);
    groups.get(text).push(run);
  }
  return [...groups].map(([value, members]) => ({value, runs: members})).sort((a, b) => compared(a.value, b.value, false));
}
