// SPDX-License-Identifier: MIT
// Bundles the page into one HTML file: node build.mjs OUT. Run where node_modules are.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const bundled = await build({
  entryPoints: ["src/main.tsx"],
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome111", "firefox113", "safari16.4"],
  charset: "ascii",
  legalComments: "none",
  loader: { ".woff2": "dataurl" },
  jsx: "automatic",
  jsxImportSource: "preact",
  metafile: true,
  write: false,
  outdir: "out",
});
const output = (ending) => bundled.outputFiles.find((file) => file.path.endsWith(ending)).text.trim();
// Nothing in a script may look like its end.
const script = output(".js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const style = output(".css");

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "img-src data:",
  "font-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

// The licence of every package of which something is in the bundle.
function packageOf(path) {
  let folder = dirname(path);
  while (folder.includes("node_modules")) {
    try {
      const found = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      if (found.name && found.version) return { ...found, folder };
    } catch {
      // further up
    }
    folder = dirname(folder);
  }
  return undefined;
}

const packages = new Map();
for (const path of Object.keys(bundled.metafile.inputs)) {
  const found = packageOf(path);
  if (found) packages.set(found.name, found);
}
const licences = [...packages.values()]
  .sort((a, b) => a.name.localeCompare(b.name))
  .map(({ name, version, license, folder }) => {
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), "utf8").trim() : ""}`;
  })
  .join("\n\n")
  .replaceAll("--", "- -");

const parts = { POLICY: policy, STYLE: style, SCRIPT: script, LICENCES: licences };
const page = readFileSync("index.html", "utf8").replace(/@(POLICY|STYLE|SCRIPT|LICENCES)@/g, (_, name) => parts[name]);
if (page.split("@PROFILE@").length !== 2) throw new Error("the page has no place, or two, for the profile");
writeFileSync(process.argv[2], page);
