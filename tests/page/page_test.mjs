// SPDX-License-Identifier: MIT
// The page in a browser: what a person does with it, and what it must never do.
// UMBRA, UMBRA_WRITE_SAMPLE: the programs; the rest of the environment: see browser.mjs.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chosen, hotRows, methodAt, open, openAny, pointAt, report, titles, umbra } from "./browser.mjs";
import { browser, sample, withPage } from "./samples.mjs";

describe("flame graph", () => {
  for (const direction of ["Flame", "Icicle"]) {
    test(`${direction}: a click zooms to a box and chooses its method, and back`, () =>
      withPage("plain", async (page) => {
        await page.getByRole("button", { name: direction }).click();
        const { x, y, box } = await pointAt(page, "Add");
        assert.notEqual(await methodAt(page, box.x + box.width - 8, y), "Add");
        await page.mouse.click(x, y);
        assert.equal(await chosen(page), "Add(Item, int)");
        await page.waitForTimeout(400);
        const zoomed = await pointAt(page, "Add"); // beside what is chosen there is less room
        assert.equal(await methodAt(page, zoomed.box.x + 8, zoomed.y), "Add");
        assert.equal(await methodAt(page, zoomed.box.x + zoomed.box.width - 8, zoomed.y), "Add");
        await page.getByRole("button", { name: "Reset zoom" }).click();
        await page.waitForTimeout(400);
        assert.notEqual(await methodAt(page, zoomed.box.x + zoomed.box.width - 8, y), "Add");
      }));
  }

  test("callers lie on the other side of a method than callees, the other way round in an icicle", () =>
    withPage("plain", async (page) => {
      const flame = { caller: await pointAt(page, "Main"), callee: await pointAt(page, "Add") };
      assert.ok(flame.caller.y > flame.callee.y);
      await page.getByRole("button", { name: "Icicle" }).click();
      const icicle = { caller: await pointAt(page, "Main"), callee: await pointAt(page, "Add") };
      assert.ok(icicle.caller.y < icicle.callee.y);
    }));

  test("a thread alone shows its own calls", () =>
    withPage("plain", async (page) => {
      const whole = await page.locator("#flame-node").innerText();
      await page.getByLabel("Calls shown").selectOption({ label: "Main" });
      const main = await page.locator("#flame-node").innerText();
      assert.match(whole, /^all threads: /);
      assert.match(main, /^Main: /);
      assert.notEqual(whole.split(": ")[1], main.split(": ")[1]);
    }));

  test("what has no row of its own is told where it was cut off, and is no method", () =>
    withPage("truncated", async (page, profile) => {
      const name = "(paths without a row)";
      assert.deepEqual(await titles(page), report(profile, "--sort", "cpu").functions.map((f) => f.name));
      assert.ok((await page.locator(".legend").innerText()).includes("paths without a row"));
      const { x, y } = await pointAt(page, name);
      assert.match(await page.locator(".tip").innerText(), /took too little for rows of their own/);
      const told = await page.locator("#flame-node").innerText();
      const [, caller] = told.match(/^\(paths without a row\) below (.*?): /);
      await page.mouse.click(x, y);
      const method = await chosen(page);
      assert.ok(method !== name && caller.includes(method), `${method} is not ${caller}`);
    }));

  test("it is used by keyboard alone", () =>
    withPage("plain", async (page) => {
      await page.locator(".graph canvas").focus();
      await page.keyboard.press("ArrowUp");
      assert.match(await page.locator("#flame-node").innerText(), /^Shop\.Program\.Main/);
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      assert.match(await chosen(page), /^Add/);
      await page.keyboard.press("ArrowDown");
      assert.match(await page.locator("#flame-node").innerText(), /^Shop\.Program\.Main/);
      await page.keyboard.press("Escape");
      assert.ok(await page.getByRole("button", { name: "Reset zoom" }).isDisabled());
    }));
});

