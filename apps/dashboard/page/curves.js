// Curves of records: which panel they belong to, how they grow, and rows for a chart.

/** What a chart's horizontal axis can count. */
export const abscissas = ["batches", "epochs", "examples", "seconds", "time"];

/** Panels of records, as `troupe plot` has them: losses together, accuracies together, each other record alone. */
export function panels(records) {
  const shown = records.filter((name) => !name.startsWith("_") && !hidden.test(name));
  const losses = by_section(shown.filter((name) => /loss$/.test(name)));
  const accuracies = by_section(shown.filter((name) => /(accuracy|r2)$/.test(name)));
  const taken = new Set([...losses, ...accuracies]);
  const others = shown.filter((name) => !taken.has(name)).sort((a, b) => weight(a) - weight(b) || a.localeCompare(b));
  return [{title: "loss", records: losses}, {title: "accuracy", records: accuracies}, ...others.map((name) => ({title: name, records: [name]}))]
    .filter((panel) => panel.records.length > 0);
}

// Training first, then what is measured while training, the test last: a record keeps its color while others appear.
function by_section(names) {
  const place = (name) => (name.startsWith("training_") ? 0 : name.startsWith("validation_") ? 1 : name.startsWith("test_") ? 3 : 2);
  return names.sort((a, b) => place(a) - place(b) || a.localeCompare(b));
}

const hidden = /(^unix_time$|_version$|_undefined$|^timestamp$|^datestamp$|^training_finish_requested$|^saved_to$|^checkpoint_seconds$|^control$|^loaded_from$)/;

// Times interest less than what was measured.
function weight(name) {
  return name === "learning_rate" ? 0 : name.startsWith("time_") ? 2 : 1;
}

/** Where a row of the log lies on an axis. @param run {batches_per_epoch, batch_size}, where they are known */
export function place_of(row, kind, run = {}) {
  switch (kind) {
    case "seconds": return row.seconds;
    case "time": return Date.parse(row.time);
    case "epochs": return run.batches_per_epoch > 0 ? row.batch / run.batches_per_epoch : row.epoch;
    case "examples": return run.batch_size > 0 ? row.batch * run.batch_size : row.batch;
    default: return row.batch;
  }
}

/** The name of a curve: its record, and its worker unless that is the first. */
export function curve_name(record, worker) {
  return worker > 0 ? `${record}@${worker}` : record;
}

/** {record, worker} of a curve's name. */
export function curve_parts(name) {
  const [record, worker] = name.split("@");
  return {record, worker: Number(worker ?? 0)};
}

/** Adds the numbers of new rows to curves {name: {x, y}}, each at most `limit` points long. */
export function with_rows(curves, rows, kind, run, limit = 4000) {
  const result = {...curves};
  for (const row of rows)
    for (const [record, value] of Object.entries(row.records)) {
      const number = value === "NaN" ? NaN : value;
      const x = place_of(row, kind, run);
      if (typeof number !== "number" || record.startsWith("_") || !Number.isFinite(x)) continue;
      const name = curve_name(record, row.worker);
      const old = result[name];
      if (old === undefined) result[name] = {x: [x], y: [number]};
      else {
        if (old === curves[name]) result[name] = {...old, x: old.x.slice(), y: old.y.slice()};
        result[name].x.push(x);
        result[name].y.push(number);
      }
    }
  for (const [name, curve] of Object.entries(result))
    if (curve.x.length > limit) result[name] = {...curve, ...thinned(curve.x, curve.y, limit / 2), decimated: true};
  return result;
}

/** A curve whose part from `from` to `to` is replaced by a more exact one. */
export function spliced(curve, part, from, to) {
  const before = curve.x.findIndex((x) => x >= from), after = curve.x.findIndex((x) => x > to);
  const begin = before < 0 ? curve.x.length : before, end = after < 0 ? curve.x.length : after;
  return {...curve, x: [...curve.x.slice(0, begin), ...part.x, ...curve.x.slice(end)], y: [...curve.y.slice(0, begin), ...part.y, ...curve.y.slice(end)]};
}

/**
 * Rows [x, value of each curve] in order of x; null where a curve has no point at that x.
 * @param curves [{x: [...], y: [...]}]. Of several points of a curve at one x the last one counts.
 */
export function rows_of(curves) {
  const rows = new Map();
  curves.forEach(({x, y}, curve) => {
    for (let point = 0; point < x.length; ++point) {
      const at = x[point];
      if (typeof at !== "number" || !Number.isFinite(at)) continue;
      let row = rows.get(at);
      if (row === undefined) {
        row = new Array(curves.length + 1).fill(null);
        row[0] = at;
        rows.set(at, row);
      }
      row[curve + 1] = y[point];
    }
  });
  return [...rows.values()].sort((a, b) => a[0] - b[0]);
}

/** At most about `limit` points: of each interval the least and the greatest value, so that no peak is lost. */
export function thinned(x, y, limit) {
  if (x.length <= limit) return {x, y};
  const buckets = Math.max(1, Math.floor(limit / 2));
  const kept = [0];
  for (let bucket = 0; bucket < buckets; ++bucket) {
    const begin = Math.floor((bucket * x.length) / buckets), end = Math.floor(((bucket + 1) * x.length) / buckets);
    let least = begin, greatest = begin;
    for (let point = begin; point < end; ++point) {
      if (y[point] < y[least]) least = point;
      if (y[point] > y[greatest]) greatest = point;
    }
    for (const point of [Math.min(least, greatest), Math.max(least, greatest)]) if (point > kept[kept.length - 1]) kept.push(point);
  }
  if (kept[kept.length - 1] !== x.length - 1) kept.push(x.length - 1);
  return {x: kept.map((point) => x[point]), y: kept.map((point) => y[point])};
}
