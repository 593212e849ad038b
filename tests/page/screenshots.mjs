// SPDX-License-Identifier: MIT
// Takes the pictures of docs/: node screenshots.mjs PAGE.html FOLDER METHOD WORD
// METHOD, one of the first of the hot list, is chosen in the wide ones; WORD is searched for in the
// narrow one.
// Environment: see browser.mjs. Where pngquant is installed, it makes the pictures smaller.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, open, reasonAgainst } from "./browser.mjs";

const [file, folder, method, word] = process.argv.slice(2);
if (!word) throw new Error("usage: screenshots.mjs PAGE.html FOLDER METHOD WORD");
if (reasonAgainst()) throw new Error(reasonAgainst());

const WIDE = { viewport: { width: 1360, height: 840 }, deviceScaleFactor: 1 };
const NARROW = { viewport: { width: 390, height: 780 }, deviceScaleFactor: 1.5, hasTouch: true };
const url = pathToFileURL(file).href;

async function take(browser, name, options, prepare) {
  const { page } = await open(browser, url, { reducedMotion: "reduce", ...options });
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
await take(browser, "page-light.png", { ...WIDE, colorScheme: "light" }, choose);
await take(browser, "page-dark.png", { ...WIDE, colorScheme: "dark" }, async (page) => {
  await choose(page);
  await page.getByRole("button", { name: "Icicle" }).click();
});
await take(browser, "page-narrow.png", { ...NARROW, colorScheme: "light" }, (page) =>
  page.getByRole("searchbox").fill(word),
);
await browser.close();
