// SPDX-License-Identifier: MIT
// The sources of the page have the types they say.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.UMBRA_PAGE_FOLDER;
const compiler = join(folder, "node_modules", "typescript", "bin", "tsc");
if (!existsSync(compiler)) {
  console.log("skipped: the packages of the page are not installed (node and npm were not there at the build)");
  process.exit(77);
}
const checked = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
console.log(checked.stdout + checked.stderr);
process.exit(checked.status ?? 1);
