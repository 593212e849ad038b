// SPDX-License-Identifier: MIT
// Pages of the samples, for the tests that open them. What imports this is skipped where there is no browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { launch, open, reasonAgainst, umbra } from "./browser.mjs";

const reason = reasonAgainst();
if (reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

const folder = mkdtempSync(join(tmpdir(), "umbra-page-"));
export let browser;

/** {profile, url} of a sample as a page, which `options` of the export go into. */
export function sample(variant = "plain", ...options) {
  const profile = join(folder, `${variant}.h5`);
  const page = join(folder, `${variant}.html`);
  execFileSync(process.env.UMBRA_WRITE_SAMPLE, [profile, variant]);
  umbra("export", "--html", page, ...options, profile);
  return { profile, url: pathToFileURL(page).href };
}

/** What a page holds, changed by `change`: for what no sample has. */
function rewrite(profile, change) {
  const page = profile.replace(/h5$/, "html");
  const place = /(<script type="text\/plain" id="profile">)([^<]*)/;
  const text = readFileSync(page, "utf8");
  const data = JSON.parse(gunzipSync(Buffer.from(text.match(place)[2], "base64")));
  change(data);
  const packed = gzipSync(JSON.stringify(data)).toString("base64");
  writeFileSync(page, text.replace(place, (_, begin) => begin + packed));
}

/** Runs `use` with the open page of a sample; afterwards it must have asked for nothing. `hash`: of its address. */
export async function withPage(variant, use, { hash = "", change, ...options } = {}) {
  const { profile, url } = sample(...[variant].flat());
  if (change) rewrite(profile, change);
  const { page, seen } = await open(browser, url + hash, options);
  try {
    await use(page, profile);
    assert.deepEqual(seen, { requests: [], errors: [] });
  } finally {
    await page.context().close();
  }
}

before(async () => {
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});
