// These functions say where the numbers of an axis stand, and how they are written: as in the
// figures that stay as they are (src/report/scale.cc, numbers.cc).
import { showNumber } from "./data";

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

// Returns a number as "0.002", "50", "20,000" or "10⁶".
export function axisNumber(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size < 1e5 && size >= 1e-3)) return showNumber(value);
  const [mantissa, exponent] = value.toExponential(1).replace(".0e", "e").split("e") as [string, string];
  const power = [...String(Math.abs(Number(exponent)))].map((digit) => SUPERSCRIPTS[Number(digit)]).join("");
  return `${mantissa === "1" ? "" : `${mantissa}×`}10${Number(exponent) < 0 ? "⁻" : ""}${power}`;
}

// Returns round places between two values, about as many as fit with `least` pixels between them.
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

// Returns powers of ten, as many of them as there is room for; they have other digits before the
// zeros where there is more room, or where there are not two of them; it returns round places where
// the axis is but a small part of a decade.
function logTicks(low: number, high: number, pixels: number, least: number): number[] {
  const decade = pixels / Math.log10(high / low);
  const stride = Math.max(1, Math.ceil(least / decade));
  const times = (factors: number[]): number[] => {
    const ticks: number[] = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
      if (power % stride === 0) ticks.push(...factors.map((factor) => Number(`${factor}e${power}`)));
    }
    return ticks;
  };
  // Keeps those on the axis that are not too near to the one before.
  const fitting = (ticks: number[]): number[] => {
    const kept: number[] = [];
    for (const tick of ticks) {
      const last = kept[kept.length - 1];
      if (tick < low * 0.999 || tick > high * 1.001) continue;
      if (last === undefined || decade * Math.log10(tick / last) >= least) kept.push(tick);
    }
    return kept;
  };
  const choices = [() => times([1]), () => times([1, 2, 5]), () => times([1, 2, 3, 4, 5, 6, 7, 8, 9]),
    () => linearTicks(low, high, pixels, least)];
  let best: number[] = [];
  for (const choice of decade >= 4 * least ? choices.slice(1) : choices) {
    best = fitting(choice());
    if (best.length > 1) break;
  }
  return best;
}

// There are at least `least` pixels from one number to the next.
export function ticksOf(low: number, high: number, pixels: number, isLog: boolean, least: number): number[] {
  if (!(high > low)) return [low];
  return (isLog ? logTicks : linearTicks)(low, high, Math.max(pixels, least), least);
}
