// The dashboard in a browser: a live run grows, is paused, resumed and steered by clicks; runs are compared; a grid.
//   node tests/dashboard/pages.mjs build/release/troupe build

import assert from "node:assert/strict";
import {execFileSync, spawn} from "node:child_process";
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join, resolve} from "node:path";
import {setTimeout as sleep} from "node:timers/promises";
import {new_browser, new_page} from "./browser.mjs";

const [troupe, build] = process.argv.slice(2).map((path) => resolve(path));
const browser = await new_browser(build);
const folder = mkdtempSync(join(tmpdir(), "troupe-dashboard-"));
const started = [];

const run_troupe = (...words) => execFileSync(troupe, words, {cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"]});
const small = ["problem.train=500", "problem.validation=100", "problem.test=100", "training.threads=1"];

function start(...words) {
  const child = spawn(troupe, words, {cwd: folder, stdio: ["ignore", "pipe", "pipe"]});
  child.output = "";
  child.stdout.on("data", (data) => { child.output += data; });
  child.stderr.on("data", (data) => { child.output += data; });
  child.ended = new Promise((done) => child.on("exit", done));
  started.push(child);
  return child;
}

async function until(what, holds, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await holds();
    if (value) return value;
    if (Date.now() > end) throw new Error(`after ${seconds} s: ${what}`);
    await sleep(50);
  }
}

const scenes = [];
const scene = (name, act) => scenes.push({name, act});
let address = "";

/** The page at a hash, with the cookie of the token. */
async function open(hash) {
  const {page, complaints} = await new_page(browser);
  await page.goto(address);
  await page.goto(address.replace(/\?.*/, "") + hash);
  page.complaints = complaints;
  return page;
}

const tile = (page, name) => page.locator(`dd[data-tile="${name}"]`).innerText().then((text) => Number(text.split("\n")[0].replaceAll(",", "")));
const fingerprint = (text) => /parameters\s+([0-9a-f]{16})/.exec(text)[1];

scene("a live run's curve grows, a click pauses and resumes it to the same bits, and extensions come and go", async () => {
  const training = [...small, "training.epochs=100000", "training.seed=7", "optimizer.learning_rate=0.0001"];
  const child = start("train", "--control", "127.0.0.1:0", "--paused", ...training);
  await until("the run can be controlled", () => existsSync(join(folder, "runs/latest/control.json")));
  const page = await open("#/");
  await page.getByRole("link", {name: /T.*Z/}).first().click();
  await page.getByRole("button", {name: "Resume"}).click();
  const points = () => page.evaluate(() => document.querySelectorAll(".chart:not(.empty) canvas").length);
  await until("a chart is drawn", points);
  const first = await tile(page, "batches");
  await until("the number of batches grows", async () => (await tile(page, "batches")) > first);
  await page.getByRole("button", {name: "Pause"}).click();
  await page.locator("#run-state .paused").waitFor();
  const paused = await tile(page, "batches");
  await sleep(1500);
  assert.ok((await tile(page, "batches")) - paused <= 1, "a paused run trains no batch");
  await page.getByRole("button", {name: "Attach…"}).click();
  await page.getByRole("dialog").getByRole("textbox").fill("norms:often every_n_batches=50");
  await page.getByRole("dialog").getByRole("button", {name: "Attach"}).click();
  await until("the extension is attached", async () => /often/.test(run_troupe("ctl", "latest", "status", "json")));
  await page.getByRole("button", {name: "Resume"}).click();
  await page.locator(".chart", {hasText: "gradient_norm"}).waitFor();
  await page.getByRole("button", {name: "Pause"}).click();
  await page.locator("#run-state .paused").waitFor();
  await page.getByRole("button", {name: "Breakpoints…"}).click();
  await page.getByRole("dialog").getByLabel("Condition").fill("batch > 0");
  await page.getByRole("dialog").getByRole("button", {name: "Change breakpoints"}).click();
  await until("the breakpoint is set", async () => /breakpoint 1: batch > 0/.test(run_troupe("ctl", "latest", "break")));
  const trained = () => Number(/"batches":(\d+)/.exec(run_troupe("ctl", "latest", "status", "json"))[1]);
  const held = trained();
  await page.getByRole("button", {name: "Resume"}).click();
  await until("training pauses at the breakpoint", async () => (await tile(page, "batches")) === held + 1 && trained() === held + 1);
  await page.locator("#run-state .paused").waitFor();
  await page.getByRole("button", {name: "Breakpoints…"}).click();
  await page.getByRole("dialog").getByText("breakpoint 1: batch > 0, set by dashboard, role admin").waitFor();
  await page.getByRole("dialog").getByLabel("Breakpoint to remove").selectOption("1");
  await page.getByRole("dialog").getByRole("button", {name: "Change breakpoints"}).click();
  await until("the breakpoint is removed", async () => /no breakpoints/.test(run_troupe("ctl", "latest", "break")));
  await page.getByRole("button", {name: "Detach…"}).click();
  await page.getByRole("dialog").getByRole("combobox").selectOption("often");
  await page.getByRole("dialog").getByRole("button", {name: "Detach"}).click();
  await until("the extension is detached", async () => !/often/.test(run_troupe("ctl", "latest", "status", "json")));
  await page.getByRole("tab", {name: "Acts"}).click();
  await page.getByRole("cell", {name: "detach often"}).waitFor();
  await page.getByRole("button", {name: "Resume"}).click();
  await page.getByRole("button", {name: "Stop…"}).click();
  await page.getByRole("dialog").getByRole("button", {name: "Stop training"}).click();
  await child.ended;
  await page.locator("#run-state .stopped").waitFor();
  const batches = /(\d+) batches/.exec(child.output)[1];
  const undisturbed = run_troupe("train", ...training, "training.batches=" + batches, "run.root=elsewhere");
  assert.equal(fingerprint(child.output), fingerprint(undisturbed), "the same bits as undisturbed");
  assert.deepEqual(page.complaints, []);
  await page.close();
});

scene("the page of a run that trains traces steps and draws the last one", async () => {
  const child = start("train", "--control", "127.0.0.1:0", ...small, "training.epochs=100000", "run.root=runs/traced");
  await until("the run can be controlled", () => existsSync(join(folder, "runs/traced/latest/control.json")));
  const page = await open("#/?filter=traced");
  await page.getByRole("link", {name: /T.*Z/}).first().click();
  await page.getByRole("tab", {name: "System"}).click();
  await page.getByRole("button", {name: "Show the last step"}).click();
  await page.getByText("No step of this run has been traced").waitFor();
  for (const again of [1, 2]) {
    await page.getByRole("button", {name: "Trace 100 steps"}).click();
    await page.getByText("The next 100 steps are traced").waitFor();
    await until("the steps are in the file", () => readFileSync(join(folder, "runs/traced/latest/trace.jsonl"), "utf8").split("\n").length > 101 * again);
  }
  await page.getByRole("button", {name: "Show the last step"}).click();
  await page.locator(".timeline rect").first().waitFor();
  assert.match((await page.locator(".timeline title").allTextContents()).join(), /step \d+: .*gradient: .*update: /);
  run_troupe("ctl", "runs/traced/latest", "stop");
  await child.ended;
  assert.deepEqual(page.complaints, []);
  await page.close();
});

scene("the page of a run that trains says what bounds it, and says it anew", async () => {
  const child = start("train", "--control", "127.0.0.1:0", ...small, "training.epochs=100000", "run.root=runs/bounded");
  await until("the run can be controlled", () => existsSync(join(folder, "runs/bounded/latest/control.json")));
  const page = await open("#/?filter=bounded");
  await page.getByRole("link", {name: /T.*Z/}).first().click();
  await page.getByRole("tab", {name: "What bounds it"}).click();
  await page.locator(".why h2").waitFor();
  const first = () => page.locator(".why p").first().innerText();
  assert.equal(await page.locator(".why p").count(), 4, "four sentences below the headline");
  assert.match(await page.locator(".why h2").innerText(), / bounds it: .* of the critical path/);
  assert.deepEqual(await page.locator(".why-bars .name").allInnerTexts(), ["worker 0, the critical path", "without it"]);
  const before = await first();
  assert.match(before, /has trained .* so far/);
  await until("the answer is a later one", async () => (await first()) !== before);
  await page.setViewportSize({width: 360, height: 800});
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360), "nothing is wider than a telephone");
  run_troupe("ctl", "runs/bounded/latest", "stop");
  await child.ended;
  assert.deepEqual(page.complaints, []);
  await page.close();
});

