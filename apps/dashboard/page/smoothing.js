// Smoothed curves: each point is the mean of the values up to it, each with `weight` times the weight of the next one.
// The same as `troupe plot --smooth`. Values that are not finite are gaps, and do not spoil what follows.

export function smoothed(values, weight) {
  if (!(weight > 0)) return values.slice();
  let sum = 0, weights = 0;
  return values.map((value) => {
    if (typeof value !== "number" || !Number.isFinite(value)) return value;
    sum = sum * weight + value;
    weights = weights * weight + 1;
    return sum / weights;
  });
}
