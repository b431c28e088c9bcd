// What the page carries as JSON (src/report/line_figure.cc).
export interface Series {
  name: string;
  colour: number; // as in figure.css
  dash: number;
  shown: boolean; // at first
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
