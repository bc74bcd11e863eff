// A grid's saved report, opened from the disk: it shows the grid, sorts, and loads nothing.
//   node tests/dashboard/saved_report.mjs build/release/troupe build

import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join, resolve} from "node:path";
import {new_browser, new_page} from "./browser.mjs";

const [troupe, build] = process.argv.slice(2).map((path) => resolve(path));
const browser = await new_browser(build);
const folder = mkdtempSync(join(tmpdir(), "troupe-report-"));
try {
  writeFileSync(join(folder, "grid.yaml"), `tasks: [{overwrite: {model: {hidden: []}}}, {overwrite: {model: {hidden: [8]}}}]
grid_overwrite: {problem: {name: digits, train: 200, validation: 100, test: 100}, training: {epochs: 2}}
grid: {optimizer.learning_rate: [0.01, 0.001]}
repetitions: 2
seed: 1
`);
  execFileSync(troupe, ["grid", "run", "grid.yaml", "-q"], {cwd: folder});
  for (const colorScheme of ["light", "dark"]) {
    const {page, complaints} = await new_page(browser, {colorScheme, offline: true});
    await page.goto("file://" + join(folder, "grids/grid/report.html"));
    await page.getByRole("heading", {name: "All runs"}).waitFor();
    assert.equal(await page.getByRole("heading", {level: 1}).innerText(), "grid");
    assert.match(await page.locator("main").innerText(), /8 of 8 runs done/);
    assert.equal(await page.locator(".legend .curve").count(), 4, "a curve for each configuration");
    assert.equal(await page.locator(".parallel .line").count(), 8, "a line for each run");
    const table = page.locator("section", {has: page.getByRole("heading", {name: "All runs"})});
    const scores = async () => (await table.locator("tbody tr").evaluateAll((rows) => rows.map((row) => Number(row.children[4].textContent))));
    await table.getByRole("button", {name: "validation_loss"}).click();
    const sorted = await scores();
    assert.equal(sorted.length, 8);
    assert.deepEqual(sorted, sorted.slice().sort((a, b) => a - b));
    await page.getByLabel("Each run").check();
    assert.equal(await page.locator(".legend .curve").count(), 8, "a curve for each run");
    // A drawn canvas has pixels that are not transparent.
    assert.ok(await page.locator(".plot canvas").first().evaluate((canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0)));
    assert.deepEqual(complaints, []);
    await page.close();
  }
  console.log("1 passed, 0 failed");
} finally {
  await browser.close();
  rmSync(folder, {recursive: true});
}
