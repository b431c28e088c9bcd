// Figures that stay as they are tell what their shapes stand for, under the pointer or by the arrow
// keys.
import { hideTip, showTip } from "./tip";

const FINGER = 24; // half of what a finger covers, in pixels

// Returns the shape that a finger means.
function nearestOf(shapes: Element[], x: number, y: number): Element | null {
  let best: Element | null = null;
  let least = FINGER;
  for (const shape of shapes) {
    const { left, right, top, bottom } = shape.getBoundingClientRect();
    const distance = Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
    if (distance >= least) continue;
    least = distance;
    best = shape;
  }
  return best;
}

export function addDetails(svg: SVGSVGElement): void {
  const texts = new Map<Element, string>();
  for (const title of svg.querySelectorAll("path > title, rect > title")) {
    const shape = title.parentElement as Element | null;
    if (!shape) continue;
    texts.set(shape, title.textContent ?? "");
    title.remove(); // The browser would show it, too.
  }
  if (texts.size === 0) return;

  svg.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "mouse") return;
    const text = texts.get(event.target as Element);
    if (text === undefined) hideTip();
    else showTip(text, event.clientX, event.clientY);
  });
  svg.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") hideTip(); // A finger that is lifted leaves, too.
  });

  const shapes = [...texts.keys()];
  svg.addEventListener("click", ({ clientX, clientY, target }) => {
    const shape = texts.has(target as Element) ? (target as Element) : nearestOf(shapes, clientX, clientY);
    if (shape) showTip(texts.get(shape) ?? "", clientX, clientY);
  });
  let at = -1;
  svg.setAttribute("tabindex", "0");
  svg.setAttribute("role", "group"); // What takes the focus is no mere picture.
  svg.setAttribute("aria-roledescription", "figure with details on the arrow keys");
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) {
      if (event.key === "Escape") hideTip();
      return;
    }
    event.preventDefault();
    at = (at + step + shapes.length) % shapes.length;
    const shape = shapes[at];
    if (!shape) return;
    const { left, top, width, height } = shape.getBoundingClientRect();
    showTip(texts.get(shape) ?? "", left + width / 2, top + height / 2);
  });
  svg.addEventListener("blur", hideTip);
}
