// SPDX-License-Identifier: MIT
// The lists of methods, tests and endpoints in a browser: their rows, order and figures are the report's.
// UMBRA, UMBRA_WRITE_SAMPLE: the programs; the rest of the environment: see browser.mjs.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cellsOf, hotRows, pointAt, report, titles, umbra } from "./browser.mjs";
import { withPage } from "./samples.mjs";

describe("hot list", () => {
  test("it begins in the order of the report: what burns a processor first", () =>
    withPage("plain", async (page, profile) => {
      const expected = report(profile, "--sort", "cpu").functions.map((f) => f.name);
      assert.deepEqual(await titles(page), expected);
      const screen = umbra("report", profile).split("\n").filter((line) => /^ .*\d% .*\(/.test(line));
      assert.deepEqual(screen.map((line) => line.split("  ").at(-1).trim()), expected);
    }));

  test("what waits is a click away, and comes in the order of the report's waits", () =>
    withPage("plain", async (page, profile) => {
      await page.getByRole("button", { name: "Off CPU" }).first().click();
      const [, longest] = umbra("report", profile).match(/^waits .* {2}(\S.*)$/m);
      assert.equal((await titles(page))[0], longest);
      assert.equal((await cellsOf(hotRows(page).first()))["Off CPU"], "499 ms");
      await page.getByRole("button", { name: "On CPU" }).click();
      assert.deepEqual(await titles(page), report(profile, "--sort", "cpu").functions.map((f) => f.name));
    }));

  test("a click on a heading sorts by it, a second one the other way round", () =>
    withPage("plain", async (page, profile) => {
      const functions = report(profile).functions;
      const byCalls = [...functions].sort((a, b) => b.calls - a.calls).map((f) => f.name);
      const heading = page.getByRole("columnheader", { name: "Calls" });
      await heading.getByRole("button").click();
      assert.equal(await heading.getAttribute("aria-sort"), "descending");
      assert.deepEqual((await titles(page))[0], byCalls[0]);
      await heading.getByRole("button").click();
      assert.equal(await heading.getAttribute("aria-sort"), "ascending");
      assert.deepEqual((await titles(page))[0], byCalls.at(-1));
    }));

  test("methods of one name are told apart, however narrow the list is", () =>
    withPage("copies", async (page) => {
      for (const width of [1400, 700]) {
        await page.setViewportSize({ width, height: 800 });
        const marks = hotRows(page).filter({ hasText: "Fib" }).locator(".mark");
        const shown = await marks.allInnerTexts();
        assert.equal(new Set(shown).size, 3, shown.join());
        for (const mark of await marks.all()) assert.ok((await mark.boundingBox()).width > 30);
      }
    }));

  test("a method none of whose calls has ended has no percentile", () =>
    withPage("plain", async (page, profile) => {
      const ended = report(profile).functions.map((f) => f.wall_p99_ns > 0);
      assert.deepEqual((await hotRows(page).allInnerTexts()).map((row) => !row.includes("\u2013")), ended);
      assert.ok(ended.includes(false) && ended.includes(true));
    }));

  test("figures are those of the report, and what stays wall time says so", () =>
    withPage("plain", async (page, profile) => {
      const fib = report(profile).functions.find((f) => f.name.includes("Fib"));
      const text = umbra("report", "--details", profile).split("\n").find((line) => line.includes("Fib("));
      const row = () => cellsOf(hotRows(page).filter({ hasText: "Fib" }));
      const told = (cell) => assert.ok(text.includes(`${cell} `), `${text} has no ${cell}`);
      const byCpu = await row();
      assert.equal(byCpu.Calls, fib.calls.toLocaleString("en-US"));
      for (const name of ["CPU self", "Wall each", "Wall total"]) told(byCpu[name]);
      await page.getByRole("button", { name: "Wall", exact: true }).click();
      const byWall = await row();
      for (const name of ["Wall self", "Wall total", "Each"]) told(byWall[name]);
    }));

  test("Wall shows wall times, in their order", () =>
    withPage("plain", async (page, profile) => {
      await page.getByRole("button", { name: "Wall", exact: true }).click();
      assert.deepEqual(await titles(page), report(profile).functions.map((f) => f.name));
    }));

  test("names have 45 % of the list at least, however wide it is, also beside a chosen method", () =>
    withPage("plain", async (page) => {
      for (const width of [1600, 1280, 1024, 800, 400]) {
        await page.setViewportSize({ width, height: 800 });
        for (const choose of [true, false]) {
          if (choose) await hotRows(page).first().click();
          const list = await page.locator(".hotlist .scroller").evaluate((element) => element.clientWidth);
          const name = await hotRows(page).first().locator("[role=gridcell]").first().boundingBox();
          assert.ok(name.width >= 0.45 * list - 1, `${name.width} of ${list} at ${width}`);
          if (choose) await page.getByRole("button", { name: "Close" }).click();
        }
      }
    }));

  test("without CPU times there is nothing to switch to", () =>
    withPage("wall", async (page) => {
      assert.ok(await page.getByRole("button", { name: "CPU", exact: true }).isDisabled());
    }));
});

describe("search", () => {
  test("what is typed leaves the methods that have it, and tells their part of the time", () =>
    withPage("plain", async (page) => {
      await page.keyboard.press("/");
      await page.keyboard.type("acme fib");
      assert.deepEqual(await titles(page), ["Acme.Pricing.Fib(int)"]);
      assert.match(await page.locator(".flame .status").innerText(), /^\d+\.\d\s% of the time matches$/);
      await page.keyboard.press("Escape");
      assert.ok((await titles(page)).length > 1);
    }));

  test("what no method has finds none, and says so", () =>
    withPage("plain", async (page) => {
      await page.getByRole("searchbox").fill("nothing like this");
      assert.equal(await hotRows(page).count(), 0);
      assert.match(await page.locator(".hotlist .empty").innerText(), /No method/);
      assert.match(await page.locator(".flame .status").innerText(), /^0\.0/);
    }));
});

describe("tests", () => {
  test("the table has the rows and figures of the report", () =>
    withPage("tests", async (page, profile) => {
      await page.getByRole("button", { name: "Wall", exact: true }).click();
      await page.getByRole("tab", { name: "Tests" }).click();
      const rows = page.getByRole("tabpanel").locator(".rows .row");
      const { tests } = report(profile, "--by", "test");
      const text = umbra("report", "--by", "test", profile).split("\n");
      assert.equal(await rows.count(), tests.length);
      for (const [i, one] of tests.entries()) {
        const name = await rows.nth(i).locator(".method").getAttribute("title");
        assert.equal(name.split("\n")[0], one.name);
        const row = await cellsOf(rows.nth(i));
        const share = row.Share;
        assert.equal(row.Calls, one.calls.toLocaleString("en-US"));
        assert.equal(row.Framework, one.framework);
        const line = text.find((told) => told.endsWith(`  ${one.name}`) && told.includes(share.replace(" ", "")));
        for (const cell of [row["CPU total"], row["Wall total"], row["Wall self"]]) assert.ok(line.includes(` ${cell} `), `${line} has no ${cell}`);
      }
    }));

  test("a choice leads to the test's calls alone, a choice among threads back to all", () =>
    withPage("tests", async (page, profile) => {
      const whole = await titles(page);
      await page.getByRole("tab", { name: "Tests" }).click();
      await page.getByRole("tabpanel").locator(".rows .row").filter({ hasText: "FetchAsync" }).click();
      // All that it ran on threads, with what it called: 50 ms below Main, 300 ms where it went on.
      assert.match(await page.locator("#flame-node").innerText(), /^all calls of .*FetchAsync\(string\): 350\s*ms/);
      const test = report(profile, "--by", "test").tests.find((one) => one.name.includes("FetchAsync"));
      const below = await cellsOf(hotRows(page).filter({ hasText: "Fib" }));
      assert.equal(below.Calls, String(test.below[0].calls));
      assert.equal(below["CPU total"], "10.0 ms");
      const names = await titles(page);
      assert.ok(!names.some((name) => name.includes("Main")), "Main is not below the test");
      assert.equal(names.filter((name) => name.includes("FetchAsync")).length, 1);
      await pointAt(page, "Fib");
      await page.getByRole("tab", { name: "Tests" }).click();
      await page.getByRole("tab", { name: "Time" }).click();
      assert.deepEqual(await titles(page), names, "it stays chosen");
      await page.getByLabel("Calls shown").selectOption({ label: "All threads, merged" });
      assert.deepEqual(await titles(page), whole);
      assert.match(await page.locator("#flame-node").innerText(), /^all threads: 400\s*ms/);
    }));
});

describe("endpoints", () => {
  test("the table has the rows and figures of the report, and a request's mean and percentile", () =>
    withPage("tests", async (page, profile) => {
      await page.getByRole("button", { name: "Wall", exact: true }).click();
      await page.getByRole("tab", { name: "Endpoints" }).click();
      const rows = page.getByRole("tabpanel").locator(".rows .row");
      const { endpoints } = report(profile, "--by", "endpoint");
      const line = umbra("report", "--by", "endpoint", profile).split("\n").find((told) => told.includes("GET /"));
      assert.deepEqual(endpoints.map((one) => one.endpoint), ["GET /items/{id}"]);
      assert.equal(await rows.count(), endpoints.length);
      const [one] = endpoints;
      const row = await cellsOf(rows.first());
      assert.equal(row.Endpoint, one.endpoint);
      assert.equal((await rows.first().locator(".method").getAttribute("title")).split("\n")[0], one.name);
      assert.equal(row.Calls, one.calls.toLocaleString("en-US"));
      for (const cell of [row["CPU total"], row["Wall total"], row["Wall self"], row.Share]) {
        assert.ok(line.includes(` ${cell} `) || line.includes(cell.replace(" ", "")), `${line} has no ${cell}`);
      }
      assert.deepEqual([row["Wall each"], row["Wall p99"]], [one.wall_mean_ns, one.wall_p99_ns].map((ns) => `${ns / 1e6} ms`));
    }));

  test("a search finds one by its route, and by the method that answers", () =>
    withPage("tests", async (page) => {
      await page.getByRole("tab", { name: "Endpoints" }).click();
      const rows = page.getByRole("tabpanel").locator(".rows .row");
      for (const [words, found] of [["get items", 1], ["fetchasync", 1], ["/orders", 0]]) {
        await page.getByRole("searchbox").fill(words);
        assert.equal(await rows.count(), found, words);
      }
    }));

  test("a choice leads to its calls alone, and so does a link", () =>
    withPage("tests", async (page) => {
      await page.getByRole("tab", { name: "Endpoints" }).click();
      await page.getByRole("tabpanel").locator(".rows .row").click();
      const told = /^all calls of GET \/items\/\{id\}: 350\s*ms/;
      assert.match(await page.locator("#flame-node").innerText(), told);
      assert.equal(await page.getByLabel("Calls shown").evaluate((choice) => choice.selectedOptions[0].text), "Below GET /items/{id}");
      const names = await titles(page);
      await page.reload();
      assert.match(await page.locator("#flame-node").innerText(), told);
      assert.deepEqual(await titles(page), names);
    }));
});
