// The colours of strategies can be told apart by everyone, and seen on their ground.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

// These are the matrices of Machado, Oliveira and Fernandes 2009 for linear RGB and full
// deficiency.
const VISIONS = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
const LEAST_DIFFERENCE = 10; // difference of CIE 1976
const LEAST_CONTRAST = 3; // contrast of graphics by WCAG 2.1

function linear(colour) {
  const hex = colour.length === 4 ? colour.replace(/[0-9a-f]/g, "$&$&") : colour;
  return [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

const times = (matrix, vector) => matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * vector[i], 0));

function lab(rgb) {
  const clipped = rgb.map((value) => Math.min(1, Math.max(0, value)));
  const [x, y, z] = times([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175],
    [0.0193339, 0.119192, 0.9503041]], clipped);
  const f = (t) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const [a, b, c] = [f(x / 0.95047), f(y), f(z / 1.08883)];
  return [116 * b - 16, 500 * (a - b), 200 * (b - c)];
}

function contrast(one, other) {
  const light = (colour) => times([[0.2126, 0.7152, 0.0722]], linear(colour))[0] + 0.05;
  const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
  return high / low;
}

function css(name) {
  return readFileSync(new URL(`../src/${name}`, import.meta.url), "utf8");
}

// Returns the value of a property of a class: "color" of "c0".
function value(sheet, name, property) {
  return sheet.match(new RegExp(`\\.${name}[,{][^}]*?${property}:(#[0-9a-f]+)`))?.[1];
}

const light = css("figure.css");
const dark = css("figure-dark.css");

for (const [name, sheet, ground] of [["light", light, "#ffffff"], ["dark", dark, "#171c22"]]) {
  const colours = [...sheet.matchAll(/\.c\d\{color:(#[0-9a-f]{6})\}/g)].map((match) => match[1]);

  test(`${name}: any two colours differ for everyone`, () => {
    assert.equal(colours.length, 6);
    for (const [vision, matrix] of Object.entries(VISIONS)) {
      const seen = colours.map((colour) => lab(times(matrix, linear(colour))));
      seen.forEach((one, i) => seen.slice(0, i).forEach((other, k) => {
        const difference = Math.hypot(...one.map((part, axis) => part - other[axis]));
        assert.ok(difference >= LEAST_DIFFERENCE, `${vision}: c${i} and c${k} differ by ${difference.toFixed(1)}`);
      }));
    }
  });

  test(`${name}: every colour and line is seen on its ground`, () => {
    for (const colour of colours) assert.ok(contrast(colour, ground) >= LEAST_CONTRAST, colour);
    for (const line of ["a", "r", "e"]) {
      const stroke = value(sheet, line, "stroke");
      assert.ok(contrast(stroke, ground) >= LEAST_CONTRAST, `${line} ${stroke}`);
    }
    // An error bar is drawn on its own ground, over bars of any colour.
    assert.ok(contrast(value(sheet, "w", "stroke"), value(sheet, "z", "stroke")) >= LEAST_CONTRAST);
  });
}

test("the check finds the pairs that it must", () => {
  const differ = (one, other, vision) => Math.hypot(...lab(times(VISIONS[vision], linear(one)))
    .map((part, axis) => part - lab(times(VISIONS[vision], linear(other)))[axis]));
  assert.ok(differ("#c94f00", "#8a6a00", "protan") < 3); // An orange and an olive were here once.
  assert.ok(differ("#4fb3f6", "#a99bf5", "deutan") < 2);
  assert.ok(differ("#000000", "#ffffff", "deutan") > 99);
});
