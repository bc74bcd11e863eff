// Chromium by playwright-core, for tests of pages. Without either, a test is skipped with a line (exit code 77).

import {existsSync} from "node:fs";
import {createRequire} from "node:module";

const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** A browser. @param build folder of the build, which has playwright-core in node_modules */
export async function new_browser(build) {
  const program = browsers.find((path) => existsSync(path));
  if (program === undefined) skip("there is no Chromium: apt-get install chromium");
  let playwright;
  try {
    playwright = createRequire(import.meta.url)(`${build}/npm/node_modules/playwright-core`);
  } catch {
    skip(`there is no playwright-core: npm install --prefix ${build}/npm playwright-core`);
  }
  return playwright.chromium.launch({executablePath: program, args: quiet});
}

function skip(reason) {
  console.log("skipped: " + reason);
  process.exit(77);
}

/** A page that counts the complaints of the browser: errors, refused loads, and requests to other hosts. */
export async function new_page(browser, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && !/Failed to load resource/.test(message.text()) && complaints.push(message.text()));
  page.on("request", (request) => /^https?:/.test(request.url()) && !/^https?:\/\/127\.0\.0\.1[:/]/.test(request.url()) && complaints.push("loads " + request.url()));
  return {page, complaints};
}
