// A box that completes names as they are typed: arrows, Enter and Escape as one expects of them.

import { ask } from "./net.js";
import { el } from "./dom.js";

let boxes = 0;

export function completing(kind, { label, placeholder, value = "", onpick = () => {} }) {
  const id = `box-${(boxes += 1)}`;
  const input = el("input", {
    id, type: "text", role: "combobox", placeholder, autocomplete: "off", spellcheck: "false", dir: "auto",
    "aria-label": label, "aria-expanded": "false", "aria-autocomplete": "list", "aria-controls": `${id}-list`,
  });
  const list = el("ul", { id: `${id}-list`, role: "listbox", "aria-label": `${label}: suggestions`, hidden: true });
  const box = el("div", { class: "box" }, input, list);
  let hits = [], chosen = -1, running = null;
  // What stands for the label that was picked, until something else is typed.
  let picked = null;

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function point(to) {
    chosen = to;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === to)));
    if (to >= 0) {
      input.setAttribute("aria-activedescendant", list.children[to].id);
      list.children[to].scrollIntoView({ block: "nearest" });
    }
  }

  function pick(hit) {
    picked = hit;
    input.value = hit.name;
    close();
    onpick(hit);
  }

  async function look() {
    running?.abort();
    running = new AbortController();
    try {
      const found = await ask(`search/${kind}`, { q: input.value, k: 8 }, running.signal);
      hits = found.hits;
    } catch { return; }
    list.replaceChildren(...hits.map((hit, i) =>
      el("li", { id: `${id}-${i}`, role: "option", "aria-selected": "false", onmousedown: (event) => { event.preventDefault(); pick(hit); } },
        el("bdi", {}, hit.name),
        el("span", { class: "soft small" }, hit.label === hit.name ? `${hit.count.toLocaleString("en")} facts` : hit.label))));
    if (!hits.length) list.append(el("li", { class: "none", role: "option", "aria-disabled": "true" }, "nothing is called so"));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    point(hits.length && input.value ? 0 : -1);
  }

  input.addEventListener("input", () => { picked = null; look(); });
  input.addEventListener("focus", () => { input.select(); if (!picked) look(); });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) { look(); return; }
      const step = event.key === "ArrowDown" ? 1 : -1;
      if (hits.length) point((chosen + step + hits.length) % hits.length);
    } else if (event.key === "Enter" && !list.hidden && chosen >= 0) {
      event.preventDefault();
      pick(hits[chosen]);
    } else if (event.key === "Escape") close();
  });
  if (value) input.value = value;

  return { box, input, value: () => (picked ? picked.label : input.value.trim()), set: (text) => { input.value = text; picked = null; } };
}
