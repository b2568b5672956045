// One predicted answer: its name, how sure the model is, and why or why not.

import { el, named, number, percent } from "./dom.js";
import { ask } from "./net.js";

export function sureness(answer, others = [answer]) {
  if (typeof answer.probability === "number") {
    return el("span", { class: "sure", title: "the probability that it is true" },
      el("span", { class: "bar", "aria-hidden": "true" }, el("span", { style: { width: `${100 * answer.probability}%` } })),
      el("b", {}, percent(answer.probability)));
  }
  // Without probabilities, the bar tells of the scores beside it alone.
  const scores = others.map((other) => other.score);
  const worst = Math.min(...scores), best = Math.max(...scores);
  const share = best > worst ? 0.15 + (0.85 * (answer.score - worst)) / (best - worst) : 1;
  return el("span", { class: "sure", title: "score: minus the energy; higher is more plausible" },
    el("span", { class: "bar", "aria-hidden": "true" }, el("span", { style: { width: `${100 * share}%` } })),
    el("b", {}, number(answer.score, 2)));
}

export function answerRow(answer, triple, others) {
  const place = el("li", {}, named(answer.name, answer.label), sureness(answer, others));
  const button = el("button", {
    class: "quiet", type: "button", "aria-expanded": "false", "aria-label": `Why ${answer.name}?`,
    onclick: async () => {
      const open = place.querySelector(".why");
      button.setAttribute("aria-expanded", String(!open));
      if (open) open.remove();
      else place.append(await reasons(triple));
    },
  }, "why?");
  place.append(button);
  return place;
}

export async function reasons(triple) {
  let found;
  try {
    found = await ask("reasons", triple);
  } catch (error) {
    return el("div", { class: "why" }, el("p", {}, error.message));
  }
  const side = (speaks, words) => {
    const rows = found.reasons.filter((reason) => reason.speaks === speaks);
    return rows.length
      ? [el("h4", { class: speaks }, words), el("ul", {}, rows.map((reason) => el("li", {}, el("bdi", {}, reason.text))))]
      : [];
  };
  const told = [...side("for", "What speaks for it"), ...side("against", "Why not")];
  return el("div", { class: "why" },
    told.length ? told : el("p", {}, "Nothing known speaks for it or against it; it is the vectors alone that do."),
    el("p", { class: "soft small" }, [
      `score ${number(found.score, 3)}`,
      found.rank === null ? null : `rank ${number(found.rank)} among tails that are not known`,
      found.known ? `the graph has it (${found.known})` : null,
    ].filter(Boolean).join(" · ")));
}
