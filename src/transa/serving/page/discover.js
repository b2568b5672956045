// Facts that the graph does not have, the most plausible first.

import { card, el, named, number, waiting } from "./dom.js";
import { ask, Refused } from "./net.js";
import { completing } from "./search.js";
import { reasons, sureness } from "./answers.js";

const TOP = 50;

export async function show(relation = "") {
  const place = el("div", { "aria-live": "polite", class: "stack" });
  const go = (label) => {
    history.replaceState(null, "", label ? `#/discover/${encodeURIComponent(label)}` : "#/discover");
    find(place, label);
  };
  const box = completing("relations", { label: "Relation", placeholder: "All relations", value: relation, onpick: (hit) => go(hit.label) });
  return {
    title: "Discover",
    element: el("div", { class: "stack" },
      el("div", { class: "title" }, el("h1", {}, "What is missing?"),
        el("p", { class: "soft" }, "The most plausible facts that the graph does not have, over all its entities.")),
      el("form", { class: "card ask two", onsubmit: (event) => { event.preventDefault(); go(box.value()); } },
        el("label", { for: box.input.id }, "by relation", box.box), el("span"),
        el("button", { class: "main", type: "submit" }, "Discover")),
      place),
    shown: () => find(place, relation),
  };
}

async function find(place, relation) {
  place.replaceChildren(el("div", { class: "card" }, waiting(6)));
  try {
    const found = await ask("discover", { top: TOP, ...(relation ? { relation } : {}) });
    place.replaceChildren(card("New facts",
      found.facts.length ? el("ol", { class: "answers" }, found.facts.map((fact) => row(fact, found.facts)))
        : el("p", { class: "soft" }, "None: the graph has every pair that its types allow."),
      el("p", { class: "soft small" }, `${number(found.pairs)} pairs of head and tail were looked at`
        + `${found.complete ? ", all that the types of the graph allow." : ", until the time was over; transa discover looks at all."}`)));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    place.replaceChildren(card("Nothing found", el("p", {}, error.message)));
  }
}

function row(fact, facts) {
  const valued = (each) => ({ probability: each.probability, score: each.standing ?? each.score });
  const item = el("li", {},
    el("span", {}, named(fact.head_name, fact.head), " · ", el("span", { class: "soft" }, el("bdi", {}, fact.relation_name)), " · ", named(fact.tail_name, fact.tail)),
    sureness(valued(fact), facts.map(valued)));
  const button = el("button", { class: "quiet", type: "button", "aria-expanded": "false",
    "aria-label": `Why ${fact.head_name} ${fact.relation_name} ${fact.tail_name}?`,
    onclick: async () => {
      const open = item.querySelector(".why");
      button.setAttribute("aria-expanded", String(!open));
      if (open) open.remove();
      else item.append(await reasons({ head: fact.head, relation: fact.relation, tail: fact.tail }));
    } }, "why?");
  item.append(button);
  return item;
}
