// Mean and deviation over repetitions, as grids compute them.

/** {count, mean, deviation} of the finite values; the deviation is that of a sample, NaN of fewer than two. */
export function spread(values) {
  const finite = values.filter((value) => typeof value === "number" && Number.isFinite(value));
  const count = finite.length;
  if (count === 0) return {count, mean: NaN, deviation: NaN};
  const mean = finite.reduce((sum, value) => sum + value, 0) / count;
  const squares = finite.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {count, mean, deviation: count > 1 ? Math.sqrt(squares / (count - 1)) : NaN};
}

/** "0.412 ± 0.031 (3)" from a spread. */
export function spread_text(of, text) {
  if (of.count === 0) return "";
  return text(of.mean) + (Number.isNaN(of.deviation) ? "" : " ± " + text(of.deviation)) + (of.count > 1 ? ` (${of.count})` : "");
}

/** "min" where smaller values of a record are better, "max" where larger ones are; "" where the name does not tell. */
export function better(record) {
  if (/(loss|error|mse|mae|perplexity)(_|$)/.test(record)) return "min";
  if (/(accuracy|acc|r2|f1|precision|recall|per_second)(_|$)/.test(record)) return "max";
  return "";
}

/** Mean of several curves at each x that any has, with one deviation below and above: {x, y, low, high}. */
export function mean_curve(curves) {
  const values = new Map();
  for (const curve of curves) for (const [x, y] of curve) values.set(x, [...(values.get(x) ?? []), y]);
  const x = [...values.keys()].sort((a, b) => a - b);
  const of = x.map((at) => spread(values.get(at)));
  const half = (one) => (Number.isFinite(one.deviation) ? one.deviation : 0);
  return {x, y: of.map((one) => one.mean), low: of.map((one) => one.mean - half(one)), high: of.map((one) => one.mean + half(one))};
}
