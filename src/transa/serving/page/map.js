// The map: every vector in the plane in which they lie widest. Wheel, pinch, drag and keys move it.

import { el, entityLink, number } from "./dom.js";
import { ask } from "./net.js";

const NEAR = 14;

export async function show() {
  const points = await ask("map");
  const canvas = el("canvas", { tabindex: "0", role: "img", "aria-label":
    `Map of ${points.labels.length} entities. Plus and minus zoom, arrows move, Enter opens the one in the middle.` });
  const tip = el("div", { class: "tip", hidden: true });
  const view = { x: 0, y: 0, zoom: 1 };
  const zoom = (factor, px = canvas.clientWidth / 2, py = canvas.clientHeight / 2) => {
    const before = toMap(px, py);
    view.zoom = Math.min(400, Math.max(0.7, view.zoom * factor));
    const after = toMap(px, py);
    view.x += before.x - after.x;
    view.y += before.y - after.y;
    draw();
  };
  const reset = () => { Object.assign(view, { x: 0, y: 0, zoom: 1 }); draw(); };
  const element = el("div", { class: "stack" },
    el("div", { class: "title" }, el("h1", {}, "A map of the vectors"),
      el("p", { class: "soft" }, points.labels.length < points.of
        ? `The ${number(points.labels.length)} entities with most facts, of ${number(points.of)}, where their vectors lie widest apart.`
        : `All ${number(points.of)} entities, where their vectors lie widest apart. What is close is alike.`)),
    el("div", { class: "card map" }, canvas, tip,
      el("div", { class: "tools" },
        el("button", { type: "button", "aria-label": "Zoom in", onclick: () => zoom(1.5) }, "+"),
        el("button", { type: "button", "aria-label": "Zoom out", onclick: () => zoom(1 / 1.5) }, "−"),
        el("button", { type: "button", onclick: reset }, "All"))));

  // Those with most facts last, so that they lie on top; and their names are written first.
  const order = points.counts.map((_, i) => i).sort((a, b) => points.counts[a] - points.counts[b]);
  const most = Math.max(1, ...points.counts);
  const half = () => (Math.min(canvas.clientWidth, canvas.clientHeight) / 2 - 26) * view.zoom;
  const toScreen = (i) => ({ x: canvas.clientWidth / 2 + (points.x[i] - view.x) * half(), y: canvas.clientHeight / 2 + (points.y[i] - view.y) * half() });
  const toMap = (px, py) => ({ x: view.x + (px - canvas.clientWidth / 2) / half(), y: view.y + (py - canvas.clientHeight / 2) / half() });

  let asked = false;
  function draw() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; paint(); });
  }

  function paint() {
    const { clientWidth: width, clientHeight: height } = canvas, ratio = devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext("2d"), style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(name).trim();
    pen.scale(ratio, ratio);
    pen.fillStyle = colour("--blue");
    const onScreen = [];
    for (const i of order) {
      const { x, y } = toScreen(i);
      if (x < -9 || y < -9 || x > width + 9 || y > height + 9) continue;
      onScreen.push(i);
      const share = Math.sqrt(points.counts[i] / most);
      pen.globalAlpha = 0.35 + 0.5 * share;
      pen.beginPath();
      pen.arc(x, y, 1.8 + 5 * share + Math.min(2, Math.log2(view.zoom) / 2), 0, 2 * Math.PI);
      pen.fill();
    }
    pen.globalAlpha = 1;
    names(pen, onScreen, colour);
    canvas.dataset.drawn = String(onScreen.length);
  }

  function names(pen, onScreen, colour) {
    pen.font = "12px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.lineWidth = 3;
    const taken = [];
    for (const i of onScreen.reverse()) {
      if (taken.length >= 60) break;
      const { x, y } = toScreen(i), width = Math.min(160, 7 * points.names[i].length);
      const place = [x - width / 2, y - 22, x + width / 2, y - 4];
      if (taken.some((t) => place[0] < t[2] && place[2] > t[0] && place[1] < t[3] && place[3] > t[1])) continue;
      taken.push(place);
      pen.strokeStyle = colour("--card");
      pen.fillStyle = colour("--ink");
      pen.strokeText(points.names[i], x, y - 9, 160);
      pen.fillText(points.names[i], x, y - 9, 160);
    }
  }

  function nearest(px, py) {
    let best = -1, least = NEAR * NEAR;
    for (const i of order) {
      const { x, y } = toScreen(i), d = (x - px) ** 2 + (y - py) ** 2;
      if (d <= least) { least = d; best = i; }
    }
    return best;
  }

  const fingers = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); fingers.set(event.pointerId, event); moved = 0; });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) { point(event); return; }
    const dx = event.offsetX - before.offsetX, dy = event.offsetY - before.offsetY;
    moved += Math.abs(dx) + Math.abs(dy);
    if (fingers.size === 1) {
      view.x -= dx / half();
      view.y -= dy / half();
      draw();
    } else {
      const other = [...fingers.values()].find((finger) => finger.pointerId !== event.pointerId);
      const apart = (finger) => Math.hypot(finger.offsetX - other.offsetX, finger.offsetY - other.offsetY) || 1;
      zoom(apart(event) / apart(before), other.offsetX, other.offsetY);
    }
    fingers.set(event.pointerId, event);
  });
  canvas.addEventListener("pointerup", (event) => {
    fingers.delete(event.pointerId);
    const at = moved < 5 ? nearest(event.offsetX, event.offsetY) : -1;
    if (at >= 0) location.hash = entityLink(points.labels[at]);
  });
  canvas.addEventListener("pointercancel", (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY); }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = 40 / half();
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (moves[event.key]) { view.x += moves[event.key][0]; view.y += moves[event.key][1]; draw(); }
    else if (event.key === "+" || event.key === "=") zoom(1.5);
    else if (event.key === "-") zoom(1 / 1.5);
    else if (event.key === "0") reset();
    else if (event.key === "Enter") {
      const middle = closestToMiddle();
      if (middle >= 0) location.hash = entityLink(points.labels[middle]);
    } else return;
    event.preventDefault();
  });
  const closestToMiddle = () => order.reduce((best, i) =>
    (best < 0 || Math.hypot(points.x[i] - view.x, points.y[i] - view.y) < Math.hypot(points.x[best] - view.x, points.y[best] - view.y) ? i : best), -1);

  function point(event) {
    const at = nearest(event.offsetX, event.offsetY);
    tip.hidden = at < 0;
    canvas.style.cursor = at < 0 ? "grab" : "pointer";
    if (at < 0) return;
    const { x, y } = toScreen(at);
    tip.textContent = `${points.names[at]} · ${number(points.counts[at])} facts`;
    tip.style.left = `${x}px`;
    tip.style.top = `${y}px`;
  }

  return {
    title: "Map",
    element,
    shown: () => {
      new ResizeObserver(draw).observe(canvas);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
      paint();
    },
  };
}
