// What tells curves apart: a color and, independent of it, a line type. The colors are Okabe and Ito's, made darker or
// lighter until each has a contrast of 3:1 to its background.

const light = ["#0072b2", "#c44e00", "#00795a", "#a8437f", "#7a6200", "#3b6fd6", "#444b55"];
const dark = ["#56b4e9", "#ff9a52", "#2fc998", "#e58fc4", "#e6d43c", "#9db4ff", "#c9ced6"];
const dashes = [null, [7, 4], [2, 3], [10, 3, 2, 3], [14, 4], [4, 2, 1, 2]];

/** Number of colors. */
export const colors = light.length;

/** @param number of the curve's color, from 0 */
export function color(number, is_dark) {
  const of = is_dark ? dark : light;
  return of[number % of.length];
}

/** The line type of a number: lengths of strokes and gaps; null: a full line. */
export function dash(number) {
  return dashes[number % dashes.length];
}

/** Styles of curves in one list: a color for each, and the next line type whenever the colors are used up. */
export function styles(count) {
  return Array.from({length: count}, (_, index) => ({color: index % colors, dash: Math.floor(index / colors) + (index % colors > 0 ? index % 3 : 0)}));
}

/** A color between two ends for a share from 0 to 1 (viridis, which is also ordered without color vision). */
export function ramp(share, is_dark) {
  const stops = is_dark
    ? [[110, 96, 190], [74, 130, 186], [42, 168, 156], [100, 202, 100], [236, 225, 60]]
    : [[68, 1, 84], [59, 82, 139], [33, 130, 128], [62, 140, 60], [150, 125, 0]];
  const place = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(place));
  const mixed = stops[low].map((value, index) => Math.round(value + (stops[low + 1][index] - value) * (place - low)));
  return `rgb(${mixed.join(" ")})`;
}