describe("the chosen method", () => {
  test("callers and callees lead on", () =>
    withPage("plain", async (page) => {
      await hotRows(page).filter({ hasText: "Fib" }).click();
      const callers = page.locator(".inspector section").filter({ hasText: "Callers" });
      await callers.getByRole("button").filter({ hasText: "Add" }).first().click();
      assert.match(await chosen(page), /^Add/);
      const callees = page.locator(".inspector section").filter({ hasText: "Callees" });
      await callees.getByRole("button").filter({ hasText: "Fib" }).first().click();
      assert.match(await chosen(page), /^Fib/);
      await page.getByRole("button", { name: "Show largest path" }).click();
      await page.locator(".reset:enabled").waitFor({ timeout: 5000 });
      await page.getByRole("button", { name: "Reset zoom" }).click();
      await page.getByRole("tab", { name: "Threads" }).click();
      await page.getByRole("tab", { name: "Time" }).click();
      assert.ok(await page.locator(".reset").isDisabled(), "it zooms once, not at each return");
    }));

  test("its place in the source is copied by a click", () =>
    withPage("plain", async (page) => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await hotRows(page).filter({ hasText: "Fib" }).click();
      await page.locator(".inspector").getByRole("button", { name: "Pricing.cs:7" }).click();
      await page.getByRole("status").filter({ hasText: "copied" }).waitFor({ timeout: 5000 });
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "/src/Acme.Core/Pricing.cs:7");
      await hotRows(page).filter({ hasText: "Main" }).click();
      assert.equal(await page.locator(".inspector .place").count(), 0, "no line is known of it");
    }));

  test("its place in the source is a link for the editor that was named", () =>
    withPage(["plain", "--editor", "vscode"], async (page) => {
      await hotRows(page).filter({ hasText: "Fib" }).click();
      const link = page.locator(".inspector").getByRole("link", { name: "Pricing.cs:7" });
      assert.equal(await link.getAttribute("href"), "vscode://file/src/Acme.Core/Pricing.cs:7");
    }));

  test("the list is used by keyboard alone", () =>
    withPage("plain", async (page) => {
      await page.locator(".hotlist .scroller").focus();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      const second = (await titles(page))[1];
      assert.ok(second.endsWith((await chosen(page)).replace(/\n/g, "")), second);
    }));

  test("percentiles lie between shortest and longest, in order", () =>
    withPage("plain", async (page) => {
      await hotRows(page).filter({ hasText: "Fib" }).click();
      const facts = await page.locator(".facts.six dd").allInnerTexts();
      const units = { ns: 1, "\u00b5s": 1e3, ms: 1e6, s: 1e9 };
      const ns = facts.slice(1).map((fact) => {
        const [, digits, unit] = fact.match(/^([\d.]+)\s*(\S+)$/);
        return Number(digits) * units[unit];
      });
      assert.equal(ns.length, 5);
      assert.deepEqual(ns, [...ns].sort((a, b) => a - b));
      assert.ok((await page.locator(".histogram rect").count()) > 0);
    }));
});

