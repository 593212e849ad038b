// SPDX-License-Identifier: MIT
// Opens a site from the file system in a headless Chromium and prints as JSON what it saw:
// {pages: [{name, width, overflow, requests, errors}], found, dark}. `overflow`: pixels by which the page is
// wider than the window; `requests`: addresses outside the file system; `found`: pages that the site's
// own search finds; `dark`: the background where the system asks for dark colours. 77: it cannot run here.
//   open_site.mjs FOLDER [PICTURES]     PICTURES: a folder for a picture of each page
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, openAny, reasonAgainst } from "../page/browser.mjs";

const WIDTHS = [1360, 390]; // a desk, and a telephone
const SEARCHED = "customer lock vouchers"; // words of the tutorial

const reason = reasonAgainst();
if (reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}
const [folder, pictures] = process.argv.slice(2);
const names = readdirSync(folder).filter((name) => name.endsWith(".html") && name !== "search.html");
const answer = { pages: [], found: [] };
const address = (name) => pathToFileURL(join(folder, name)).href;
const elsewhere = (seen) => seen.requests.filter((request) => !request.startsWith("file:"));

const browser = await launch();
try {
  for (const width of WIDTHS) {
    const { page, seen } = await openAny(browser, "about:blank", { viewport: { width, height: 900 } });
    for (const name of names) {
      seen.requests.length = seen.errors.length = 0;
      await page.goto(address(name));
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      answer.pages.push({ name, width, overflow, requests: elsewhere(seen), errors: [...seen.errors] });
      if (pictures) await page.screenshot({ path: join(pictures, `${name}-${width}.png`) });
    }
  }
  const dark = await openAny(browser, address("index.html"), { colorScheme: "dark" });
  answer.dark = await dark.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const { page, seen } = await openAny(browser, address("index.html"));
  await page.locator("input[name=q]").first().fill(SEARCHED);
  await page.keyboard.press("Enter");
  await page.locator("#search-results li a").first().waitFor({ timeout: 60_000 });
  const links = await page.locator("#search-results li a").evaluateAll((all) => all.map((a) => a.href));
  answer.found = links.map((link) => new URL(link).pathname.split("/").at(-1));
  answer.pages.push({ name: "search.html", width: 1440, overflow: 0, requests: elsewhere(seen), errors: seen.errors });
} finally {
  await browser.close();
}
console.log(JSON.stringify(answer));
