// SPDX-License-Identifier: MIT
// Opens files in speedscope, as its npm package ships it, in a headless Chromium, and prints as JSON
// what it read: for each file {schemaErrors, importer, title, shown, profiles: [{name, unit, total, self}]},
// `title` and `shown` the texts of its page, `self` by name of the frame. What it read is what it saves (Ctrl+S). 77: it cannot run here.
//   speedscope_import.mjs FILE...     schemaErrors only of files that end in .speedscope
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, reasonAgainst } from "./browser.mjs";

const reason = reasonAgainst();
if (reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}
const packages = createRequire(join(process.env.UMBRA_PAGE_FOLDER, "package.json"));
const release = join(dirname(packages.resolve("speedscope/package.json")), "dist/release");

function schemaErrors(file) {
  const Ajv = packages("ajv");
  const schema = JSON.parse(readFileSync(join(release, "file-format-schema.json"), "utf8"));
  const validate = new Ajv({ allowUnionTypes: true }).compile(schema);
  return validate(JSON.parse(readFileSync(file, "utf8"))) ? [] : validate.errors.slice(0, 5);
}

/** Self weight of each frame of one profile that speedscope has saved. */
function sums(profile, frames) {
  const self = {};
  const add = (frame, weight) => {
    if (weight !== 0) self[frames[frame].name] = (self[frames[frame].name] ?? 0) + weight;
  };
  if (profile.type === "sampled") {
    profile.samples.forEach((stack, at) => stack.length && add(stack.at(-1), profile.weights[at]));
  } else {
    const stack = [];
    let last = profile.startValue;
    for (const { type, frame, at } of profile.events) {
      if (stack.length) add(stack.at(-1), at - last);
      last = at;
      if (type === "O") stack.push(frame);
      else stack.pop();
    }
  }
  const total = profile.endValue - profile.startValue;
  return { name: profile.name, unit: profile.unit, total, self };
}

async function imported(context, file) {
  const page = await context.newPage();
  const failures = [];
  let importer = "";
  page.on("console", (message) => {
    const text = message.text();
    if (text.startsWith("Importing as ")) importer = text;
    if (message.type() === "error" || text.startsWith("Failed")) failures.push(text);
  });
  page.on("pageerror", (error) => failures.push(String(error)));
  page.on("dialog", (dialog) => {
    failures.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto(pathToFileURL(join(release, "index.html")).href);
  await page.locator("#file").setInputFiles(file);
  const end = Date.now() + 300_000;
  while (!(await page.title()).includes(" - ")) {
    if (failures.length) throw new Error(`speedscope on ${file}: ${failures.join("; ")}`);
    if (Date.now() > end) throw new Error(`speedscope does not finish with ${file}`);
    await page.waitForTimeout(50);
  }
  const download = page.waitForEvent("download", { timeout: 300_000 });
  await page.keyboard.press("Control+s");
  const saved = JSON.parse(readFileSync(await (await download).path(), "utf8"));
  const title = await page.title();
  const shown = await page.locator("body").innerText();
  await page.close();
  if (failures.length) throw new Error(`speedscope on ${file}: ${failures.join("; ")}`);
  return { importer, title, shown, profiles: saved.profiles.map((profile) => sums(profile, saved.shared.frames)) };
}

const browser = await launch(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]);
const answer = {};
try {
  const context = await browser.newContext();
  for (const file of process.argv.slice(2)) {
    answer[file] = {
      schemaErrors: file.endsWith(".speedscope") ? schemaErrors(file) : [],
      ...(await imported(context, file)),
    };
  }
} finally {
  await browser.close();
}
console.log(JSON.stringify(answer));
