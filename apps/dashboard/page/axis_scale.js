// The places of values on one axis of parallel coordinates, from 0 (bottom) to 1 (top).

/**
 * The scale of an axis: numbers on a line, logarithmic where all are above 0 and the largest is twenty times the
 * smallest; other values at equal distances, in order.
 * Returns {place(value) -> 0..1 or null, ticks: [{place, value}], logarithmic}.
 */
export function axis_scale(values) {
  const known = values.filter((value) => value !== undefined && value !== null && !(typeof value === "number" && Number.isNaN(value)));
  const numeric = known.length > 0 && known.every((value) => typeof value === "number" && Number.isFinite(value));
  return numeric ? number_scale(known) : order_scale(known);
}

function number_scale(values) {
  const low = values.reduce((a, b) => Math.min(a, b)), high = values.reduce((a, b) => Math.max(a, b));
  const logarithmic = low > 0 && high / low >= 20;
  const measure = logarithmic ? Math.log10 : (value) => value;
  const begin = measure(low), length = measure(high) - begin;
  const place = (value) => {
    if (typeof value !== "number" || !Number.isFinite(value) || (logarithmic && value <= 0)) return null;
    return length === 0 ? 0.5 : Math.min(1, Math.max(0, (measure(value) - begin) / length));
  };
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  const marked = distinct.length <= 6 ? distinct : evenly(low, high, logarithmic);
  return {place, logarithmic, ticks: marked.map((value) => ({value, place: place(value)}))};
}

function evenly(low, high, logarithmic) {
  return [0, 0.25, 0.5, 0.75, 1].map((share) => (logarithmic ? low * (high / low) ** share : low + (high - low) * share));
}

function order_scale(values) {
  const text = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));
  const distinct = [...new Set(values.map(text))].sort((a, b) => a.localeCompare(b, "en", {numeric: true}));
  const places = new Map(distinct.map((value, index) => [value, distinct.length === 1 ? 0.5 : index / (distinct.length - 1)]));
  const place = (value) => (value === undefined || value === null ? null : places.get(text(value)) ?? null);
  return {place, logarithmic: false, ticks: distinct.map((value) => ({value, place: places.get(value)}))};
}
