#!/usr/bin/python3
"""Draws docs/path-losses.svg: every path loss over distance, as `airlot link` computes it.

    tools/path_losses.py [--airlot PROGRAM] [-o FILE.svg]

The curves are at 3.5 GHz, with devices 1.5 m high and every other key at its default; a curve spans the distances for which
its model is defined.
"""
import argparse
import json
import math
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent

# Each curve has a name, a colour and dashes: one colour a model, dashed where there is no line of
# sight.
CURVES = (
    ("inverse-square", "#555555", "2 3"),
    ("log-distance", "#555555", "8 3"),
    ("macro-2ghz", "#555555", ""),
    ("rma-los", "#009E73", ""),
    ("rma-nlos", "#009E73", "7 4"),
    ("uma-los", "#0072B2", ""),
    ("uma-nlos", "#0072B2", "7 4"),
    ("umi-los", "#D55E00", ""),
    ("umi-nlos", "#D55E00", "7 4"),
    ("inh-los", "#CC79A7", ""),
    ("inh-nlos", "#CC79A7", "7 4"),
)
NEAREST_M, FURTHEST_M, POINTS = 1, 10_000, 120
LEFT, TOP_EDGE, WIDTH, HEIGHT, LEAST_DB, MOST_DB = 60, 20, 640, 400, 0, 180


def loss_db(program, path_loss, distance_m):
    """Returns None outside the range of the model."""
    result = subprocess.run(
        [program, "link", "--set", f"radio.path_loss={path_loss}", "--distance-m",
         repr(distance_m), "--json"], capture_output=True, text=True)
    if result.returncode == 2 and "is defined" in result.stderr:
        return None
    result.check_returncode()
    return json.loads(result.stdout)["path_loss_db"]


def distances():
    """Returns distances evenly spaced in logarithm, with the decades and the ends of the ranges among them."""
    ratio = math.log(FURTHEST_M / NEAREST_M)
    grid = {round(NEAREST_M * math.exp(ratio * i / POINTS), 3) for i in range(POINTS + 1)}
    return sorted(grid | {1, 10, 100, 149.99, 1000, 5000, 10_000})


def x_of(distance_m):
    return LEFT + WIDTH * math.log(distance_m / NEAREST_M) / math.log(FURTHEST_M / NEAREST_M)


def y_of(db):
    return TOP_EDGE + HEIGHT * (MOST_DB - db) / (MOST_DB - LEAST_DB)


def text(x, y, words, **more):
    style = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in more.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{style}>{words}</text>'


def axes():
    parts = []
    for db in range(LEAST_DB, MOST_DB + 1, 20):
        parts.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y_of(db):.1f}" '
                     f'y2="{y_of(db):.1f}" stroke="#dddddd"/>')
        parts.append(text(LEFT - 8, y_of(db) + 4, db, text_anchor="end"))
    for decade in range(5):
        metres = 10**decade
        parts.append(f'<line x1="{x_of(metres):.1f}" x2="{x_of(metres):.1f}" y1="{TOP_EDGE}" '
                     f'y2="{TOP_EDGE + HEIGHT}" stroke="#dddddd"/>')
        name = f"{metres} m" if metres < 1000 else f"{metres // 1000} km"
        parts.append(text(x_of(metres), TOP_EDGE + HEIGHT + 18, name, text_anchor="middle"))
    middle = TOP_EDGE + HEIGHT / 2
    parts.append(text(16, middle, "path loss, dB", text_anchor="middle",
                      transform=f"rotate(-90 16 {middle})"))
    parts.append(text(LEFT + WIDTH / 2, TOP_EDGE + HEIGHT + 38, "distance on the ground",
                      text_anchor="middle"))
    return parts


def curve(points, colour, dashes):
    path = " ".join(f"{x_of(m):.1f},{y_of(db):.1f}" for m, db in points)
    pattern = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{pattern}/>'


def legend(curves):
    """Draws the legend right of the picture."""
    parts, x = [], LEFT + WIDTH + 20
    for row, (name, colour, dashes, _) in enumerate(curves):
        y = TOP_EDGE + 12 + 22 * row
        pattern = f' stroke-dasharray="{dashes}"' if dashes else ""
        parts.append(f'<line x1="{x}" x2="{x + 34}" y1="{y - 4}" y2="{y - 4}" stroke="{colour}" '
                     f'stroke-width="2"{pattern}/>')
        parts.append(text(x + 42, y, name))
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--airlot", default=TOP / "build/release/airlot")
    parser.add_argument("-o", "--output", default=TOP / "docs/path-losses.svg")
    options = parser.parse_args()
    curves = []
    for name, colour, dashes in CURVES:
        losses = [(m, loss_db(options.airlot, name, m)) for m in distances()]
        curves.append((name, colour, dashes, [point for point in losses if point[1] is not None]))
    parts = axes() + [curve(points, colour, dashes) for _, colour, dashes, points in curves]
    parts += legend(curves)
    Path(options.output).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 170} '
        f'{TOP_EDGE + HEIGHT + 50}" font-family="sans-serif" font-size="13" fill="#222222">\n'
        '<rect width="100%" height="100%" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n")


if __name__ == "__main__":
    main()
