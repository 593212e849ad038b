// SPDX-License-Identifier: MIT
// How the page is divided, its trees, its async calls, and the address that leads back to what was chosen.
// UMBRA, UMBRA_WRITE_SAMPLE: the programs; the rest of the environment: see browser.mjs.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cellsOf, chosen, hotRows, methodAt, pointAt, report, titles } from "./browser.mjs";
import { withPage } from "./samples.mjs";

const height = async (page, part) => (await page.locator(part).boundingBox()).height;
const rowsOf = (page, label) => page.getByRole("treegrid", { name: label }).locator(".rows .row");
const names = (rows) => rows.locator(".method b").allInnerTexts();

describe("the page's parts", () => {
  test("nothing stands beside graph and list before something is chosen", () =>
    withPage("plain", async (page) => {
      assert.equal(await page.locator(".inspector").count(), 0);
      const wide = await page.locator(".hotlist").evaluate((list) => list.clientWidth);
      assert.ok(wide > 1400, `${wide}`);
      await hotRows(page).first().click();
      assert.ok((await page.locator(".hotlist").evaluate((list) => list.clientWidth)) < wide);
      await page.keyboard.press("Escape");
      assert.equal(await page.locator(".inspector").count(), 0);
    }));

  test("a divider shares the height, by mouse and by keyboard", () =>
    withPage("plain", async (page) => {
      const usual = await height(page, ".flame");
      const divider = page.getByRole("separator");
      await divider.focus();
      for (let i = 0; i < 5; ++i) await page.keyboard.press("ArrowDown");
      const more = await height(page, ".flame");
      assert.ok(more > usual + 80, `${more} after ${usual}`);
      assert.equal(await divider.getAttribute("aria-valuenow"), "66");
      const box = await divider.boundingBox();
      await page.mouse.move(box.x + 300, box.y + 4);
      await page.mouse.down();
      await page.mouse.move(box.x + 300, box.y - 300);
      await page.mouse.up();
      assert.ok((await height(page, ".flame")) < usual);
      await divider.dblclick();
      assert.ok(Math.abs((await height(page, ".flame")) - usual) < 3);
    }));

  test("warnings are in the foot, losses first, and nothing of the machine", () =>
    withPage("losses", async (page) => {
      const foot = page.getByRole("contentinfo");
      assert.equal((await foot.locator("dt").allInnerTexts())[0], "lost");
      assert.equal(await foot.locator("dl > div:not(.warning)").count(), 0);
      assert.doesNotMatch(await foot.innerText(), /tsc|MHz/);
      await foot.getByRole("button", { name: /All \d+ warnings/ }).click();
      assert.match(await page.getByRole("tabpanel").innerText(), /MHz/);
    }));

  test("a profile without warnings says in its foot that nothing was lost", () =>
    withPage("wall", async (page) => {
      const warned = await page.getByRole("contentinfo").locator(".warning").count();
      if (warned === 0) assert.match(await page.getByRole("contentinfo").innerText(), /no events/);
    }));

  test("threads tell what they were off the processors for, and how long umbra held them", () =>
    withPage("plain", async (page) => {
      await page.setViewportSize({ width: 1600, height: 800 });
      await page.getByRole("tab", { name: "Threads" }).click();
      const row = await cellsOf(page.locator(".rows .row").first());
      assert.ok("Off CPU" in row && "Held by umbra" in row, Object.keys(row).join());
    }));

  test("a lambda is called by its place, and found by it", () =>
    withPage("plain", async (page) => {
      const lambda = hotRows(page).filter({ hasText: "lambda" });
      assert.equal(await lambda.locator(".method b").innerText(), "lambda (Pricing.cs:7)");
      assert.match(await lambda.locator(".method").getAttribute("title"), /^Acme\.Pricing\.Sum\.lambda\(int\)/);
      await page.getByRole("searchbox").fill("pricing.cs:7");
      assert.equal(await hotRows(page).count(), 1);
    }, { change: ({ tables: { functions } }) => {
      const row = functions.name.findIndex((name) => name.includes("Fib"));
      functions.name[row] = "Acme.Pricing.Sum.lambda(int)";
    } }));
});

