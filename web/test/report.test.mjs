// These tests look at a report in a real browser. They need AIRLOT, the program, and Debian's
// chromium.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const NAME = "</script><script>alert(1)</script>";
const STRATEGIES = ["probabilistic", "deterministic", "uniform", "equally-weighted"];
const LINES = ["accuracy-time", "accuracy-energy", "accuracy-rounds", "round-times", "budget-use"];
const DRAWINGS = ["targets-time", "targets-energy", "map", "probabilities", "powers", "upload-times", "labels",
  "participation-shares", "participation-energy", "stragglers", "pareto", "class-accuracy"];

let folder, browser, report;
const others = {}; // more pages, by name

const airlot = (...words) => execFileSync(process.env.AIRLOT, words, { encoding: "utf8" });
// A gradient is of 20 samples a device: what the pages look like does not depend on how well models learn.
const SMALL = ["--set", "data.dataset=digits", "--set", "model.name=mlp", "--set", "learning.batch=20", "--set",
  "evaluate_every=4", "--strategies", STRATEGIES.join(","), "--quiet"];

function rewriteManifest(directory, change) {
  const path = join(directory, "manifest.json");
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")))));
}

// Makes a page of the paper's scenarios, each with a target that only some runs of a strategy reach.
function makePaperPage() {
  const top = join(folder, "paper");
  const names = ["paper-highly-biased", "paper-mildly-biased"];
  airlot("compare", ...names, ...SMALL, "--set", "rounds=24", "--set", "round.time_limit_s=0.5", "--seeds", "3", "-o", top);
  for (const name of names) {
    const best = [1, 2, 3].map((seed) => Math.max(...rounds("uniform", seed, join("paper", name))
      .map((row) => Number(row.accuracy)))).sort((a, b) => a - b);
    rewriteManifest(join(top, name), (manifest) => ({ ...manifest,
      scenario: manifest.scenario.replace(/^targets = .*/m, `targets = [0.11, ${(best[0] + best[2]) / 2}]`) }));
  }
  airlot("report", top, "--quiet");
  return join(top, "report.html");
}

// Makes a page of every built-in strategy and some more: their runs are copies, their names and looks are
// not.
function makeManyPage() {
  const top = join(folder, "many");
  cpSync(join(folder, "paper/paper-highly-biased"), top, { recursive: true });
  const names = JSON.parse(airlot("list", "strategies", "--json")).map((entry) => entry.name);
  for (let i = names.length; i < 28; ++i) names.push(`power-of-choice-number-${i}`);
  for (const name of names.filter((each) => !STRATEGIES.includes(each))) {
    cpSync(join(top, "probabilistic"), join(top, name), { recursive: true });
  }
  rewriteManifest(top, (manifest) => ({ ...manifest, strategies: names }));
  airlot("report", top, "--quiet");
  return join(top, "report.html");
}

function makePlanPage() {
  const page = join(folder, "plan.html");
  airlot("plan", "--set", "data.dataset=", "--report", page, "--quiet");
  return page;
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "airlot-report-"));
  const run = join(folder, "run");
  airlot("compare", "paper-highly-biased", ...SMALL, "--set", "rounds=40", "--set", "round.time_limit_s=0.5", "--set",
    "targets=[0.11, 0.99]", "--set", `name="${NAME}"`, "--seeds", "1", "-o", run);
  report = pathToFileURL(join(run, "report.html")).href;
  for (const [name, make] of Object.entries({ paper: makePaperPage, many: makeManyPage, plan: makePlanPage })) {
    others[name] = pathToFileURL(make()).href;
  }
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

// Opens a page with the report, and keeps what it complains of, asks for or pops up.
async function open(options = {}, address = report) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const seen = { errors: [], requests: [], dialogs: [] };
  page.on("console", (message) => seen.errors.push(message.text()));
  page.on("pageerror", (error) => seen.errors.push(error.message));
  page.on("request", (request) => seen.requests.push(request.url()));
  page.on("dialog", (dialog) => {
    seen.dialogs.push(dialog.message());
    dialog.dismiss();
  });
  await page.goto(address);
  return { page, seen };
}

function rounds(strategy, seed = 1, run = "run") {
  const [head, ...lines] = readFileSync(join(folder, run, strategy, `seed-${seed}`, "rounds.csv"), "utf8").trim().split("\n");
  const names = head.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((cell, i) => [names[i], cell])));
}

