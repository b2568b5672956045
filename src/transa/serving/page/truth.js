// "Is this true?": three names in, a verdict with its threshold, probability and reasons out.

import { card, el, number, percent } from "./dom.js";
import { ask, Refused } from "./net.js";
import { completing } from "./search.js";
import { reasons } from "./answers.js";

export async function show(head = "", relation = "", tail = "") {
  const boxes = {
    head: completing("entities", { label: "Head", placeholder: "France", value: head }),
    relation: completing("relations", { label: "Relation", placeholder: "borders", value: relation }),
    tail: completing("entities", { label: "Tail", placeholder: "Spain", value: tail }),
  };
  const place = el("div", { "aria-live": "polite", class: "stack" });
  const form = el("form", { class: "card ask", onsubmit: (event) => {
    event.preventDefault();
    const words = Object.values(boxes).map((box) => box.value());
    if (words.every(Boolean)) {
      history.replaceState(null, "", `#/true/${words.map(encodeURIComponent).join("/")}`);
      judge(place, ...words);
    }
  } },
    Object.entries(boxes).map(([name, box]) => el("label", { for: box.input.id }, name, box.box)),
    el("button", { class: "main", type: "submit" }, "Is it true?"));
  return {
    title: "Is it true?",
    element: el("div", { class: "stack" },
      el("div", { class: "title" }, el("h1", {}, "Is this true?"),
        el("p", { class: "soft" }, "Any fact, known or not. The model holds it true if its energy lies below the threshold of its relation.")),
      form, place),
    shown: () => { if (head && relation && tail) judge(place, head, relation, tail); else boxes.head.input.focus(); },
  };
}

async function judge(place, head, relation, tail) {
  try {
    const verdict = await ask("classify", { head, relation, tail });
    const told = card(`${head} · ${relation} · ${tail}`, picture(verdict));
    place.replaceChildren(told);
    if (verdict.verdict !== null) told.append(await reasons({ head, relation, tail }));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    place.replaceChildren(card("No verdict", el("p", {}, error.message)));
  }
}

function picture(verdict) {
  if (verdict.verdict === null) {
    return el("div", { class: "verdict" }, el("div", { class: "word" }, "Cannot tell"), el("p", {}, verdict.reason));
  }
  const reach = Math.max(verdict.energy, verdict.threshold, 0) * 1.25 || 1;
  const least = Math.min(0, verdict.energy, verdict.threshold);
  const at = (value) => `${Math.max(2, Math.min(98, (100 * (value - least)) / (reach - least)))}%`;
  return el("div", { class: "verdict" },
    el("div", { class: `word ${verdict.verdict}` }, verdict.verdict ? "Held true" : "Held false"),
    el("p", {}, `Probability ${percent(verdict.probability)}.`),
    el("div", { class: "scale", role: "img", "aria-label": `energy ${number(verdict.energy)}, threshold ${number(verdict.threshold)}` },
      el("div", { class: "track", style: { "--cut": at(verdict.threshold) } }),
      el("span", { class: "mark", style: { left: at(verdict.threshold) } }, `threshold ${number(verdict.threshold, 2)}`),
      el("div", { class: "pin", style: { left: at(verdict.energy) } }),
      el("span", { class: "mark below", style: { left: at(verdict.energy) } }, `energy ${number(verdict.energy, 2)}`)),
    el("p", { class: "soft small" }, verdict.reason));
}
