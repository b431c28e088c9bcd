// What the page carries as JSON (src/report/line_figure.cc).
export interface Series {
  name: string;
  colour: number; // as in figure.css
  dash: number;
  shown: boolean; // at first
  steps: boolean; // from a point, it stays as high until the next
  x: number[];
  y: number[];
  low: number[]; // empty: no band, as of fewer than three runs
  high: number[];
}

export interface ChartData {
  x: { label: string; log: boolean };
  y: { label: string; log: boolean; percent: boolean };
  targets: number[];
  series: Series[];
}

// "12.5 s" of "simulated time (s)", "4 rounds" of "rounds".
export function showQuantity(value: number, label: string): string {
  const unit = /\(([^()]*)\)$/.exec(label)?.[1] ?? label;
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
