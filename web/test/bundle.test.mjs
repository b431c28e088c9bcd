// What is kept in web/dist is what web/src builds, byte for byte, and the lock file has no
// addresses.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const top = fileURLToPath(new URL("..", import.meta.url));

test("types are right", () => {
  execFileSync(process.execPath, [join(top, "node_modules/typescript/bin/tsc"), "--noEmit"], { cwd: top });
});

test("dist is what src builds", () => {
  const folder = mkdtempSync(join(tmpdir(), "airlot-web-"));
  try {
    execFileSync(process.execPath, [join(top, "build.mjs"), folder]);
    for (const name of ["report.js", "report.css"]) {
      assert.ok(readFileSync(join(folder, name)).equals(readFileSync(join(top, "dist", name))), `${name}: run npm run build`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the lock file has no download addresses", () => {
  assert.doesNotMatch(readFileSync(join(top, "package-lock.json"), "utf8"), /"resolved"|:\/\/[^"]*registry/);
});