describe("everything else", () => {
  test("every tab opens, and the truths of the report's footer are there", () =>
    withPage("losses", async (page, profile) => {
      for (const name of ["Threads", "Pauses", "Compilation", "Exceptions", "Measurement"]) {
        await page.getByRole("tab", { name }).click();
        assert.equal(await page.getByRole("tab", { name }).getAttribute("aria-selected"), "true");
        assert.ok((await page.getByRole("tabpanel").innerText()).length > 40, name);
      }
      const page_facts = await page.locator(".truths").first().innerText();
      const words = (text) => text.replace(/[\s,]+/g, " ");
      const footer = umbra("report", "--details", profile).split("\n\n").at(-1).trimEnd().split("\n");
      for (const line of footer) {
        const known = line.replace(/^\w+\s+/, "").split(", ")[0];
        assert.ok(words(page_facts).includes(words(known).trim()), `the page does not say: ${known}`);
      }
      assert.match(await page.locator("footer .warning").first().innerText(), /lost/);
    }));

  test("arrow keys go from tab to tab", () =>
    withPage("plain", async (page) => {
      await page.getByRole("tab", { name: "Time" }).focus();
      await page.keyboard.press("ArrowRight");
      assert.equal(await page.getByRole("tab", { name: "Threads" }).getAttribute("aria-selected"), "true");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("ArrowLeft");
      assert.equal(await page.getByRole("tab", { name: "Measurement" }).getAttribute("aria-selected"), "true");
    }));

  test("a choice among threads leads to their calls", () =>
    withPage("plain", async (page) => {
      await page.getByRole("tab", { name: "Threads" }).click();
      await page.locator(".rows .row").filter({ hasText: "Main" }).click();
      assert.match(await page.locator("#flame-node").innerText(), /^Main: /);
    }));

  test("light and dark follow the system, and the switch", () =>
    withPage("plain", async (page) => {
      const back = () => page.evaluate(() => getComputedStyle(document.querySelector("header")).backgroundColor);
      const dark = await back();
      await page.emulateMedia({ colorScheme: "light" });
      await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
      const light = await back();
      assert.notEqual(light, dark);
      await page.getByLabel("Theme").selectOption("dark");
      assert.equal(await back(), dark);
      await page.getByLabel("Theme").selectOption("light");
      assert.equal(await back(), light);
    }, { colorScheme: "dark" }));

  test("a narrow screen has nothing to scroll sideways", () =>
    withPage("plain", async (page) => {
      await hotRows(page).filter({ hasText: "Fib" }).click();
      assert.ok(await page.locator(".inspector").isVisible());
      await page.getByRole("button", { name: "Close" }).click();
      assert.ok(!(await page.locator(".inspector").isVisible()));
      for (const name of ["Threads", "Measurement", "Time"]) {
        await page.getByRole("tab", { name }).click();
        const wide = await page.evaluate(() =>
          [document.documentElement, ...document.querySelectorAll(".scroller, .prose, .graph")]
            .filter((element) => element.scrollWidth > element.clientWidth)
            .map((element) => element.className || element.tagName));
        assert.deepEqual(wide, [], name);
      }
    }, { viewport: { width: 360, height: 700 } }));

  test("a sampled profile tells of samples, and of no call's length", () =>
    withPage("sampled", async (page, profile) => {
      const expected = report(profile).functions.map((f) => f.name);
      assert.deepEqual(await titles(page), expected);
      const headings = await page.locator(".hotlist").getByRole("columnheader").allInnerTexts();
      const words = headings.join(" ");
      assert.match(words, /Samples/);
      assert.doesNotMatch(words, /Calls|Mean|Min|Max|P99/i);
      await hotRows(page).first().click();
      const facts = await page.locator(".inspector").innerText();
      assert.match(facts, /Samples/);
      assert.doesNotMatch(facts, /One call/);
      for (const name of ["Threads", "Measurement"]) await page.getByRole("tab", { name }).click();
    }));

  test("an empty profile is shown as one", () =>
    withPage("empty", async (page) => {
      assert.match(await page.locator(".hotlist .empty").innerText(), /Nothing was called/);
      for (const name of ["Threads", "Pauses", "Compilation", "Exceptions", "Measurement"]) {
        await page.getByRole("tab", { name }).click();
      }
    }));
});

describe("slowest calls", () => {
  const course = (page) => page.locator(".course canvas");
  const hint = (page) => page.locator(".course .hint").innerText();

  /** Points at a place of the course's picture, in shares of its width and in rows of slices. */
  async function pointAtSlice(page, share, row) {
    const box = await course(page).boundingBox();
    await page.mouse.move(box.x + share * box.width, box.y + 22 + (row + 0.5) * 20);
    return hint(page);
  }

  test("a profile without them, or without tests, has no such tab", () =>
    withPage("plain", async (page) => {
      assert.equal(await page.getByRole("tab", { name: /Slowest calls|Tests/ }).count(), 0);
    }));

  test("the list has the calls of the report, and the slowest is shown", () =>
    withPage("slow", async (page, profile) => {
      await page.getByRole("tab", { name: "Slowest calls" }).click();
      const [method] = report(profile, "--slowest").slowest;
      const rows = page.getByRole("tabpanel").locator(".rows .row");
      assert.equal(await rows.count(), method.calls.length);
      assert.ok((await rows.first().locator(".method").getAttribute("title")).startsWith(method.name));
      assert.match(await page.locator(".course .toolbar").innerText(), /100,001 calls in it, 100,000 of them merged/);
      // 31 ms from 20 ms on: the slice of 25.5 ms begins at 24.5 ms, the wait in it at 24.9 ms.
      assert.match(await pointAtSlice(page, 0.5, 0), /Add.*31/);
      assert.match(await pointAtSlice(page, 0.1, 1), /100,000 merged/);
      assert.match(await pointAtSlice(page, 0.5, 2), /off the processors: 25/);
    }));

  test("an async call is drawn over all threads, with calls that go on at once below each other", () =>
    withPage("slow_async", async (page) => {
      await page.getByRole("tab", { name: "Slowest calls" }).click();
      assert.match(await page.locator(".course .toolbar").innerText(), /ended: exception/);
      const header = await page.getByRole("tabpanel").getByRole("columnheader").allInnerTexts();
      assert.ok(["Running", "Awaiting", "Queued"].every((title) => header.some((text) => text.includes(title))), header.join());
      // Of 900 ms from 100 ms on: two calls from 140 and 150 ms on, a third behind both.
      assert.match(await pointAtSlice(page, 0.02, 1), /running in .*: 40/);
      assert.match(await pointAtSlice(page, 0.02, 2), /30/);
      assert.match(await pointAtSlice(page, 0.2, 1), /FetchAsync.*: 300/);
      assert.match(await pointAtSlice(page, 0.2, 2), /awaiting Task.Delay: 285/);
      assert.match(await pointAtSlice(page, 0.2, 3), /Fib.*: 550/);
      assert.match(await pointAtSlice(page, 0.2, 4), /awaiting .*: 540/);
      assert.match(await pointAtSlice(page, 0.672, 1), /queued: 10/);
      assert.match(await pointAtSlice(page, 0.8, 1), /FetchAsync.*: 270/);
    }));

  test("a click on a row shows its course, one on a slice zooms to it, a double click leads to its method", () =>
    withPage("slow", async (page) => {
      await page.getByRole("tab", { name: "Slowest calls" }).click();
      const rows = page.getByRole("tabpanel").locator(".rows .row");
      await rows.nth(1).click();
      assert.match(await page.locator(".course .toolbar").innerText(), /still running at the end/);
      assert.match(await pointAtSlice(page, 0.5, 1), /paused: gc of generation 1: 22/);
      await rows.nth(0).click();
      const before = await pointAtSlice(page, 0.5, 1);
      await page.mouse.down();
      await page.mouse.up();
      assert.equal(await page.getByRole("button", { name: "Reset zoom" }).isEnabled(), true);
      assert.equal(await pointAtSlice(page, 0.02, 1), before);
      await page.getByRole("button", { name: "Reset zoom" }).click();
      assert.notEqual(await pointAtSlice(page, 0.02, 1), before);
      const box = await course(page).boundingBox();
      await page.mouse.dblclick(box.x + 0.5 * box.width, box.y + 22 + 1.5 * 20);
      assert.match(await chosen(page), /Fib/);
    }));
});

