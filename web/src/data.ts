// These types are what the page carries as JSON (src/report/line_figure.cc).
export interface Series {
  name: string;
  colour: number; // number as in figure.css
  dash: number;
  shown: boolean; // whether it is shown at first
  steps: boolean; // From a point, it stays as high until the next.
  x: number[];
  y: number[];
  low: number[]; // It is empty where there is no band, as with fewer than three runs.
  high: number[];
  tail?: Tail;
}

// A Tail goes on where only some runs do, as their mean; `end` is the mean of where all runs end.
export interface Tail {
  x: number[];
  y: number[];
  runs: number[];
  end?: [number, number];
}

export interface ChartData {
  x: { label: string; log: boolean; mark?: number }; // A line is drawn at the mark.
  y: { label: string; log: boolean; percent: boolean };
  targets: number[];
  series: Series[];
}

// Returns "12.5 s" for "time (s): uploads", and "4 rounds" for "rounds".
export function showQuantity(value: number, label: string): string {
  const unit = /\(([^()]*)\)/.exec(label)?.[1] ?? label;
  return `${showNumber(value)} ${value === 1 && unit === "rounds" ? "round" : unit}`;
}

export function readData(): Record<string, ChartData> {
  const text = document.getElementById("data")?.textContent ?? "{}";
  return (JSON.parse(text) as { figures?: Record<string, ChartData> }).figures ?? {};
}

const plain = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
const percent = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

export function showNumber(value: number): string {
  const size = Math.abs(value);
  return size > 0 && (size < 1e-3 || size >= 1e9) ? value.toExponential(3) : plain.format(value);
}

export function showShare(value: number): string {
  return `${percent.format(100 * value)} %`;
}
