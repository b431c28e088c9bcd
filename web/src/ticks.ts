// Where the numbers of an axis stand, and how they are written: as in the figures that stay as they are (src/report/scale.cc,
// numbers.cc).
import { showNumber } from "./data";

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

// "0.002", "50", "20,000", "10⁶".
export function axisNumber(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size < 1e5 && size >= 1e-3)) return showNumber(value);
  const [mantissa, exponent] = value.toExponential(1).replace(".0e", "e").split("e") as [string, string];
  const power = [...String(Math.abs(Number(exponent)))].map((digit) => SUPERSCRIPTS[Number(digit)]).join("");
  return `${mantissa === "1" ? "" : `${mantissa}×`}10${Number(exponent) < 0 ? "⁻" : ""}${power}`;
}

// Round places between two values, about as many as fit with `least` pixels between them.
function linearTicks(low: number, high: number, pixels: number, least: number): number[] {
  const rough = ((high - low) * least) / pixels;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5].map((factor) => factor * power).find((each) => each >= rough * (1 - 1e-9)) ?? 10 * power;
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i <= Math.floor(high / step + 1e-9); ++i) {
    ticks.push(Number((i * step).toPrecision(12)));
  }
  return ticks;
}

// Powers of ten: with 2 and 5 between them where there is room, some of them left out where there is not; round places where
// there are not two of these.
function logTicks(low: number, high: number, pixels: number, least: number): number[] {
  const decade = pixels / Math.log10(high / low);
  const factors = decade >= 4 * least ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil(least / decade));
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
    if (power % stride !== 0) continue;
    for (const factor of factors) {
      const value = Number(`${factor}e${power}`);
      if (value >= low * 0.999 && value <= high * 1.001) ticks.push(value);
    }
  }
  if (ticks.length > 1) return ticks;
  // On a logarithmic axis equal steps come closer and closer: room for the last ones.
  return linearTicks(low, high, pixels, least * Math.max(1, Math.log(high / low)));
}

// `least`: pixels from one to the next, at least.
export function ticksOf(low: number, high: number, pixels: number, isLog: boolean, least: number): number[] {
  if (!(high > low)) return [low];
  return (isLog ? logTicks : linearTicks)(low, high, Math.max(pixels, least), least);
}
