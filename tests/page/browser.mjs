// SPDX-License-Identifier: MIT
// A headless Chromium for the tests of the page and its pictures.
//
// UMBRA_PAGE_FOLDER: where the build has put node_modules, with playwright-core in it
// UMBRA_CHROMIUM:    the browser; without it chromium or google-chrome of PATH
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** Path of the browser, or null. */
export function findChromium() {
  if (process.env.UMBRA_CHROMIUM) return process.env.UMBRA_CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(existsSync) ?? null;
}

/** playwright-core as the build has installed it, or null. */
function findPlaywright() {
  try {
    return createRequire(join(process.env.UMBRA_PAGE_FOLDER, "package.json"))("playwright-core");
  } catch {
    return null;
  }
}

/** Why there can be no browser here; null: there can. */
export function reasonAgainst() {
  if (!findPlaywright()) return "the packages of the page are not installed (node and npm were not there at the build)";
  if (!findChromium()) return "there is no Chromium here (apt-get install chromium)";
  return null;
}

/** `more`: further options of Chromium's, as what draws with WebGL needs them. */
export function launch(more = []) {
  // Root, as which a container runs, has no sandbox of Chromium's; it opens only what we wrote.
  return findPlaywright().chromium.launch({
    executablePath: findChromium(),
    chromiumSandbox: false,
    args: ["--disable-dev-shm-usage", "--disable-gpu", "--force-color-profile=srgb", ...more],
  });
}

/**
 * A page of its own context that notes what it asks for and complains of: `requests` are addresses
 * other than `url` itself, `errors` messages of the console and uncaught exceptions.
 */
export async function openAny(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const seen = { requests: [], errors: [] };
  page.on("request", (request) => {
    if (request.url() !== url.replace(/#.*/, "") && !request.url().startsWith("data:")) seen.requests.push(request.url());
  });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) seen.errors.push(message.text());
  });
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  await page.goto(url);
  return { page, seen };
}

/** The same of a page of umbra's, once that is drawn. */
export async function open(browser, url, options = {}) {
  const opened = await openAny(browser, url, options);
  await opened.page.waitForFunction(() => performance.getEntriesByName("umbra-drawn").length > 0);
  return opened;
}

/** Runs umbra; throws with what it said where it fails. */
export function umbra(...args) {
  return execFileSync(process.env.UMBRA, args, { encoding: "utf8", maxBuffer: 1 << 28 });
}

/** The hot list of a profile as umbra report has it. */
export const report = (profile, ...args) => JSON.parse(umbra("report", "--json", ...args, profile));
export const hotRows = (page) => page.locator(".hotlist .rows .row");
export const titles = async (page) =>
  (await hotRows(page).locator(".method").evaluateAll((names) => names.map((name) => name.title.split("\n")[0])));
export const chosen = (page) => page.locator(".inspector h2").innerText();

/** By heading: the cells of a row of a table. */
export async function cellsOf(row) {
  const headings = await row.locator("xpath=ancestor::*[contains(@class,'scroller')]").getByRole("columnheader").allInnerTexts();
  const cells = await row.locator("[role=gridcell]").allInnerTexts();
  return Object.fromEntries(cells.map((cell, i) => [headings[i].replace(/[\u2191\u2193]/g, "").trim(), cell.replace("\u00b5", "u").replace(/\s+/g, " ").trim()]));
}

/** The method under a point of the graph; empty: none. */
export async function methodAt(page, x, y) {
  await page.mouse.move(x, y);
  return page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(document.querySelector(".tip .name b")?.innerText ?? "")))),
  );
}

/** Points at one place of the graph after the other until its tip names the method; answers the place. */
export async function pointAt(page, method) {
  const rowPixels = 21;
  const box = await page.locator(".graph canvas").boundingBox();
  const downward = await page.locator(".flame button[aria-pressed=true]", { hasText: "Icicle" }).count();
  for (let row = 0; row < box.height / rowPixels; ++row) {
    const fromEdge = (row + 0.5) * rowPixels;
    const y = downward ? box.y + fromEdge : box.y + box.height - fromEdge;
    for (let x = box.x + 4; x < box.x + box.width; x += box.width / 25) {
      if ((await methodAt(page, x, y)) === method) return { x, y, box };
    }
  }
  return assert.fail(`${method} is nowhere in the graph`);
}
