// This script builds web/dist/ (or the folder that is named) from web/src/: one script and one
// style sheet.
import { build } from "esbuild";

const outdir = process.argv[2] ?? new URL("dist", import.meta.url).pathname;
await build({
  absWorkingDir: new URL(".", import.meta.url).pathname,
  entryPoints: { report: "src/main.ts" },
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2020", "chrome111", "firefox113", "safari16.2"],
  legalComments: "inline",
  charset: "utf8",
  outdir,
});