scene("two runs are chosen and compared", async () => {
  for (const rate of [0.01, 0.001]) run_troupe("train", "-q", ...small, "training.epochs=3", `optimizer.learning_rate=${rate}`);
  const page = await open("#/?filter=epochs=3");
  await until("both runs are in the table", async () => (await page.locator("tr.run").count()) === 2);
  await page.getByLabel("Choose all").check();
  await page.getByRole("button", {name: "Compare"}).click();
  const chart = page.locator(".chart", {hasText: "validation_loss"});
  await chart.waitFor();
  await until("the chart has both curves", async () => (await chart.locator(".legend .curve").count()) === 2);
  assert.match(await page.getByRole("row", {name: /optimizer.learning_rate/}).innerText(), /0.01.*0.001|0.001.*0.01/s);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

scene("the table of runs is there again after another page", async () => {
  const page = await open("#/");
  const rows = page.locator("tr.run");
  await rows.first().waitFor();
  await page.getByRole("link", {name: "Grids"}).click();
  await page.getByRole("heading", {name: "Grids"}).waitFor();
  await page.getByRole("link", {name: "Runs"}).click();
  await rows.first().waitFor();
  assert.deepEqual(page.complaints, []);
  await page.close();
});

scene("a grid's page shows its ranks", async () => {
  writeFileSync(join(folder, "small.yaml"), `tasks: [{overwrite: {model: {hidden: []}}}]
grid_overwrite: {problem: {name: digits, train: 200, validation: 100, test: 100}, training: {epochs: 2}}
grid: {optimizer.learning_rate: [0.01, 0.001]}
repetitions: 2
seed: 1
`);
  run_troupe("grid", "train", "small.yaml", "-q");
  const page = await open("#/grids");
  await page.getByRole("link", {name: /small/}).click();
  await page.getByRole("heading", {name: "Configurations, the best first"}).waitFor();
  await until("all runs are in the page", async () => /4 of 4 runs done/.test(await page.locator("main").innerText()));
  await page.locator(".plot canvas").first().waitFor();
  assert.deepEqual(page.complaints, []);
  await page.close();
});

try {
  for (const name of ["runs", "grids"]) mkdirSync(join(folder, name));
  const dashboard = start("dashboard", "runs", "grids");
  address = await until("the dashboard prints its address", () => /http:\/\/\S+/.exec(dashboard.output)?.[0]);
  let failed = 0;
  for (const {name, act} of scenes) {
    const begin = Date.now();
    try {
      await act();
      console.log(`ok: ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed += 1;
      if (process.env.TROUPE_PICTURES) for (const context of browser.contexts()) for (const page of context.pages()) await page.screenshot({path: join(process.env.TROUPE_PICTURES, `failed-${failed}.png`), fullPage: true});
      console.log(`not ok: ${name}\n${error.stack}\n${dashboard.output}`);
    }
  }
  console.log(`${scenes.length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await browser.close();
  for (const child of started) child.kill("SIGKILL");
  rmSync(folder, {recursive: true, force: true});
}
