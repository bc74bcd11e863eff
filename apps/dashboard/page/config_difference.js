// What distinguishes runs: settings, flat ("optimizer.learning_rate": 0.01).

// Repetitions differ in these, and are the same configuration.
const of_repetition = new Set(["training.seed", "run.tag", "run.root", "log.store.path"]);

/** Keys whose values differ, in order: [{key, values: one for each configuration, undefined: not set}]. */
export function differences(configs) {
  const keys = new Set(configs.flatMap((config) => Object.keys(config ?? {})));
  return [...keys].sort().map((key) => ({key, values: configs.map((config) => config?.[key])}))
    .filter(({values}) => values.some((value) => text(value) !== text(values[0])));
}

/** Groups of runs whose configurations differ in nothing but the seed: [{config, members: indices}]. */
export function repetitions(configs) {
  const varying = differences(configs).filter(({key}) => !of_repetition.has(key));
  const groups = new Map();
  configs.forEach((config, index) => {
    const id = varying.map(({values}) => text(values[index])).join("\n");
    if (!groups.has(id)) groups.set(id, {settings: varying.map(({key, values}) => ({key, value: values[index]})), members: []});
    groups.get(id).members.push(index);
  });
  return [...groups.values()];
}

function text(value) {
  return value === undefined ? "" : JSON.stringify(value);
}

/** {"optimizer.learning_rate": 0.01, ...} from a tree of maps; lists and empty maps stay values. */
export function flat_config(tree, prefix = "", into = {}) {
  for (const [key, value] of Object.entries(tree ?? {})) {
    const name = prefix === "" ? key : prefix + "." + key;
    const inner = value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0;
    if (inner) flat_config(value, name, into);
    else into[name] = value;
  }
  return into;
}
