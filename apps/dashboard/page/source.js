// Where pages get their data: the dashboard's addresses (docs/reference/dashboard-api.md) and its events.

/** @returns a source, after the session is known */
export async function server_source() {
  const session = await get("api/session");
  const watchers = new Map(); // run -> listeners of its rows
  const table = new Set(); // listeners of the table of runs
  const lives = new Set(); // listeners of the connection
  let runs = null, asked = null, again = false, missed = [], events = null, connected = null, opening = 0;

  /** The rows of the table: settings that most runs share are in each of them. */
  async function read_runs() {
    again = asked !== null; // an answer on its way may be older than what this call is about
    if (again) return asked;
    asked = get("api/runs").then((answer) => {
      runs = new Map(answer.runs.map((run) => [run.id, table_row(run, answer.common)]));
    }).finally(() => {
      asked = null;
      const changes = missed;
      missed = [];
      if (again) read_runs().catch(() => {});
      if (runs !== null) changes.forEach(merge);
    }).then(tell_table);
    return asked;
  }

  function tell_table() {
    const list = [...runs.values()];
    table.forEach((listener) => listener(list));
  }

  // One connection for all: opened anew when other runs are watched.
  function listen() {
    clearTimeout(opening);
    opening = setTimeout(() => {
      events?.close();
      events = new EventSource("api/events?watch=" + [...watchers.keys()].join(","));
      const on = (name, act) => events.addEventListener(name, (event) => act(JSON.parse(event.data)));
      on("hello", () => {
        say_live(true);
        // What happened while there was no connection is read again.
        if (table.size > 0 || runs !== null) read_runs().catch(() => {});
        watchers.forEach((listeners) => listeners.forEach((listener) => listener.reread?.()));
      });
      on("runs", (changed) => take_runs(changed));
      on("rows", (more) => watchers.get(more.run)?.forEach((listener) => listener.rows?.(more)));
      on("reread", (of) => watchers.get(of.run)?.forEach((listener) => listener.reread?.()));
      events.onerror = () => {
        say_live(false);
        // A refused connection is not tried again by the browser itself.
        if (events.readyState === EventSource.CLOSED) opening = setTimeout(listen, 2000);
      };
    }, 30);
  }

  function take_runs(changes) {
    for (const row of changes.runs ?? []) watchers.get(row.id)?.forEach((listener) => listener.run?.(without_config(row)));
    if (asked !== null) missed.push(changes);
    if (runs === null) return;
    merge(changes);
    tell_table();
  }

  function merge({runs: changed = [], gone = []}) {
    for (const row of changed) if (runs.has(row.id)) runs.set(row.id, {...runs.get(row.id), ...without_config(row)});
    for (const id of gone) runs.delete(id);
    if (changed.some((row) => !runs.has(row.id))) read_runs().catch(() => {});
  }

  function say_live(now) {
    connected = now;
    lives.forEach((listener) => listener(now));
  }

  listen();
  return {
    session,
    folders: session.folders ?? [],
    may: (verb) => (session.may ?? []).includes(verb),
    /** Calls `listener(connected)` now and at each change; null: not yet known. */
    watch_connection(listener) {
      lives.add(listener);
      listener(connected);
      return () => lives.delete(listener);
    },
    /** Calls `listener(runs)` with all runs, now and at each change. */
    watch_runs(listener, failed) {
      table.add(listener);
      if (runs !== null) listener([...runs.values()]);
      else read_runs().catch((error) => failed?.(error));
      return () => table.delete(listener);
    },
    run: async (id) => run_detail(await get("api/runs/" + id)),
    /** Listens to a run: {run(row), rows({rows}), reread()}. */
    watch_run(id, listener) {
      if (!watchers.has(id)) {
        watchers.set(id, new Set());
        listen();
      }
      watchers.get(id).add(listener);
      return () => {
        watchers.get(id)?.delete(listener);
        if (watchers.get(id)?.size === 0) {
          watchers.delete(id);
          listen();
        }
      };
    },
    /** Curves {series, next}. @param options {records, x, points, from, to} */
    curves: (id, options) => get(`api/runs/${id}/curves?` + new URLSearchParams(Object.entries(options).filter(([, value]) => value !== undefined))),
    log: (id, from, rows) => get(`api/runs/${id}/log?from=${from}&rows=${rows}`),
    console: (id, rows) => get(`api/runs/${id}/console?rows=${rows}`),
    system: (id) => get(`api/runs/${id}/system`),
    why: (id) => get(`api/runs/${id}/why`),
    timeline: (id) => get(`api/runs/${id}/timeline`),
    file: (id, name) => `api/runs/${id}/files/${name.split("/").map(encodeURIComponent).join("/")}`,
    grids: async () => (await get("api/grids")).grids,
    grid: (id) => get("api/grids/" + id),
    clusters: async () => (await get("api/clusters")).clusters,
    cluster: (id) => get("api/clusters/" + id),
    /** A command of `troupe ctl`: "set learning_rate=0.01". @returns {ok, lines} */
    async act(id, command) {
      const [verb, ...words] = command.split(/\s+/);
      const {body} = await post(`api/runs/${id}/control`, {verb, arguments: words});
      const lines = body.lines ?? [];
      return {ok: body.ok === true, lines: body.error && !lines.includes(body.error) ? [...lines, body.error] : lines};
    },
    async set_tags(id, tags) {
      const {status, body} = await post(`api/runs/${id}/tags`, {tags});
      if (status !== 200) throw new Error(body.error ?? `The dashboard answers ${status}.`);
    },
  };
}

/** A row of the table as pages use it. */
function table_row(run, common) {
  const config = {...common};
  for (const [key, value] of Object.entries(run.config ?? {})) {
    if (value === null) delete config[key];
    else config[key] = value;
  }
  return {...without_config(run), config};
}

// Names that pages use: `records` are the last values; times are milliseconds since 1970.
function without_config(run) {
  const row = {...run};
  delete row.config;
  if (run.began !== undefined) row.started = Date.parse(run.began ?? "");
  if (run.last !== undefined) row.records = run.last ?? {};
  // A worker or a trial is one of many of that name: the name of its cluster or grid tells which.
  if ((run.grid || run.cluster) && run.folder) row.name = run.folder.split("/").slice(-2).join("/");
  return row;
}

function run_detail(run) {
  const status = run.status?.["0"] ?? {};
  const config = run.config ?? {};
  return {...without_config(run), config, record_names: Array.isArray(run.records) ? run.records : [], records: run.last ?? {},
    batches_per_epoch: status.batches_per_epoch, batch_size: Number(config["training.batch_size"]) || undefined,
    examples_per_second: run.result?.examples_per_second};
}

async function get(path) {
  const answer = await fetch(path, {headers: {Accept: "application/json"}, credentials: "same-origin"}).catch(() => {
    throw new Error("The dashboard does not answer. Is `troupe dashboard` still running?");
  });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(body.error ?? `The dashboard answers ${answer.status} to ${path}.`), {status: answer.status});
  return body;
}

async function post(path, value) {
  const answer = await fetch(path, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(value), credentials: "same-origin"}).catch(() => {
    throw new Error("The dashboard does not answer. Is `troupe dashboard` still running?");
  });
  return {status: answer.status, body: await answer.json().catch(() => ({}))};
}
