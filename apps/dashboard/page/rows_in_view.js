// Which rows of a long table are in view: only these have elements, so that 10,000 rows scroll like 30.

/** {begin, end, before, after}: rows [begin, end), and the heights in pixels of what lies before and after them. */
export function rows_in_view(count, row_height, top, height, margin = 8) {
  const first = Math.floor(Math.max(0, top) / row_height) - margin;
  const last = Math.ceil((Math.max(0, top) + height) / row_height) + margin;
  const begin = Math.max(0, Math.min(first, count)), end = Math.max(begin, Math.min(last, count));
  return {begin, end, before: begin * row_height, after: (count - end) * row_height};
}
