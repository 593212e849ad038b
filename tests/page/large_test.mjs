// SPDX-License-Identifier: MIT
// A page of as many paths as it takes: it opens, is used as a small one is, and takes no more than
// 300 MiB. What that costs is printed; benchmarks/RESULTS.md has the figures. How soon it is drawn is
// held to a limit only where one is given: UMBRA_DRAWN_WITHIN_MS, for an idle machine.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, open, reasonAgainst, umbra } from "./browser.mjs";

const PATHS = Number(process.env.UMBRA_PATHS ?? 250_000); // 200,000 of them stay
const LEFT = Math.min(PATHS, 200_000);
const DRAWN_WITHIN = Number(process.env.UMBRA_DRAWN_WITHIN_MS ?? Infinity);

const reason = reasonAgainst();
if (reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

const MIB = 1024 * 1024;

/** Memory of the renderers below this process, in MiB: what they share is split among the sharers. */
function renderers() {
  const sizes = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer")) continue;
      if (!belongsToUs(pid)) continue;
      sizes.push(Number(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8").match(/^Pss:\s+(\d+) kB/m)[1]) / 1024);
    } catch {
      // it has ended meanwhile
    }
  }
  return sizes;
}

function belongsToUs(pid) {
  for (let at = pid; at !== "0"; ) {
    if (Number(at) === process.pid) return true;
    at = readFileSync(`/proc/${at}/stat`, "utf8").replace(/^.*\) \S /, "").split(" ")[0];
  }
  return false;
}

const folder = mkdtempSync(join(tmpdir(), "umbra-page-"));
const browser = await launch();
try {
  const profile = join(folder, "large.h5");
  const file = join(folder, "large.html");
  execFileSync(process.env.UMBRA_WRITE_SYNTHETIC, [String(PATHS), profile]);
  umbra("export", "--html", file, profile);

  const begin = performance.now();
  const { page, seen } = await open(browser, pathToFileURL(file).href);
  const from_outside = performance.now() - begin;
  const drawn = await page.evaluate(() => performance.getEntriesByName("umbra-drawn")[0].startTime);
  const after_opening = Math.max(...renderers());

  // Its paths are the largest ones, and it says so.
  if (PATHS > LEFT) {
    const note = await page.locator(".flame .status").innerText();
    const [kept, whole] = note.match(/[\d,]+/g).map((digits) => Number(digits.replaceAll(",", "")));
    // A call of an async method and its first piece are one path.
    assert.ok(whole <= PATHS && whole > 0.9 * PATHS, note);
    assert.ok(kept <= LEFT && kept > LEFT / 2, note);
  }

  // Search and zoom work as in a small one.
  const typed = performance.now();
  await page.getByRole("searchbox").pressSequentially("async", { delay: 0 });
  await page.locator(".flame .status", { hasText: "matches" }).waitFor();
  const searched = performance.now() - typed;
  await page.getByRole("searchbox").fill("");
  const box = await page.locator(".graph canvas").boundingBox();
  await page.mouse.click(box.x + box.width * 0.3, box.y + box.height - 31);
  await page.locator(".inspector h2").waitFor();
  assert.ok(await page.getByRole("button", { name: "Reset zoom" }).isEnabled());
  await page.getByRole("button", { name: "CPU", exact: true }).click();
  await page.locator(".hotlist .rows .row").first().click();
  await page.getByRole("columnheader", { name: "Calls" }).getByRole("button").click();
  await page.locator(".hotlist .scroller").evaluate((list) => (list.scrollTop = list.scrollHeight));
  await page.waitForTimeout(500);
  assert.ok((await page.locator(".hotlist .rows .row").count()) < 100, "rows out of sight are drawn");
  const trees = {};
  for (const name of ["Call tree", "Bottom-up"]) {
    const asked = performance.now();
    await page.getByRole("button", { name }).click();
    await page.getByRole("treegrid", { name }).locator(".rows .row").first().waitFor();
    trees[`${name}, ms`] = performance.now() - asked;
    assert.ok((await page.locator(".hotlist .rows .row").count()) < 100, "rows out of sight are drawn");
  }
  assert.deepEqual(seen, { requests: [], errors: [] });

  const client = await page.context().newCDPSession(page);
  const heap = (await client.send("Runtime.getHeapUsage")).usedSize / MIB;
  const figures = {
    paths: LEFT,
    "file, MiB": statSync(file).size / MIB,
    "opens: first drawing, ms after navigation": drawn,
    "opens: seen from outside, ms": from_outside,
    "typing a word, ms": searched,
    ...trees,
    "renderer after opening, MiB": after_opening,
    "renderer after use, MiB": Math.max(...renderers()),
    "JavaScript heap after use, MiB": heap,
  };
  assert.ok(drawn < DRAWN_WITHIN, `drawn after ${drawn} ms, not within ${DRAWN_WITHIN}`);
  assert.ok(after_opening < 300, `${after_opening} MiB`);
  for (const [name, value] of Object.entries(figures)) console.log(`${name}: ${value.toFixed(value < 10 ? 1 : 0)}`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
