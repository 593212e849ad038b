// SPDX-License-Identifier: MIT
// Takes the pictures of docs/: node screenshots.mjs PAGE.html FOLDER METHOD WORD ASYNC_PAGE.html
// METHOD, one of the first of the hot list, is chosen in the wide ones; WORD is searched for in the
// narrow one. ASYNC_PAGE has async calls, and slow ones among them.
// Environment: see browser.mjs. Where pngquant is installed, it makes the pictures smaller.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, open, reasonAgainst } from "./browser.mjs";

const [file, folder, method, word, async] = process.argv.slice(2);
if (!async) throw new Error("usage: screenshots.mjs PAGE.html FOLDER METHOD WORD ASYNC_PAGE.html");
if (reasonAgainst()) throw new Error(reasonAgainst());

const WIDE = { viewport: { width: 1360, height: 840 }, deviceScaleFactor: 1 };
const NARROW = { viewport: { width: 390, height: 780 }, deviceScaleFactor: 1.5, hasTouch: true };
const SHORT = { viewport: { width: 1360, height: 520 }, deviceScaleFactor: 1 };

async function take(browser, shown, name, options, prepare) {
  const { page } = await open(browser, pathToFileURL(shown).href, { reducedMotion: "reduce", ...options });
  await prepare(page);
  await page.mouse.move(2, 2);
  await page.waitForTimeout(300);
  const path = join(folder, name);
  await page.screenshot({ path });
  spawnSync("pngquant", ["--force", "--skip-if-larger", "--strip", "--output", path, "128", path]);
  await page.context().close();
}

const choose = (page) => page.locator(".hotlist .rows .row", { hasText: method }).first().click();

const browser = await launch();
await take(browser, file, "page-light.png", { ...WIDE, colorScheme: "light" }, choose);
await take(browser, file, "page-dark.png", { ...WIDE, colorScheme: "dark" }, async (page) => {
  await choose(page);
  await page.getByRole("button", { name: "Icicle" }).click();
});
await take(browser, file, "page-narrow.png", { ...NARROW, colorScheme: "light" }, (page) =>
  page.getByRole("searchbox").fill(word),
);
const tab = (name) => (page) => page.getByRole("tab", { name }).click();
await take(browser, async, "async-calls.png", { ...SHORT, colorScheme: "light" }, tab("Async"));
await take(browser, async, "slow-call.png", { ...SHORT, colorScheme: "light" }, tab("Slowest calls"));
await browser.close();
