// This is a box of details beside the pointer; the page has one.
const box = document.createElement("div");
box.className = "tip";
box.hidden = true;
box.setAttribute("role", "status");

export function showTip(content: string | Node, x: number, y: number): void {
  if (!box.isConnected) document.body.append(box);
  box.replaceChildren(content);
  box.hidden = false;
  // The box stands beside the place, on the side with room, and never beyond the edge of the
  // window.
  const gap = 14;
  const { width, height } = box.getBoundingClientRect();
  const left = x + gap + width > document.documentElement.clientWidth ? x - gap - width : x + gap;
  const top = Math.min(y + gap, window.innerHeight - height - 4);
  box.style.left = `${Math.max(4, left) + window.scrollX}px`;
  box.style.top = `${Math.max(4, top) + window.scrollY}px`;
}

export function hideTip(): void {
  box.hidden = true;
}
