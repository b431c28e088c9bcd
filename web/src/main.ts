// Makes the figures of a report answer. Without it, the page has all figures and tables as well.
import "./report.css";
import { Chart } from "./chart";
import { readData } from "./data";
import { addDetails } from "./details";

const charts = readData();
for (const [id, data] of Object.entries(charts)) {
  const drawing = document.querySelector<HTMLElement>(`#${CSS.escape(id)} .drawing`);
  if (drawing) new Chart(drawing, data);
}
for (const svg of document.querySelectorAll<SVGSVGElement>(".drawing:not(.live) > svg")) addDetails(svg);