describe("safety", () => {
  test("names are text, whatever they look like", () =>
    withPage("hostile", async (page) => {
      const seen = [await page.locator("body").innerText()];
      for (const row of await hotRows(page).all()) {
        await row.click();
        seen.push(await page.locator(".inspector").innerText());
      }
      for (const name of ["Slowest calls", "Threads", "Pauses", "Compilation", "Exceptions", "Measurement"]) {
        await page.getByRole("tab", { name }).click();
        seen.push(await page.getByRole("tabpanel").innerText());
      }
      const text = seen.join("\n");
      for (const name of ["</script><script>window.broken=1</script>", "window.broken=3", "&lt;&amp;", "<svg onload=",
        "<script>window.broken=5</script>", "<i onclick='1'>gc</i>", "<u>Exception</u>", "@SCRIPT@ $& $1", "<b>exit</b>"]) {
        assert.ok(text.includes(name), `${name} is not shown`);
      }
      assert.ok(!/[\u0000-\u0008\u001b\u202a-\u202e]/.test(text), "control characters are shown as such");
      assert.equal(await page.evaluate(() => window.broken), undefined);
      assert.equal(await page.locator("img, u, i[onclick], svg[onload]").count(), 0);
      assert.match(await page.title(), /<\/script>/);
    }));

  test("it is drawn in a frame without an origin, as a notebook shows it", async () => {
    const source = umbra("export", "--html", "-", sample().profile).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    const { page, seen } = await openAny(browser, "about:blank");
    await page.setContent(`<iframe srcdoc="${source}" sandbox="allow-scripts" width="1200" height="700"></iframe>`);
    await page.frameLocator("iframe").locator(".hotlist .rows .row").first().waitFor();
    assert.deepEqual(seen.errors, []);
    await page.context().close();
  });

  test("a request that the page might be made to send is stopped by its policy", async () => {
    const { url } = sample();
    const { page } = await open(browser, url);
    const stopped = await page.evaluate(async () => {
      const violations = [];
      document.addEventListener("securitypolicyviolation", (event) => violations.push(event.effectiveDirective));
      await fetch("http://127.0.0.1:9/").catch(() => {});
      const image = new Image();
      const done = new Promise((resolve) => (image.onerror = resolve));
      image.src = "http://127.0.0.1:9/a.png";
      await done;
      const script = document.createElement("script");
      script.textContent = "window.broken = 6";
      document.body.append(script);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { violations: violations.sort(), broken: window.broken };
    });
    assert.deepEqual(stopped.violations, ["connect-src", "img-src", "script-src-elem"]);
    assert.equal(stopped.broken, undefined);
    await page.context().close();
  });
});