describe("trees", () => {
  test("the call tree opens along its greatest path, and its figures are the graph's", () =>
    withPage("plain", async (page) => {
      await page.getByRole("button", { name: "Call tree" }).click();
      const rows = rowsOf(page, "Call tree");
      const outermost = await Promise.all((await page.locator('.rows .row[aria-level="1"]').all()).map(cellsOf));
      const percent = outermost.reduce((sum, row) => sum + Number.parseFloat(row.Share), 0);
      assert.ok(Math.abs(percent - 100) < 0.2, `${percent} %`);
      assert.equal((await names(rows))[0], "Main");
      assert.ok((await rows.count()) > 1);
      assert.equal(await rows.nth(1).getAttribute("aria-level"), "2");
      await rows.nth(1).locator(".method").click();
      assert.equal((await chosen(page)).split("(")[0], (await names(rows))[1]);
    }));

  test("it is opened, closed and gone through by keyboard alone", () =>
    withPage("plain", async (page) => {
      await page.getByRole("button", { name: "Call tree" }).focus();
      await page.keyboard.press("Enter");
      const rows = rowsOf(page, "Call tree");
      const opened = await rows.count();
      await page.getByRole("treegrid").focus();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowLeft");
      assert.equal(await rows.first().getAttribute("aria-expanded"), "false");
      assert.ok((await rows.count()) < opened);
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      assert.match(await rows.nth(1).getAttribute("class"), /active/);
      await page.keyboard.press("ArrowLeft");
      if ((await rows.nth(1).getAttribute("aria-expanded")) !== null) await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Enter");
      assert.match(await chosen(page), /^Main/);
    }));

  test("bottom-up has methods by their own time, as the list has them, and below each its callers", () =>
    withPage("plain", async (page) => {
      const figures = {};
      for (const row of await hotRows(page).all()) {
        figures[await row.locator(".method").getAttribute("title")] = (await cellsOf(row))["CPU self"];
      }
      await page.getByRole("button", { name: "Bottom-up" }).click();
      const rows = rowsOf(page, "Bottom-up");
      const outermost = page.locator('.rows .row[aria-level="1"]');
      for (const row of await outermost.all()) {
        assert.equal((await cellsOf(row))["CPU self"], figures[await row.locator(".method").getAttribute("title")]);
      }
      const fib = rows.filter({ hasText: "Fib" }).first();
      if ((await fib.getAttribute("aria-expanded")) === "false") await fib.getByRole("button", { name: "Open" }).click();
      const at = (await names(rows)).indexOf("Fib");
      assert.equal(await rows.nth(at + 1).getAttribute("aria-level"), "2");
      assert.match((await names(rows))[at + 1], /Add|Main/);
    }));

  test("a thread's tree is its own", () =>
    withPage("plain", async (page) => {
      await page.getByLabel("Calls shown").selectOption({ label: "Main" });
      await page.getByRole("button", { name: "Call tree" }).click();
      assert.match(await page.locator(".hotlist .status").innerText(), /; Main$/);
    }));
});

