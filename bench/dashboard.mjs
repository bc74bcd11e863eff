// What the dashboard costs: how soon its pages are there, its memory, and what training loses to it.
//   node bench/dashboard.mjs build/release/troupe build [RUNS ROWS ROUNDS]

import {spawn} from "node:child_process";
import {createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {connect} from "node:net";
import {once} from "node:events";
import {tmpdir} from "node:os";
import {join, resolve} from "node:path";
import {setTimeout as sleep} from "node:timers/promises";
import {new_browser, new_page} from "../tests/dashboard/browser.mjs";

const [troupe, build] = process.argv.slice(2, 4).map((path) => resolve(path));
const [runs, rows, rounds] = [1000, 1_000_000, 3].map((usual, index) => Number(process.argv[4 + index] ?? usual));
const folder = mkdtempSync(join(tmpdir(), "troupe-dashboard-"));
const report = (line) => console.log(JSON.stringify(line));
const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const start_line = (name, id) => JSON.stringify({run: name, id: id.padStart(32, "0"), time: "2026-01-31T12:00:00.000Z"}) + "\n";
const end_line = (name, id) => JSON.stringify({run: name, id: id.padStart(32, "0"), ended: true, time: "2026-01-31T13:00:00.000Z"}) + "\n";
const row_line = (name, batch) => JSON.stringify({run: name, worker: 0, batch, epoch: Math.floor(batch / 1000), seconds: batch / 500,
  time: new Date(1769860800000 + 2 * batch).toISOString(), records: {learning_rate: 0.05, training_loss: 2 / (1 + batch / 10000) + Math.sin(batch)}}) + "\n";

async function write_runs() {
  for (let run = 0; run < runs; ++run) {
    const name = `run-${run}`, path = join(folder, "runs", name);
    mkdirSync(path, {recursive: true});
    writeFileSync(join(path, "config.yaml"), `problem: {name: digits}\nmodel: {name: mlp}\noptimizer: {learning_rate: ${1 / (1 + (run % 7))}}\ntraining: {epochs: 3, seed: ${run}}\n`);
    writeFileSync(join(path, "log.jsonl"), start_line(name, String(run)) + Array.from({length: 50}, (_, batch) => row_line(name, batch)).join("") + end_line(name, String(run)));
  }
  const path = join(folder, "runs", "long");
  mkdirSync(path);
  const file = createWriteStream(join(path, "log.jsonl"));
  file.write(start_line("long", "ffff"));
  for (let batch = 0; batch < rows; batch += 1000) {
    const piece = Array.from({length: Math.min(1000, rows - batch)}, (_, one) => row_line("long", batch + one)).join("");
    if (!file.write(piece)) await once(file, "drain");
  }
  file.end(end_line("long", "ffff"));
  await once(file, "finish");
}

/** Seconds of processor time of a process. */
function processor_seconds(process) {
  const fields = readFileSync(`/proc/${process}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const megabytes = (process) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process}/status`, "utf8"))[1]) / 1000;
const peak_megabytes = (process) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${process}/status`, "utf8"))[1]) / 1000;

/** Trains M1 with batches of 64, and says what that took, of its own processor time and on the clock. */
function train(place) {
  const words = ["train", "-q", "model.hidden=[512,512]", "training.batch_size=64", "training.batches=3000", "training.threads=1", "+extensions.each={type: norms, every_n_batches: 50}", `run.root=${place}`];
  const child = spawn("sh", ["-c", '"$0" "$@" >/dev/null 2>&1; times', troupe, ...words], {cwd: folder, stdio: ["ignore", "pipe", "inherit"]});
  const begin = Date.now();
  return new Promise((done) => {
    let output = "";
    child.stdout.on("data", (data) => { output += data; });
    child.on("close", () => {
      const times = [...output.split("\n")[1].matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, seconds]) => 60 * minutes + Number(seconds));
      done({processor: times[0] + times[1], clock: (Date.now() - begin) / 1000});
    });
  });
}

async function until(what, holds, seconds = 120) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(20)) {
    const value = await holds();
    if (value) return value;
  }
  throw new Error(`after ${seconds} s: ${what}`);
}

await write_runs();
const dashboard = spawn(troupe, ["dashboard", "runs"], {cwd: folder, stdio: ["ignore", "pipe", "inherit"]});
const browser = await new_browser(build);
try {
  let printed = "";
  dashboard.stdout.on("data", (data) => { printed += data; });
  const address = new URL(await until("the dashboard prints its address", () => /http:\S+/.exec(printed)?.[0]));
  const headers = {Authorization: "Bearer " + address.searchParams.get("token")};
  const ask = async (path) => (await fetch(new URL(path, address), {headers})).json();
  const listed = await until("all runs are listed", async () => {
    const answer = await ask("/api/runs");
    return answer.runs.length === runs + 1 && answer.runs.every((run) => run.state !== "new") && answer.runs;
  });
  const long = listed.find((run) => run.name === "long").id;
  report({memory_megabytes: megabytes(dashboard.pid), peak_megabytes: peak_megabytes(dashboard.pid), runs});

  const shown = async (hash, selector) => {
    const {page} = await new_page(browser);
    await page.goto(address.href);
    await page.goto("about:blank");
    const before = processor_seconds(dashboard.pid), begin = Date.now();
    await page.goto(address.origin + "/" + hash);
    await page.waitForSelector(selector);
    const milliseconds = Date.now() - begin;
    const processor = processor_seconds(dashboard.pid) - before;
    await page.close();
    return {milliseconds, dashboard_processor_ms: Math.round(1000 * processor)};
  };
  const tables = [];
  for (let time = 0; time < 5; ++time) tables.push(await shown("#/", "tr.run"));
  report({page: "runs", milliseconds: tables.map((one) => one.milliseconds), median: middle(tables.map((one) => one.milliseconds)), dashboard_processor_ms: middle(tables.map((one) => one.dashboard_processor_ms))});
  report({page: "a log of rows", rows, ...(await shown("#/run/" + long, ".chart:not(.empty) canvas")), again: await shown("#/run/" + long, ".chart:not(.empty) canvas")});
  report({memory_megabytes: megabytes(dashboard.pid), peak_megabytes: peak_megabytes(dashboard.pid)});

  // Twenty pages that follow, and twenty that never read.
  const ratios = [];
  for (let round = 0; round < rounds; ++round) {
    const alone = await train("alone");
    const ends = [];
    for (let page = 0; page < 20; ++page) {
      const ending = new AbortController();
      ends.push(() => ending.abort());
      fetch(new URL("/api/events?watch=" + long, address), {headers, signal: ending.signal}).then(async (answer) => {
        for await (const piece of answer.body) void piece;
      }).catch(() => {});
      const mute = connect(Number(address.port), "127.0.0.1").pause();
      mute.on("error", () => {});
      mute.write(`GET /api/runs HTTP/1.1\r\nHost: ${address.host}\r\nAuthorization: ${headers.Authorization}\r\n\r\n`.repeat(20));
      ends.push(() => mute.destroy());
    }
    const before = processor_seconds(dashboard.pid);
    const watched = await train("runs/live");
    ratios.push(alone.processor / watched.processor);
    report({round, alone, watched, dashboard_processor: processor_seconds(dashboard.pid) - before});
    ends.forEach((end) => end());
  }
  report({training_speed_by_processor_time: middle(ratios), memory_megabytes: megabytes(dashboard.pid), peak_megabytes: peak_megabytes(dashboard.pid)});
} finally {
  await browser.close();
  dashboard.kill();
  rmSync(folder, {recursive: true, force: true});
}
