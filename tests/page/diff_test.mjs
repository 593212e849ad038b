// SPDX-License-Identifier: MIT
// The page of a comparison: planted changes have their colours, all else is grey, and both sides'
// footers are there. How soon 200,000 paths are drawn is printed; UMBRA_DRAWN_WITHIN_MS holds it to a
// limit, on an idle machine.
// UMBRA, UMBRA_WRITE_SAMPLE, UMBRA_WRITE_SYNTHETIC: the programs; the rest: see browser.mjs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, open, reasonAgainst, umbra } from "./browser.mjs";

const PATHS = 250_000; // 200,000 of them stay
const DRAWN_WITHIN = Number(process.env.UMBRA_DRAWN_WITHIN_MS ?? Infinity);

const reason = reasonAgainst();
if (reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

const folder = mkdtempSync(join(tmpdir(), "umbra-diff-"));
let browser;

/** Three runs of a variant of the sample, as alike as runs never are. */
function runs(variant) {
  const files = [1, 2, 3].map((run) => join(folder, `${variant}${run}.h5`));
  execFileSync(process.env.UMBRA_WRITE_SAMPLE, [files[0], variant]);
  for (const copy of files.slice(1)) copyFileSync(files[0], copy);
  return files;
}

/** Runs `use` with the open page of a comparison; afterwards it must have asked for nothing. */
async function withPage(old, now, use, options) {
  const file = join(folder, "diff.html");
  umbra("diff", "--html", file, ...old, "--against", ...now);
  const { page, seen } = await open(browser, pathToFileURL(file).href, { reducedMotion: "reduce", ...options });
  try {
    await use(page);
    assert.deepEqual(seen, { requests: [], errors: [] });
  } finally {
    await page.context().close();
  }
}

/** Colours of the boxes by method, as [red, green, blue], of those wide enough to be pointed at. */
async function colours(page) {
  const box = await page.locator(".graph canvas").boundingBox();
  const found = {};
  for (let row = 0; row < box.height / 21; ++row) {
    let boxes = 0;
    const y = box.height - row * 21 - 4; // below the label
    for (let x = 3; x < box.width; x += box.width / 40) {
      await page.mouse.move(box.x + x, box.y + y);
      const seen = await page.evaluate(([px, py]) => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => {
        const name = document.querySelector(".tip .name b")?.innerText ?? "";
        const pixel = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
        pixel.drawImage(document.querySelector(".graph canvas"), px * devicePixelRatio, py * devicePixelRatio, 1, 1, 0, 0, 1, 1);
        const data = pixel.getImageData(0, 0, 1, 1).data;
        resolve([name, [...data].slice(0, 3)]);
      }))), [x, y]);
      if (!seen[0]) continue;
      ++boxes;
      found[seen[0]] ??= seen[1];
    }
    if (boxes === 0 && Object.keys(found).length > 0) break; // above the highest box
  }
  return found;
}

const isRed = ([r, g, b]) => r > g + 25 && r > b + 25;
const isBlue = ([r, g, b]) => b > r + 25 && b > g;
const isGrey = ([r, g, b]) => Math.max(r, g, b) - Math.min(r, g, b) < 10;
const verdicts = async (page) =>
  Object.fromEntries(await page.locator(".hotlist .rows .row").evaluateAll((rows) =>
    rows.map((row) => [row.querySelector(".method b").innerText, row.querySelector(".verdict").innerText.trim()])));

