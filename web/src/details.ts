// Figures that stay as they are: what their shapes stand for, under the pointer or by the arrow keys.
import { hideTip, showTip } from "./tip";

export function addDetails(svg: SVGSVGElement): void {
  const texts = new Map<Element, string>();
  for (const title of svg.querySelectorAll("path > title, rect > title")) {
    const shape = title.parentElement as Element | null;
    if (!shape) continue;
    texts.set(shape, title.textContent ?? "");
    title.remove(); // else the browser shows it too
  }
  if (texts.size === 0) return;

  svg.addEventListener("pointermove", (event) => {
    const text = texts.get(event.target as Element);
    if (text === undefined) hideTip();
    else showTip(text, event.clientX, event.clientY);
  });
  svg.addEventListener("pointerleave", hideTip);

  const shapes = [...texts.keys()];
  let at = -1;
  svg.setAttribute("tabindex", "0");
  svg.setAttribute("role", "group"); // what takes the focus is no mere picture
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