// Moves over a chart at a share of its width, and returns the rows of the box: strategy -> [value,
// place].
async function hover(page, id, share) {
  const over = page.locator(`#s1-${id} .u-over`);
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  await page.mouse.move(box.x + box.width * share, box.y + box.height / 2);
  await page.locator(".tip").waitFor({ state: "visible" });
  const rows = await page.locator(".tip tr").evaluateAll((all) =>
    all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  return new Map(rows.map(([name, value, , place]) => [name, [value, place]]));
}

function number(text) {
  return parseFloat(text.replace(/[,%]|at /g, ""));
}

// Counts the different colours that a canvas shows.
const colours = (canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
};

test("with scripts, every figure is drawn, and nothing is complained of or asked for", async () => {
  const { page, seen } = await open();
  const ids = await page.locator("figure").evaluateAll((all) => all.map((figure) => figure.id.replace("s1-", "")));
  assert.deepEqual(ids.sort(), [...LINES, ...DRAWINGS].sort());
  for (const id of LINES) {
    assert.ok(await page.locator(`#s1-${id} canvas`).evaluate(colours) > 20, id);
    assert.ok(await page.locator(`#s1-${id} svg.fig[role=img]`).isHidden(), id);
  }
  for (const id of DRAWINGS) {
    const shapes = await page.locator(`#s1-${id} svg.fig`).evaluate((svg) =>
      [...svg.querySelectorAll("path:not(.g,.a), rect")].filter((shape) => shape.getBoundingClientRect().width > 0).length);
    assert.ok(shapes >= (id.startsWith("targets") ? 1 : 3), `${id}: ${shapes}`);
  }
  assert.equal(await page.locator("#s1-map path.q").count(), 100);
  await page.waitForTimeout(200);
  assert.deepEqual(seen, { errors: [], requests: [report], dialogs: [] });
});

test("without scripts, every figure is drawn and every table is there", async () => {
  const { page, seen } = await open({ javaScriptEnabled: false });
  for (const id of [...LINES, ...DRAWINGS]) {
    const svg = page.locator(`#s1-${id} svg.fig`);
    assert.ok(await svg.isVisible(), id);
    assert.ok(await svg.evaluate((all) => all.querySelectorAll("path:not(.g,.a), rect").length) >=
      (id.startsWith("targets") ? 1 : 3), id);
    assert.ok((await svg.evaluate((all) => all.querySelector("desc").textContent)).length > 20, id);
  }
  assert.equal(await page.locator("#s1-map path.q > title").count(), 100);
  assert.equal(await page.locator("table").count(), await page.locator("table > caption").count());
  assert.ok(await page.locator("table").count() >= 5);
  assert.deepEqual(seen, { errors: [], requests: [report], dialogs: [] });
});

test("the box under the pointer shows what rounds.csv has", async () => {
  const { page } = await open();
  const quantities = { "accuracy-rounds": "round", "accuracy-time": "time_s", "accuracy-energy": "energy_j" };
  for (const [id, column] of Object.entries(quantities)) {
    let checked = 0;
    for (const share of [0.2, 0.5, 0.8]) {
      for (const [strategy, [value, place]] of await hover(page, id, share)) {
        const same = rounds(strategy).filter((row) => row.accuracy !== "" &&
          Math.abs(Number(row[column]) - number(place)) <= 1e-5 * Number(row[column]));
        assert.ok(same.some((row) => Math.abs(100 * Number(row.accuracy) - number(value)) <= 0.005001),
          `${id}: ${strategy} ${value} ${place}`);
        ++checked;
      }
    }
    assert.equal(checked, 3 * STRATEGIES.length, id);
  }
});

test("details of a device are those of devices.csv", async () => {
  const { page } = await open();
  const first = page.locator("#s1-map path.q").last();
  await first.scrollIntoViewIfNeeded();
  await first.hover({ force: true });
  const text = await page.locator(".tip").textContent();
  const id = text.match(/device (\S+)\n/)[1];
  const row = readFileSync(join(folder, "run/uniform/seed-1/devices.csv"), "utf8").split("\n")
    .map((line) => line.split(",")).find((cells) => cells[0] === id);
  assert.ok(text.includes(`${Number(row[4]).toLocaleString("en")} samples`), text);
  const shown = Number(text.match(/probability ([\d.]+)/)[1]);
  assert.ok(Math.abs(shown / Number(row[5]) - 1) < 0.006, text);
});

test("series can be switched off, axes changed, a part zoomed in on", async () => {
  const { page } = await open();
  const figure = page.locator("#s1-accuracy-rounds");
  const picture = () => figure.locator("canvas").evaluate((canvas) => canvas.toDataURL());
  const all = await picture();

  const button = figure.getByRole("button", { name: "uniform" });
  await button.click();
  assert.equal(await button.getAttribute("aria-pressed"), "false");
  assert.notEqual(await picture(), all);
  assert.deepEqual([...(await hover(page, "accuracy-rounds", 0.5)).keys()], STRATEGIES.filter((name) => name !== "uniform"));
  await button.click();
  await page.mouse.move(0, 0);
  assert.equal(await picture(), all);

  await figure.getByRole("button", { name: "log x" }).click();
  assert.notEqual(await picture(), all);
  await figure.getByRole("button", { name: "log x" }).click();
  assert.equal(await picture(), all);
  // A logarithm of the accuracy is of no use.
  assert.equal(await page.getByRole("button", { name: "log y" }).count(), 0);

  const box = await figure.locator(".u-over").boundingBox();
  await page.mouse.move(box.x + 0.2 * box.width, box.y + 0.2 * box.height);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 0.7 * box.height, { steps: 5 });
  await page.mouse.up();
  const reset = figure.getByRole("button", { name: "reset zoom" });
  await reset.waitFor({ state: "visible" });
  assert.notEqual(await picture(), all);
  const [, place] = (await hover(page, "accuracy-rounds", 0.5)).get("uniform");
  assert.ok(number(place) >= 12 && number(place) <= 20, place);
  await reset.click();
  assert.ok(await reset.isHidden());
  await page.mouse.move(0, 0);
  assert.equal(await picture(), all);
});

