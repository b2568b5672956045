// Elements from plain values. Text only ever goes in as text, so that a label is never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

export const entityLink = (label) => `#/entity/${encodeURIComponent(label)}`;

// Names may be in any script: each keeps its own direction.
export const named = (name, label, attributes = {}) =>
  el("a", { href: entityLink(label), title: label === name ? null : label, ...attributes }, el("bdi", {}, name));

export const number = (value, digits = 3) =>
  value === null || value === undefined ? "–" : value.toLocaleString("en", { maximumFractionDigits: digits });

export const percent = (value) =>
  value >= 0.9995 ? "> 99.9 %" : value < 0.001 ? "< 0.1 %" : `${(value * 100).toFixed(value > 0.99 || value < 0.1 ? 1 : 0)} %`;

export function card(title, ...children) {
  const id = `h-${Math.random().toString(36).slice(2, 9)}`;
  return el("section", { class: "card", "aria-labelledby": id }, el("header", {}, el("h2", { id }, title)), ...children);
}

export const waiting = (lines = 3) =>
  el("div", { "aria-busy": "true", "aria-label": "loading" },
    Array.from({ length: lines }, (_, i) => el("div", { class: "skeleton", style: { width: `${90 - 18 * i}%` } })));

export const shorten = (text, most = 26) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