before(async () => {
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

describe("the page of a comparison", () => {
  for (const scheme of ["light", "dark"]) {
    test(`what takes longer is red, what takes less long blue, the rest grey (${scheme})`, async () => {
      const [plain, slower] = [runs("plain"), runs("slower")];
      await withPage(plain, slower, async (page) => {
        const seen = await colours(page);
        assert.ok(isRed(seen.Add), `Add is ${seen.Add}`);
        assert.ok(isRed(seen.Main), `Main, slower below, is ${seen.Main}`);
        assert.ok(isGrey(seen.Fib), `Fib, changed by less than its probes leave in doubt, is ${seen.Fib}`);
      }, { colorScheme: scheme });
      await withPage(slower, plain, async (page) => {
        const seen = await colours(page);
        assert.ok(isBlue(seen.Add), `Add is ${seen.Add}`);
        assert.ok(isGrey(seen.Fib), `Fib is ${seen.Fib}`);
      }, { colorScheme: scheme });
    });
  }

  test("runs of the same program are grey all over, and the table says that nothing changed", async () => {
    const plain = runs("plain");
    await withPage(plain.slice(0, 2), plain.slice(1), async (page) => {
      for (const [name, colour] of Object.entries(await colours(page))) assert.ok(isGrey(colour), `${name} is ${colour}`);
      assert.match(await page.locator(".hotlist .empty").innerText(), /No method changed/);
      await page.getByLabel("unchanged ones too").check();
      assert.deepEqual(new Set(Object.values(await verdicts(page))), new Set(["same"]));
    });
  });

  test("the table has the verdicts of the report, and sorts", () =>
    withPage(runs("plain"), runs("slower"), async (page) => {
      assert.deepEqual(await verdicts(page), {
        "Add": "slower", "Fetch": "new", "Receive": "gone", "Main": "slower below",
      });
      await page.getByRole("columnheader", { name: "Calls" }).getByRole("button").click();
      assert.equal(await page.locator(".hotlist .rows .row .method b").first().innerText(), "Add");
      await page.locator(".hotlist .rows .row").first().click();
      const inspector = await page.locator(".inspector").innerText();
      assert.match(inspector, /\+20\.4/);
      assert.match(inspector, /less than 0\.1/);
    }));

  test("what is gone has its width among the old times", () =>
    withPage(runs("plain"), runs("slower"), async (page) => {
      await page.getByRole("button", { name: "Wall" }).click();
      await page.getByRole("button", { name: "Old", exact: true }).click();
      const seen = await colours(page);
      assert.ok(isBlue(seen.Receive), `Receive is ${seen.Receive}`);
      assert.equal(seen.Fetch, undefined);
    }));

  test("both sides' footers are there, and how weak one run a side is", async () => {
    const [old, now] = [runs("plain"), runs("losses")];
    await withPage(old.slice(0, 1), now.slice(0, 1), async (page) => {
      assert.match(await page.locator("header").innerText(), /one run a side: only large changes are named/);
      await page.getByRole("tab", { name: "Runs" }).click();
      const text = await page.getByRole("tabpanel").innerText();
      for (const [profile, name] of [[old[0], "Old, run 1"], [now[0], "New, run 1"]]) {
        assert.ok(text.includes(name) && text.includes(profile), name);
        const footer = umbra("report", "--details", profile).split("\n\n").at(-1).trimEnd().split("\n");
        const words = (line) => line.replace(/[\s,]+/g, " ").trim();
        for (const line of footer) {
          const known = words(line.replace(/^\w+\s+/, "").split(", ")[0]);
          assert.ok(words(text).includes(known), `the page does not say: ${known}`);
        }
      }
    });
  });

  test("names are text, whatever they look like", async () => {
    const hostile = runs("hostile");
    await withPage(hostile.slice(0, 1), hostile.slice(1, 2), async (page) => {
      await page.getByLabel("unchanged ones too").check();
      const text = await page.locator("body").innerText();
      assert.ok(text.includes("window.broken=3"), text);
      assert.equal(await page.evaluate(() => window.broken), undefined);
      assert.equal(await page.locator("img, u, i[onclick], svg[onload]").count(), 0);
    });
  });

  test("200,000 paths are drawn, searched and sorted", async () => {
    const profile = join(folder, "large.h5");
    const copy = join(folder, "large2.h5");
    execFileSync(process.env.UMBRA_WRITE_SYNTHETIC, [String(PATHS), profile]);
    copyFileSync(profile, copy);
    await withPage([profile], [copy], async (page) => {
      const drawn = await page.evaluate(() => performance.getEntriesByName("umbra-drawn")[0].startTime);
      console.log(`200,000 paths of a comparison: drawn ${drawn.toFixed(0)} ms after navigation`);
      assert.ok(drawn < DRAWN_WITHIN, `drawn after ${drawn} ms, not within ${DRAWN_WITHIN}`);
      const [kept, whole] = (await page.locator(".flame .status").innerText()).match(/[\d,]+/g).map((digits) => Number(digits.replaceAll(",", "")));
      assert.ok(kept <= 200_000 && kept > 100_000 && whole > kept, `${kept} of ${whole}`);
      await page.getByRole("searchbox").fill("async");
      await page.locator(".flame .status", { hasText: "matches" }).waitFor();
    });
  });
});