test("fingers read values, in a box that stays on the screen", async () => {
  const { page } = await open({ hasTouch: true, isMobile: true, viewport: { width: 320, height: 640 } }, others.paper);
  const tip = page.locator(".tip");
  for (const [at, words] of [["s1-accuracy-time .u-over", / s$|J$/m], ["s1-map path.q", /device/], ["s1-targets-time rect", /:/]]) {
    const place = page.locator(`#${at}`).first();
    await place.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await place.boundingBox();
    await page.touchscreen.tap(x + width / 2, y + height / 2);
    await tip.waitFor({ state: "visible" });
    await page.waitForTimeout(400);
    assert.ok(await tip.isVisible(), at);
    const box = await tip.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 320, `${at}: ${JSON.stringify(box)}`);
    assert.match(await tip.innerText(), words, at);
  }
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 320));
});

test("a log axis has numbers, and the same again after linear", async () => {
  const { page } = await open();
  const figure = page.locator("#s1-accuracy-rounds");
  const ticks = () => figure.locator(".plot").evaluate((plot) => plot.dataset.ticksX);
  const button = figure.getByRole("button", { name: "log x" });
  await button.click();
  const first = await ticks();
  assert.ok(JSON.parse(first).length >= 2, first);
  await button.click();
  await button.click();
  assert.equal(await ticks(), first);
});

test("the keyboard reads values", async () => {
  const { page } = await open();
  await page.locator("#s1-accuracy-rounds .plot").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator(".tip").textContent(), /probabilistic.*at 4/s);
  await page.locator("#s1-map svg").focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator(".tip").textContent(), /server|device/);
});

test("the keyboard zooms, and reads what is left", async () => {
  const { page } = await open();
  const figure = page.locator("#s1-accuracy-rounds");
  await figure.locator(".plot").focus();
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  await figure.getByRole("button", { name: "reset zoom" }).waitFor({ state: "visible" });
  await page.keyboard.press("ArrowRight");
  const places = (await page.locator(".tip td:last-child").allTextContents()).map(number);
  assert.equal(places.length, STRATEGIES.length);
  // Of 40 rounds, evaluated every 4, the middle quarter is there: 15 to 25.
  assert.deepEqual(new Set(places), new Set([16]));
  for (let i = 0; i < 9; ++i) await page.keyboard.press("ArrowRight");
  assert.match(await page.locator(".tip").textContent(), /at 24/);
  await page.keyboard.press("-");
  await page.keyboard.press("-");
  await page.keyboard.press("-");
  assert.ok(await figure.getByRole("button", { name: "reset zoom" }).isHidden());
});

