// These functions draw what a chart has beside its lines: bands, targets, a mark, and the ends of
// runs.
import type uPlot from "uplot";
import type { ChartData } from "./data";

// A Look is a colour and a dash, as figure.css has them.
export interface Look {
  colour: string;
  dash: number[];
}

// Calls `draw` with the pen within the axes, and puts the pen back as it was.
function within(plot: uPlot, draw: (pen: CanvasRenderingContext2D) => void): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx);
  ctx.restore();
}

// Tells whether an axis is logarithmic.
const isLog = (plot: uPlot, axis: "x" | "y"): boolean => plot.scales[axis]?.distr === 3;

function bandOf(plot: uPlot, series: ChartData["series"][number]): Path2D {
  const band = new Path2D();
  const at = (k: number, values: number[]): void => {
    const x = series.x[k] ?? 0;
    const y = values[k] ?? 0;
    if (isLog(plot, "x") && x <= 0) return;
    band.lineTo(plot.valToPos(x, "x", true), plot.valToPos(isLog(plot, "y") ? Math.max(y, 1e-6) : y, "y", true));
  };
  for (let k = 0; k < series.x.length; ++k) at(k, series.high);
  for (let k = series.x.length - 1; k >= 0; --k) at(k, series.low);
  return band;
}

// Draws bands, targets and the mark of the x axis, behind the lines.
export function drawBehind(plot: uPlot, data: ChartData, shown: boolean[], looks: Look[], ink: string): void {
  const { bbox } = plot;
  within(plot, (pen) => {
    pen.globalAlpha = 0.17;
    data.series.forEach((series, i) => {
      if (!shown[i] || series.low.length === 0) return;
      pen.fillStyle = looks[i]?.colour ?? ink;
      pen.fill(bandOf(plot, series));
    });
    pen.globalAlpha = 1;
    pen.strokeStyle = ink;
    const line = (fromX: number, fromY: number, toX: number, toY: number): void => {
      pen.beginPath();
      pen.moveTo(fromX, fromY);
      pen.lineTo(toX, toY);
      pen.stroke();
    };
    pen.setLineDash([2 * devicePixelRatio, 4 * devicePixelRatio]);
    for (const target of data.targets) {
      const y = plot.valToPos(target, "y", true);
      line(bbox.left, y, bbox.left + bbox.width, y);
    }
    if (data.x.mark === undefined) return;
    const x = plot.valToPos(data.x.mark, "x", true);
    pen.setLineDash([5 * devicePixelRatio, 3 * devicePixelRatio]);
    pen.lineWidth = 1.5 * devicePixelRatio;
    line(x, bbox.top, x, bbox.top + bbox.height);
  });
}

// Draws a ring where the runs of a series end on average, if they do not end together.
export function drawEnds(plot: uPlot, data: ChartData, shown: boolean[], looks: Look[], ink: string): void {
  const ground = getComputedStyle(document.documentElement).getPropertyValue("--card").trim();
  within(plot, (pen) => {
    pen.setLineDash([]);
    data.series.forEach(({ tail }, i) => {
      if (!shown[i] || !tail?.end) return;
      const [x, y] = tail.end;
      pen.beginPath();
      pen.arc(plot.valToPos(x, "x", true), plot.valToPos(y, "y", true), 4.5 * devicePixelRatio, 0, 2 * Math.PI);
      pen.fillStyle = ground;
      pen.strokeStyle = looks[i]?.colour ?? ink;
      pen.lineWidth = 1.7 * devicePixelRatio;
      pen.fill();
      pen.stroke();
    });
  });
}
