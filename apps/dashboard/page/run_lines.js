// The curves of one run as a page shows them: read once, then grown by events, and read more exactly where zoomed.

import {curve_name, with_rows, spliced} from "./curves.js";

const zoom_delay = 250;

/**
 * @param changed called when there are other points
 * @returns {lines: {name: {x, y}}, use(kind), zoom(window), end()}
 */
export function new_run_lines(source, run, changed) {
  let kind = "batches", whole = {}, exact = null, asked = 0, delayed = 0, next = 0, waiting = [];
  const factor = () => (kind === "time" ? 1000 : 1); // the server counts seconds, charts count milliseconds

  async function read() {
    const mine = ++asked;
    waiting = [];
    const answer = await source.curves(run.id, {x: kind, records: names(), points: 1500}).catch(() => null);
    if (answer === null || mine !== asked) return;
    whole = by_name(answer.series);
    next = answer.next;
    exact = null;
    const missed = waiting;
    waiting = null;
    missed.forEach(add);
    changed();
  }

  const names = () => (run.record_names?.length > 0 ? run.record_names.filter((name) => !name.startsWith("_")).join(",") : undefined);

  function by_name(series) {
    return Object.fromEntries(series.map((one) => [curve_name(one.record, one.worker), {x: one.x.map((x) => x * factor()), y: one.y.map((y) => (y === null ? NaN : y)), decimated: one.decimated}]));
  }

  function add(more) {
    if (waiting !== null) {
      waiting.push(more);
      return;
    }
    const rows = more.rows.filter((row) => row.number === undefined || row.number >= next);
    next = Math.max(next, more.next ?? 0);
    whole = with_rows(whole, rows, kind, run);
    changed();
  }

  const leave = source.watch_run(run.id, {rows: add, reread: read});
  return {
    /** The curves, more exact within the zoomed part. */
    get lines() {
      if (exact === null) return whole;
      const result = {...whole};
      for (const [name, part] of Object.entries(exact.lines)) if (result[name]) result[name] = spliced(result[name], part, exact.from, exact.to);
      return result;
    },
    use(next_kind) {
      kind = next_kind;
      whole = {};
      exact = null;
      return read();
    },
    /** Reads the part that is shown where the curves have more points than were read. */
    zoom(window) {
      clearTimeout(delayed);
      exact = null;
      if (window === null || !Object.values(whole).some((curve) => curve.decimated)) return;
      delayed = setTimeout(async () => {
        const mine = asked;
        const [from, to] = window;
        const answer = await source.curves(run.id, {x: kind, records: names(), points: 1500, from: from / factor(), to: to / factor()}).catch(() => null);
        if (answer === null || mine !== asked) return;
        exact = {from, to, lines: by_name(answer.series)};
        changed();
      }, zoom_delay);
    },
    end() {
      clearTimeout(delayed);
      asked += 1;
      leave();
    },
  };
}