test("of many strategies some are drawn at first, each looks like no other, all can be switched on", async () => {
  const { page } = await open({}, others.many);
  const figure = page.locator("#s1-accuracy-rounds");
  const buttons = figure.locator("button.series");
  const count = await buttons.count();
  assert.ok(count >= 28);
  const looks = await buttons.locator("path").evaluateAll((all) => all.map((path) => {
    const { color, strokeDasharray } = getComputedStyle(path);
    return `${color} ${strokeDasharray}`;
  }));
  assert.equal(new Set(looks).size, count);
  const pressed = () => figure.locator('button.series[aria-pressed="true"]').allTextContents();
  assert.equal((await pressed()).length, 6);
  await figure.getByRole("button", { name: "show all", exact: true }).click();
  assert.equal((await pressed()).length, count);
  await figure.getByRole("button", { name: "hide all", exact: true }).click();
  assert.equal((await pressed()).length, 0);
});

test("a target that only some runs reached says in how many", async () => {
  const { page } = await open({}, others.paper);
  for (const section of ["s1", "s2"]) {
    const texts = await page.locator(`#${section}-targets-time text`).allTextContents();
    assert.ok(texts.some((text) => /, [12]\/3 runs$/.test(text)), texts.join("|"));
    assert.match(await page.locator(`#${section}-targets`).locator("..").locator("table").first().textContent(), /\[[12] of 3\]/);
  }
});

for (const name of ["report", "paper", "many"]) {
  test(`the verdict and then the first chart are on the first screen: ${name}`, async () => {
    const address = name === "report" ? report : others[name];
    for (const javaScriptEnabled of [true, false]) {
      const { page } = await open({ javaScriptEnabled, viewport: { width: 1280, height: 800 } }, address);
      if (javaScriptEnabled) {
        // Verdicts on many strategies are long.
        await page.locator(".sentence").first().evaluate((place) => {
          place.textContent += " Of those that keep every energy budget, a-strategy comes furthest.".repeat(20);
          place.textContent = place.textContent.slice(0, 1000);
        });
      }
      const verdict = await page.locator(".sentence").first().boundingBox();
      const chart = await page.locator(javaScriptEnabled ? "#s1-accuracy-time .plot" : "#s1-accuracy-time svg.fig").boundingBox();
      assert.ok(verdict.y >= 0 && verdict.y + verdict.height <= chart.y, JSON.stringify([verdict, chart]));
      // The chart that answers is there as a whole; the picture without scripts is taller.
      assert.ok(chart.y + (javaScriptEnabled ? chart.height : 100) <= 800, JSON.stringify(chart));
      await page.setViewportSize({ width: 390, height: 844 });
      const small = await page.locator(javaScriptEnabled ? "#s1-accuracy-time .plot" : "#s1-accuracy-time svg.fig").boundingBox();
      assert.ok(small.y < 844 - 60, JSON.stringify(small));
    }
  });
}

test("claims come after the charts, counted and marked by more than colour", async () => {
  const { page } = await open({}, others.paper);
  const heading = page.locator("h2#claims");
  assert.match(await heading.textContent(), /: \d+ of \d+ confirmed, \d+ contradicted, \d+ cannot be told$/);
  const last = await page.locator("figure").last().boundingBox();
  assert.ok((await heading.boundingBox()).y > last.y + last.height);
  const looks = await page.locator(".claims tbody tr").evaluateAll((rows) => rows.map((row) => {
    const cell = row.querySelector(".verdict");
    return [row.className, cell.textContent[0], getComputedStyle(cell).color].join(" ");
  }));
  const kinds = [...new Set(looks)];
  for (const part of [0, 1, 2]) {
    const values = kinds.map((kind) => (part === 2 ? kind.slice(kind.indexOf("rgb")) : kind.split(" ")[part]));
    assert.equal(new Set(values).size, kinds.length, kinds.join("|"));
  }
});

