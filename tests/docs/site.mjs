// The built site in a browser, from its files: it loads nothing from elsewhere, fits narrow screens, and its search finds.
//   node tests/docs/site.mjs SITE BUILD

import {pathToFileURL} from "node:url";
import {resolve} from "node:path";
import {new_browser, new_page} from "../dashboard/browser.mjs";

const [site, build] = process.argv.slice(2).map((path) => resolve(path));
const failures = [];
const expect = (holds, sentence) => holds || failures.push(sentence);
const address = (name) => pathToFileURL(`${site}/${name}`).href;

const browser = await new_browser(build);
const pages = ["index.html", "docs/reference/conversations.html", "docs/reference/components/extension.html", "docs/how-to/clusters.html",
  "api/index.html", "api/model/layers/layer.html", "api/messages/parameters/parameters.html"];
for (const width of [360, 1280])
  for (const colorScheme of ["light", "dark"])
    for (const name of pages) {
      const {page, complaints} = await new_page(browser, {viewport: {width, height: 800}, colorScheme});
      await page.goto(address(name));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide <= width, `${name} is ${wide} pixels wide on a screen of ${width}`);
      expect(complaints.length === 0, `${name}: ${complaints}`);
      await page.context().close();
    }

const {page, complaints} = await new_page(browser);
const found = async (words) => {
  await page.goto(address("docs/how-to/data.html"));
  await page.click("input.md-search__input");
  await page.keyboard.type(words);
  await page.waitForSelector(".md-search-result__link", {timeout: 20_000});
  return page.$$eval(".md-search-result__link", (links) => links.map((link) => link.href));
};
for (const [words, wanted] of [["early stopping", "docs/reference/extensions.html"], ["same_buffer", "api/model/tensor/block.html"],
  ["SubscribeGate", "api/messages/loop/loop.html"], ["beta2", "docs/reference/components/optimizer.html"]])
  expect((await found(words)).some((link) => link.startsWith(address(wanted))), `a search for ${words} does not find ${wanted}`);
expect(complaints.length === 0, `the search: ${complaints}`);

const pictures = async (name) => {
  await page.goto(address(name));
  return page.$$eval(".picture svg", (all) => all.filter((one) => one.getBoundingClientRect().height > 40).length);
};
expect((await pictures("docs/reference/conversations.html")) > 10, "the page of conversations has no pictures");
expect((await pictures("index.html")) === 1, "the first page has no picture of the cast");

await browser.close();
console.log([...failures, `${failures.length} failures`].join("\n"));
process.exit(failures.length === 0 ? 0 : 1);
