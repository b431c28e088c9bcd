// This script takes the pictures of docs/ from a report: node web/screenshots.mjs REPORT.html docs
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [report, folder] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });

async function open(colorScheme, width, start) {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 820 } });
  await page.goto(pathToFileURL(report).href);
  await page.evaluate((id) => document.getElementById(id).scrollIntoView({ behavior: "instant" }), start);
  return page;
}

const accuracy = await open("light", 1240, "s1-accuracy");
const plot = await accuracy.locator("#s1-accuracy-time .u-over").boundingBox();
await accuracy.mouse.move(plot.x + 0.9 * plot.width, plot.y + 0.05 * plot.height);
await accuracy.screenshot({ path: `${folder}/report.png` });

const fleet = await open("dark", 1240, "s1-fleet");
await fleet.locator("#s1-map path.q").first().hover({ force: true });
await fleet.screenshot({ path: `${folder}/report-dark.png` });

const phone = await open("light", 390, "s1-accuracy");
await phone.screenshot({ path: `${folder}/report-phone.png` });
await browser.close();