test("beyond the first end of a run, a value says of how many runs it is", async () => {
  const { page } = await open({}, others.paper);
  const data = JSON.parse(await page.locator("#data").textContent()).figures["s1-accuracy-energy"];
  const tails = data.series.filter((series) => series.tail);
  assert.ok(tails.length > 0);
  await hover(page, "accuracy-energy", 0.995);
  const rows = await page.locator(".tip tr").allTextContents();
  const longest = tails.reduce((a, b) => (a.tail.x.at(-1) > b.tail.x.at(-1) ? a : b));
  assert.ok(rows.some((row) => row.startsWith(longest.name) && row.includes("(only 1 run)")), rows.join("|"));
  // Without scripts, the same line is in the picture, thinner than the curve.
  const { page: plain } = await open({ javaScriptEnabled: false }, others.paper);
  const width = (look) => plain.locator(`#s1-accuracy-energy path.${look}.c${longest.colour}.d${longest.dash}`).last()
    .evaluate((path) => parseFloat(getComputedStyle(path).strokeWidth));
  assert.ok(await width("y") <= await width("l") / 2);
});

test("tables have the colours and dashes of the curves", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const { page } = await open({ colorScheme }, others.many);
    const look = (path) => `${getComputedStyle(path).color} ${getComputedStyle(path).strokeDasharray}`;
    const read = (places) => places.evaluateAll((all, text) => all.map((place) => {
      const path = place.querySelector("path.l");
      return [place.textContent, `${getComputedStyle(path).color} ${getComputedStyle(path).strokeDasharray}`];
    }), String(look));
    const curves = new Map(await read(page.locator("#s1-accuracy-time button.series")));
    const rows = await read(page.locator("tbody th:has(.swatch)"));
    assert.ok(rows.length >= 4 * curves.size, `${rows.length} rows`);
    for (const [strategy, found] of rows) assert.equal(found, curves.get(strategy), strategy);
  }
});

test("on a phone no table is cut off, and labels of bars can be read", async () => {
  for (const address of [report, others.paper, others.many]) {
    const { page } = await open({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } }, address);
    const found = await page.locator(".scroll").evaluateAll((places) => places.flatMap((place) => {
      const problems = [];
      const name = place.getAttribute("aria-label").slice(0, 40);
      const room = place.getBoundingClientRect();
      if (room.left < 0 || room.right > 390) problems.push(`${name}: wider than the window`);
      const caption = place.querySelector("caption > span").getBoundingClientRect();
      if (caption.right > room.right + 1) problems.push(`${name}: its caption is cut off`);
      const isCut = place.scrollWidth > place.clientWidth + 1;
      if (isCut !== place.hasAttribute("data-cut")) problems.push(`${name}: does not say that it scrolls`);
      place.scrollLeft = 9999;
      const first = place.querySelector("tbody th").getBoundingClientRect();
      if (Math.abs(first.left - room.left) > 1 || (isCut && first.width > 0.6 * room.width)) problems.push(`${name}: its rows lose their names`);
      const last = [...place.querySelectorAll("tbody tr:first-child td")].at(-1).getBoundingClientRect();
      if (last.right > room.right + 1) problems.push(`${name}: its last column is out of reach`);
      return problems;
    }));
    assert.deepEqual(found, []);
    const sizes = await page.locator("#s1-targets-time svg.fig, #s1-targets-energy svg.fig, #s1-stragglers svg.fig, #s1-pareto svg.fig")
      .evaluateAll((all) => all.map((svg) => 12 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width));
    for (const size of sizes) assert.ok(size >= 9.5, `${size} px`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390));
  }
});

