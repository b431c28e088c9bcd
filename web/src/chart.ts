// This is a line chart that answers: zoom, values under the cursor, series on and off, linear and
// log axes.
import uPlot from "uplot";
import { type ChartData, type Series, type Tail, showNumber, showQuantity, showShare } from "./data";
import { drawBehind, drawEnds, type Look } from "./overlays";
import { axisNumber, ticksOf } from "./ticks";
import { hideTip, showTip } from "./tip";

type Range = [number, number];
type Axis = "x" | "y";
type Points = Pick<Series, "x" | "y">;

const HEIGHT = 300;
const FONT = "12px system-ui, sans-serif";
const ROOM: Record<Axis, number> = { x: 62, y: 28 }; // room for a number at an axis, in pixels
const SIZE: Record<Axis, number> = { x: 40, y: 62 }; // size of an axis, without its label
const LABEL = 24;
const PADDING = { top: 10, right: 24 };
const MANY = 6; // So many series are looked at one by one.
const FEW = 12; // So few points are marked: one alone would not be seen as a line.

function element<K extends keyof HTMLElementTagNameMap>(
  name: K, attributes: Record<string, string> = {}, text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

// Returns the points of a series or its tail that can be drawn on the axes. No two may have the same
// x, so the later one of such a pair is moved by what nobody sees.
function drawable(series: Points, log: Record<Axis, boolean>): uPlot.AlignedData {
  const x: number[] = [];
  const y: number[] = [];
  series.x.forEach((at, i) => {
    const value = series.y[i];
    if (value === undefined || (log.x && at <= 0) || (log.y && value <= 0)) return;
    const last = x[x.length - 1] ?? -Infinity;
    x.push(at > last ? at : last + Math.max(Math.abs(last), 1e-9) * 1e-9);
    y.push(value);
  });
  return [x, y];
}

// Returns the index of the point of a series that is nearest to x; of equals it takes the last.
function indexAt(series: Points, x: number): number {
  let best = 0;
  series.x.forEach((at, i) => {
    if (Math.abs(at - x) <= Math.abs((series.x[best] ?? 0) - x)) best = i;
  });
  return best;
}

export class Chart {
  private readonly log: Record<Axis, boolean>;
  private readonly shown: boolean[];
  private zoom: Record<Axis, Range> | null = null;
  private plot: uPlot | null = null;
  private readonly place: HTMLElement;
  private readonly reset: HTMLButtonElement;
  private readonly looks: () => Look[];

  constructor(drawing: HTMLElement, private readonly data: ChartData) {
    this.log = { x: data.x.log, y: data.y.log };
    this.shown = data.series.map((series) => series.shown);
    const svg = drawing.querySelector("svg");
    const description = svg?.querySelector("desc")?.textContent ?? "";
    this.reset = element("button", { type: "button", class: "reset", hidden: "" }, "reset zoom");
    this.reset.addEventListener("click", () => this.setZoom(null));
    const controls = this.makeControls();
    this.place = element("div", {
      class: "plot", tabindex: "0", role: "group",
      "aria-label": `${description} Left and right arrow keys read values, plus and minus zoom, Escape resets the zoom.`,
    });
    this.place.addEventListener("keydown", (event) => this.onKey(event));
    this.place.addEventListener("blur", hideTip);
    this.place.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") hideTip(); // A finger that is lifted leaves, too.
    });
    drawing.prepend(this.place, controls);
    drawing.classList.add("live");
    const samples = [...controls.querySelectorAll(".series svg path")];
    this.looks = () => samples.map((sample) => {
      const { color, strokeDasharray } = getComputedStyle(sample);
      return { colour: color, dash: strokeDasharray === "none" ? [] : strokeDasharray.split(",").map(parseFloat) };
    });
    this.draw();
    new ResizeObserver(() => this.plot?.setSize({ width: this.width(), height: HEIGHT })).observe(this.place);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  private width(): number {
    return Math.max(240, Math.floor(this.place.clientWidth));
  }

  // --- Buttons -------------------------------------------------------------------------------------

  private makeControls(): HTMLElement {
    const controls = element("div", { class: "controls" });
    this.data.series.forEach((series, i) => {
      const button = element("button", { type: "button", class: "series", "aria-pressed": String(this.shown[i]) });
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      svg.setAttribute("class", "fig");
      svg.setAttribute("aria-hidden", "true");
      const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
      line.setAttribute("class", `l c${series.colour} d${series.dash}`);
      line.setAttribute("d", "M0 6H26");
      svg.append(line);
      button.append(svg, series.name);
      button.addEventListener("click", () => {
        this.show(controls, (each, k) => (k === i ? !each : each));
      });
      controls.append(button);
    });
    if (this.data.series.length > MANY) {
      for (const [name, wanted] of [["show all", true], ["hide all", false]] as const) {
        const button = element("button", { type: "button", class: "every" }, name);
        button.addEventListener("click", () => this.show(controls, () => wanted));
        controls.append(button);
      }
    }
    // A logarithm of shares shows nothing that shares do not.
    for (const axis of this.data.y.percent ? (["x"] as const) : (["x", "y"] as const)) {
      const button = element("button", { type: "button", class: "axis", "data-axis": axis,
        "aria-pressed": String(this.log[axis]) }, `log ${axis}`);
      button.addEventListener("click", () => {
        this.log[axis] = !this.log[axis];
        button.setAttribute("aria-pressed", String(this.log[axis]));
        this.setZoom(null);
      });
      controls.append(button);
    }
    controls.append(this.reset);
    return controls;
  }

  private show(controls: HTMLElement, wanted: (shown: boolean, i: number) => boolean): void {
    controls.querySelectorAll(".series").forEach((button, i) => {
      this.shown[i] = wanted(this.shown[i] ?? true, i);
      button.setAttribute("aria-pressed", String(this.shown[i]));
    });
    this.draw();
  }

  private setZoom(zoom: Record<Axis, Range> | null): void {
    this.zoom = zoom;
    this.reset.hidden = zoom === null;
    this.draw();
  }

  private onKey(event: KeyboardEvent): void {
    const plot = this.plot;
    if (!plot) return;
    if (event.key === "Escape") {
      hideTip();
      if (this.zoom) this.setZoom(null);
      return;
    }
    const factor = { "+": 0.5, "=": 0.5, "-": 2 }[event.key];
    if (factor !== undefined) {
      event.preventDefault();
      this.zoomBy(plot, factor);
      return;
    }
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    // The cursor goes to the next place that is to be seen.
    const x = plot.data[0] as number[];
    const [low, high] = this.range("x");
    const first = x.findIndex((value) => value >= low);
    let last = x.length - 1;
    while (last > first && (x[last] ?? 0) > high) --last;
    if (first < 0 || (x[first] ?? 0) > high) return;
    const now = plot.cursor.left !== undefined && plot.cursor.left >= 0 ? plot.cursor.idx : null;
    const at = Math.min(Math.max(now == null ? (step > 0 ? first : last) : now + step, first), last);
    plot.setCursor({ left: plot.valToPos(x[at] ?? 0, "x"), top: plot.over.clientHeight / 2 });
  }

  // Zooms the x axis, around the cursor or the middle.
  private zoomBy(plot: uPlot, factor: number): void {
    const all = this.fullRange("x");
    const { left } = plot.cursor;
    const centre = left !== undefined && left >= 0 ? left : plot.over.clientWidth / 2;
    const to = (pixels: number): number => plot.posToVal(pixels, "x");
    const low = Math.max(all[0], to(centre - centre * factor));
    const high = Math.min(all[1], to(centre + (plot.over.clientWidth - centre) * factor));
    if (low <= all[0] && high >= all[1]) this.setZoom(null);
    else if (high > low) this.setZoom({ x: [low, high], y: this.range("y") });
  }

  // --- Drawing -------------------------------------------------------------------------------------

  // Returns the whole range of an axis, or what is zoomed in on.
  private range(axis: Axis): Range {
    return this.zoom ? this.zoom[axis] : this.fullRange(axis);
  }

  private fullRange(axis: Axis): Range {
    let low = Infinity;
    let high = -Infinity;
    this.data.series.forEach((series, i) => {
      if (!this.shown[i]) return;
      for (const points of [series, ...(series.tail ? [series.tail] : [])]) {
        const [x, y] = drawable(points, this.log);
        for (const value of (axis === "x" ? x : y) as number[]) {
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      }
    });
    const { mark } = this.data.x;
    if (axis === "x" && mark !== undefined && low <= high) {
      low = Math.min(low, mark);
      high = Math.max(high, mark);
    }
    if (low > high) return this.log[axis] ? [0.1, 1] : [0, 1];
    if (this.log[axis]) return low < high ? [low * 0.9, high * 1.1] : [low / 2, high * 2];
    if (axis === "y" && this.data.y.percent) return [0, 1];
    return [Math.min(0, low), high > 0 ? high : 1];
  }

  private ticks(axis: Axis, low: number, high: number): number[] {
    const pixels = axis === "x" ? this.width() - SIZE.y - LABEL - PADDING.right : HEIGHT - SIZE.x - LABEL - PADDING.top;
    return ticksOf(low, high, pixels, this.log[axis], ROOM[axis]);
  }

  private label(axis: Axis, value: number): string {
    return axis === "y" && this.data.y.percent ? showShare(value) : axisNumber(value);
  }

  private draw(): void {
    this.plot?.destroy();
    hideTip();
    const page = getComputedStyle(document.documentElement);
    const ink = page.getPropertyValue("--soft").trim();
    const grid = page.getPropertyValue("--line").trim();
    const looks = this.looks();
    const axis = (name: Axis): uPlot.Axis => ({
      scale: name,
      label: this.data[name].label,
      labelSize: LABEL,
      labelFont: FONT,
      font: FONT,
      size: SIZE[name],
      splits: (_, __, low, high) => this.ticks(name, low, high),
      filter: (_, splits) => splits,
      stroke: ink,
      grid: { stroke: grid, width: 1 },
      ticks: { stroke: grid, width: 1 },
      values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : this.label(name, tick))),
    });
    const tables = this.data.series.map((series) => drawable(series, this.log));
    // Tails are series of their own, after all curves.
    const tails = this.tails();
    for (const { tail } of tails) tables.push(drawable(tail, this.log));
    const stepped = uPlot.paths.stepped?.({ align: 1 });
    const options: uPlot.Options = {
      width: this.width(),
      height: HEIGHT,
      padding: [PADDING.top, PADDING.right, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, distr: this.log.x ? 3 : 1, range: () => this.range("x") },
        y: { distr: this.log.y ? 3 : 1, range: () => this.range("y") },
      },
      axes: [axis("x"), axis("y")],
      series: [{}, ...this.data.series.map((series, i): uPlot.Series => ({
        label: series.name,
        show: this.shown[i] ?? true,
        stroke: looks[i]?.colour,
        width: 2,
        dash: looks[i]?.dash,
        spanGaps: true,
        points: { show: (tables[i]?.[0].length ?? 0) <= FEW, size: 7, fill: looks[i]?.colour ?? ink },
        ...(series.steps && stepped ? { paths: stepped } : {}),
      })), ...tails.map(({ of }): uPlot.Series => ({
        show: this.shown[of] ?? true,
        stroke: looks[of]?.colour,
        width: 1,
        dash: looks[of]?.dash,
        spanGaps: true,
        points: { show: false },
      }))],
      cursor: {
        drag: { x: true, y: true, uni: 24, setScale: false },
        dataIdx: (plot, series, closest) => nearest(plot, series, closest),
        points: { size: 8 },
      },
      hooks: {
        drawAxes: [(plot) => drawBehind(plot, this.data, this.shown, looks, ink)],
        draw: [(plot) => this.tellTicks(plot), (plot) => drawEnds(plot, this.data, this.shown, looks, ink)],
        setCursor: [(plot) => this.showValues(plot)],
        setSelect: [(plot) => this.onSelect(plot)],
      },
    };
    this.plot = new uPlot(options, uPlot.join(tables), this.place);
    this.plot.over.addEventListener("dblclick", () => this.setZoom(null));
  }

  // Returns the tails that there are, each with the number of its series.
  private tails(): { of: number; tail: Tail }[] {
    return this.data.series.flatMap(({ tail }, of) => (tail ? [{ of, tail }] : []));
  }

  // Tells what a canvas does not: the numbers at its axes, and where they stand, in pixels.
  private tellTicks(plot: uPlot): void {
    for (const name of ["x", "y"] as const) {
      const ticks = this.ticks(name, ...this.range(name)).map((tick) =>
        [this.label(name, tick), Math.round(plot.valToPos(tick, name))]);
      this.place.dataset[`ticks${name.toUpperCase()}`] = JSON.stringify(ticks);
    }
  }

  // Finds the points of all series that are nearest to the cursor.
  private showValues(plot: uPlot): void {
    const { left, top, idxs } = plot.cursor;
    if (left === undefined || left < 0 || top === undefined || !idxs) {
      hideTip();
      return;
    }
    const table = element("table");
    const show = this.data.y.percent ? showShare : showNumber;
    const tails = this.tails();
    const cursor = plot.posToVal(left, "x");
    this.data.series.forEach((series, i) => {
      // Beyond the end of its curve, a series is read off its tail.
      const t = tails.findIndex(({ of }) => of === i);
      const tail = cursor > (series.x[series.x.length - 1] ?? 0) ? tails[t]?.tail : undefined;
      const at = idxs[tail ? this.data.series.length + 1 + t : i + 1];
      if (!this.shown[i] || at === null || at === undefined) return;
      const x = plot.data[0][at] ?? 0;
      const k = indexAt(tail ?? series, x);
      const y = (tail ?? series).y[k] ?? 0;
      const row = table.insertRow();
      row.append(element("th", { scope: "row" }, series.name));
      row.insertCell().textContent = show(y);
      row.insertCell().textContent = tail ? `(only ${tail.runs[k]} run${tail.runs[k] === 1 ? "" : "s"})`
        : series.low.length > 0 ? `(${show(series.low[k] ?? y)} to ${show(series.high[k] ?? y)})` : "";
      row.insertCell().textContent = `at ${showQuantity(x, this.data.x.label)}`;
    });
    const { left: edge, top: above } = plot.over.getBoundingClientRect();
    if (table.rows.length > 0) showTip(table, edge + left, above + top);
  }

  private onSelect(plot: uPlot): void {
    const { left, top, width, height } = plot.select;
    if (width < 4 && height < 4) return;
    const full: Record<Axis, Range> = { x: this.range("x"), y: this.range("y") };
    const x: Range = width < 4 ? full.x : [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
    const y: Range = height < 4 ? full.y : [plot.posToVal(top + height, "y"), plot.posToVal(top, "y")];
    // This must not happen within the hook of a plot that is about to go.
    queueMicrotask(() => this.setZoom({ x, y }));
  }
}

// Returns the point of a series that is nearest to a place in the joined data, where it may have
// none.
function nearest(plot: uPlot, series: number, closest: number): number {
  const x = plot.data[0];
  const values = plot.data[series];
  if (!values || values[closest] != null) return closest;
  let before = closest;
  let after = closest;
  while (before >= 0 && values[before] == null) --before;
  while (after < values.length && values[after] == null) ++after;
  if (before < 0) return after < values.length ? after : closest;
  if (after >= values.length) return before;
  const place = (i: number): number => plot.valToPos(x[i] ?? 0, "x");
  return place(closest) - place(before) <= place(after) - place(closest) ? before : after;
}
