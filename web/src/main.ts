// This script makes the figures of a report answer. Without it, the page has all figures and tables
// as well.
import "./report.css";
import { Chart } from "./chart";
import { readData } from "./data";
import { addDetails } from "./details";
import { hideTip } from "./tip";

const charts = readData();
for (const [id, data] of Object.entries(charts)) {
  const drawing = document.querySelector<HTMLElement>(`#${CSS.escape(id)} .drawing`);
  if (drawing) new Chart(drawing, data);
}
for (const svg of document.querySelectorAll<SVGSVGElement>(".drawing:not(.live) > svg")) addDetails(svg);

// Tables that are wider than their place say that they scroll.
function tellCut(): void {
  for (const place of document.querySelectorAll<HTMLElement>(".scroll")) {
    place.toggleAttribute("data-cut", place.scrollWidth > place.clientWidth + 1);
  }
}
tellCut();
addEventListener("resize", tellCut);

// A finger elsewhere puts the box away.
document.addEventListener("pointerdown", (event) => {
  if (event.pointerType !== "mouse") hideTip();
});

// Paper has nothing to unfold.
const unfolded: HTMLDetailsElement[] = [];
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll<HTMLDetailsElement>("details:not([open])")) {
    details.open = true;
    unfolded.push(details);
  }
});
addEventListener("afterprint", () => {
  for (const details of unfolded.splice(0)) details.open = false;
});