// Finds pairs of elements of one parent that cover each other, texts of one picture among them.
const overlaps = () => {
  const found = [];
  const check = (elements, what) => {
    const boxes = elements.map((each) => [each, each.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
    boxes.forEach(([a, p], i) => boxes.slice(i + 1).forEach(([b, q]) => {
      const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
      const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      if (wide > 1.5 && high > 2.5) found.push(`${what}: ${a.textContent} / ${b.textContent}`);
    }));
  };
  for (const figure of document.querySelectorAll("figure")) {
    check([...figure.children], figure.id);
    check([...figure.querySelectorAll(".controls > *")], figure.id);
    // The numbers at the axes of a canvas count, too.
    const plot = figure.querySelector(".plot");
    if (plot) {
      const pen = document.createElement("canvas").getContext("2d");
      pen.font = "12px system-ui, sans-serif";
      const ends = (([text, at]) => [at - pen.measureText(text).width / 2, at + pen.measureText(text).width / 2]);
      const across = JSON.parse(plot.dataset.ticksX);
      if (across.length < 2) found.push(`${figure.id}: fewer than two numbers at the x axis`);
      across.slice(1).forEach((tick, i) => {
        if (ends(tick)[0] - ends(across[i])[1] < 4) found.push(`${figure.id}: ${across[i][0]} / ${tick[0]}`);
      });
      const up = JSON.parse(plot.dataset.ticksY);
      up.slice(1).forEach((tick, i) => {
        if (Math.abs(tick[1] - up[i][1]) < 14) found.push(`${figure.id}: ${up[i][0]} / ${tick[0]}`);
      });
    }
    const svg = figure.querySelector(".drawing > svg.fig");
    const texts = [...svg.querySelectorAll("text")];
    check(texts, figure.id);
    const room = svg.getBoundingClientRect();
    for (const text of texts) {
      const box = text.getBoundingClientRect();
      if (box.left < room.left - 1 || box.right > room.right + 1 || box.bottom > room.bottom + 1) {
        found.push(`${figure.id}: ${text.textContent} sticks out`);
      }
    }
  }
  check([...document.querySelectorAll("main section.scenario > *")], "page");
  return found;
};

for (const colorScheme of ["light", "dark"]) {
  for (const [width, javaScriptEnabled] of [[320, true], [375, true], [375, false], [800, true], [1920, true], [1280, false]]) {
    test(`nothing overlaps or sticks out: ${colorScheme}, ${width} px, scripts ${javaScriptEnabled ? "on" : "off"}`, async () => {
      const { page } = await open({ colorScheme, javaScriptEnabled, viewport: { width, height: 800 } });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
      assert.deepEqual(await page.evaluate(overlaps), []);
    });
  }

  for (const name of ["paper", "many", "plan"]) {
    for (const [width, javaScriptEnabled] of [[375, colorScheme === "light"], [1280, colorScheme === "dark"]]) {
      test(`nothing overlaps or sticks out: ${name}, ${width} px, scripts ${javaScriptEnabled ? "on" : "off"}`, async () => {
        const { page, seen } = await open({ colorScheme, javaScriptEnabled, viewport: { width, height: 800 } }, others[name]);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
        assert.deepEqual(await page.evaluate(overlaps), []);
        assert.deepEqual(seen.errors, []);
      });
    }
  }

  test(`text has contrast AA: ${colorScheme}`, async () => {
    const { page } = await open({ colorScheme });
    const worst = await page.evaluate(() => {
      const rgb = (text) => text.match(/[\d.]+/g).map(Number);
      const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
        .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
      const ground = (element) => {
        for (let at = element; at; at = at.parentElement) {
          const colour = rgb(getComputedStyle(at).backgroundColor);
          if (colour.length === 3 || colour[3] > 0) return colour;
        }
        return [255, 255, 255];
      };
      let least = [99, ""];
      for (const element of document.querySelectorAll("h1,h2,h3,h4,p,li,a,td,th,caption,figcaption,button,pre,summary,dd,svg text")) {
        const style = getComputedStyle(element);
        const colour = element instanceof SVGElement ? style.fill : style.color;
        const [a, b] = [light(rgb(colour)), light(ground(element))].sort((p, q) => q - p);
        const ratio = (a + 0.05) / (b + 0.05);
        if (ratio < least[0]) least = [ratio, `${element.tagName} ${element.textContent.slice(0, 40)}`];
      }
      return least;
    });
    assert.ok(worst[0] >= 4.5, worst.join(" "));
  });
}

test("dark is dark, and paper is light", async () => {
  const { page } = await open({ colorScheme: "dark" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await ground(), "rgb(15, 19, 23)");
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  assert.equal(await ground(), "rgb(255, 255, 255)");
  assert.ok(await page.locator("#s1-accuracy-time svg.fig[role=img]").isVisible());
  assert.ok(await page.locator("#s1-accuracy-time .plot").isHidden());
});

test("a name that is markup stays text", async () => {
  const { page, seen } = await open();
  assert.equal(await page.locator("h1").textContent(), NAME);
  assert.equal(await page.locator("h2#s1").textContent(), NAME);
  assert.equal(await page.locator("script").count(), 2);
  assert.deepEqual(seen.dialogs, []);
  // The policy lets nothing in that was not there.
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.title = 'broken in'";
    document.body.append(script);
    document.body.append(Object.assign(new Image(), { src: "https://example.org/a.png" }));
  });
  assert.notEqual(await page.title(), "broken in");
  for (let waited = 0; seen.errors.length < 2 && waited < 5000; waited += 20) await page.waitForTimeout(20);
  assert.equal(seen.errors.length, 2);
});