describe("async calls", () => {
  const openAsync = (page) => page.getByRole("tab", { name: "Async" }).click();

  test("the table has the figures of the report", () =>
    withPage("async", async (page, profile) => {
      await openAsync(page);
      const [method] = report(profile, "--async").async;
      const row = page.getByRole("grid", { name: "Async methods" }).locator(".rows .row");
      assert.equal(await row.count(), 1);
      const cells = await cellsOf(row);
      assert.equal((await row.locator(".method").getAttribute("title")).split("\n")[0], method.name);
      assert.equal(cells.Calls, String(method.calls));
      assert.equal(cells.Wall, "4.00 s");
      assert.equal(cells.Mean, "400 ms");
      assert.deepEqual([cells.p50, cells.p99], ["380 ms", "890 ms"]);
      assert.deepEqual([cells.Running, cells.Awaiting, cells.Queued], ["345 ms", "3.56 s", "100 ms"]);
      assert.equal(await row.locator(".parts").getAttribute("title"), "running 8.6\u202f%, awaiting 88.9\u202f%, queued 2.5\u202f%");
    }));

  test("the chosen one has what it awaited, the longest first, and how its calls ended", () =>
    withPage("async", async (page, profile) => {
      await openAsync(page);
      await page.getByRole("grid", { name: "Async methods" }).focus();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      const awaits = await page.locator(".inspector .neighbours button").allInnerTexts();
      const told = report(profile, "--async").async[0].awaits;
      assert.equal(awaits.length, told.length);
      assert.match(awaits[0], /Task\.Delay[^]*20\u00d7[^]*2\.70/);
      assert.match(awaits[2], /FetchAsync[^]*another's 1\u00d7/);
      const text = (await page.locator(".inspector").innerText()).replace(/\s+/g, " ");
      for (const ending of ["with a result 6", "with an exception 1", "cancelled 1", "still open 1", "end not known 1", "never had to wait 2"]) {
        assert.ok(text.includes(ending), `${text} has no ${ending}`);
      }
      await page.keyboard.press("Escape");
      assert.equal(await page.locator(".inspector").count(), 0);
    }));

  test("who awaits whom is a tree, and a graph by choice", () =>
    withPage("async", async (page) => {
      await openAsync(page);
      await page.getByRole("button", { name: "Who awaits whom" }).click();
      const rows = rowsOf(page, "Async tree");
      assert.deepEqual(await names(rows), ["FetchAsync", "FetchAsync"]);
      assert.match(await rows.nth(1).innerText(), /spawned/);
      assert.equal(await rows.nth(1).getAttribute("aria-level"), "2");
      await page.getByRole("button", { name: "As a graph" }).click();
      assert.match(await page.locator("#flame-node").innerText(), /^all async calls: 3\.20\s*s wall/);
      await page.getByRole("button", { name: "Call tree" }).click();
      assert.equal((await cellsOf(rowsOf(page, "Call tree").first()))["Wall total"], "3.20 s");
      await page.getByLabel("Calls shown").selectOption({ label: "All threads, merged" });
      assert.match(await page.locator("#flame-node").innerText(), /^all threads: /);
    }));

  test("threads that were blocked on tasks have a list", () =>
    withPage("async", async (page, profile) => {
      await openAsync(page);
      await page.getByRole("button", { name: "Blocked threads" }).click();
      const rows = page.getByRole("grid", { name: "Threads blocked on tasks" }).locator(".rows .row");
      const told = report(profile, "--async").blocked;
      assert.equal(await rows.count(), told.length);
      assert.match(await rows.first().innerText(), /FetchAsync[^]*140[^]*12[^]*FetchAsync/);
      assert.match(await rows.nth(1).innerText(), /Task/);
      assert.match(page.url(), /calls=blocked/);
    }));

  test("a profile without them has no such tab, and no such graph", () =>
    withPage("plain", async (page) => {
      assert.equal(await page.getByRole("tab", { name: "Async" }).count(), 0);
      assert.equal(await page.getByLabel("Calls shown").locator("option", { hasText: "async" }).count(), 0);
      assert.match(await page.locator("#flame-node").innerText(), /^all threads/);
    }, { hash: "#tab=async&stacks=awaits" }));

  test("names of what was awaited are text", () =>
    withPage("async", async (page) => {
      await openAsync(page);
      await page.locator(".rows .row").first().click();
      const text = await page.locator(".inspector").innerText();
      assert.ok(text.includes("<img src=x onerror=window.broken=1>"), text);
      assert.equal(await page.locator("img").count(), 0);
      assert.equal(await page.evaluate(() => window.broken), undefined);
    }, { change: ({ tables }) => (tables.async_waits.awaited[0] = "<img src=x onerror=window.broken=1>") }));
});

describe("the address", () => {
  test("it leads to what was chosen, in another window too", () =>
    withPage("plain", async (page) => {
      await page.getByRole("button", { name: "Wall", exact: true }).click();
      await page.getByRole("button", { name: "Icicle" }).click();
      await page.getByRole("columnheader", { name: "Calls" }).getByRole("button").click();
      await page.getByRole("searchbox").fill("acme");
      await hotRows(page).filter({ hasText: "Add" }).click();
      const seen = { titles: await titles(page), chosen: await chosen(page) };
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.locator(".inspector h2").waitFor();
      assert.deepEqual({ titles: await titles(other), chosen: await chosen(other) }, seen);
      assert.equal(await other.getByRole("searchbox").inputValue(), "acme");
      for (const name of ["Wall", "Icicle"]) {
        assert.equal(await other.getByRole("button", { name, exact: true }).getAttribute("aria-pressed"), "true");
      }
    }));

  test("a zoom is part of it, and stays when the graph shows another time", () =>
    withPage("plain", async (page) => {
      const { x, y } = await pointAt(page, "Add");
      await page.mouse.click(x, y);
      const reset = (of) => of.getByRole("button", { name: "Reset zoom" });
      await page.getByRole("button", { name: "Wall", exact: true }).click();
      assert.ok(await reset(page).isEnabled());
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.locator(".inspector h2").waitFor();
      assert.ok(await reset(other).isEnabled());
      const zoomed = await pointAt(other, "Add");
      assert.equal(await methodAt(other, zoomed.box.x + zoomed.box.width - 8, zoomed.y), "Add");
      await page.goBack();
      await page.waitForFunction(() => document.querySelector(".reset").disabled);
    }));

  test("the browser's way back leads back", () =>
    withPage("plain", async (page) => {
      await page.getByRole("tab", { name: "Threads" }).click();
      await page.locator(".rows .row").filter({ hasText: "Main" }).click();
      assert.match(await page.locator("#flame-node").innerText(), /^Main: /);
      await page.goBack();
      await page.locator("#panel-threads").waitFor();
      await page.goBack();
      await page.locator("#flame-node", { hasText: /^all threads: / }).waitFor({ timeout: 5000 });
    }));

  test("an untouched page has nothing in its address", () =>
    withPage("plain", async (page) => {
      assert.equal(new URL(page.url()).hash, "");
    }));

  test("what it names and the page has not is not named", () =>
    withPage("plain", async (page) => {
      assert.equal(await page.getByRole("tab", { name: "Time" }).getAttribute("aria-selected"), "true");
      assert.equal(await page.locator(".inspector").count(), 0);
      assert.equal(await hotRows(page).count(), 4);
      assert.equal(await page.getByRole("separator").getAttribute("aria-valuenow"), "90");
    }, { hash: "#tab=__proto__&method=constructor&thread=no&by=constructor&sort=-toString&list=%00&height=1e9&graph=x&test=%zz" }));
});
