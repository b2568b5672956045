// An entity's page: what is known, what is predicted, what is similar, its margins and neighbours.

import { card, el, named, number, waiting } from "./dom.js";
import { ask, askMany } from "./net.js";
import { answerRow } from "./answers.js";
import { marginFigure } from "./margin.js";
import { neighbourhood } from "./neighbourhood.js";

const MOST_ASKED = 10;
const ANSWERS = 4;

export async function show(label) {
  const known = await ask("entity", { label });
  const predicted = card("Predicted", waiting(5));
  const similar = card("Similar", waiting(4));
  const margin = card("Its margin", waiting(6));
  const element = el("article", {},
    el("div", { class: "title" },
      el("h1", {}, el("bdi", {}, known.name)),
      el("p", { class: "soft" },
        known.label === known.name ? null : el("code", {}, known.label), known.label === known.name ? null : " · ",
        `${number(known.count)} ${known.count === 1 ? "fact" : "facts"}`,
        known.seen ? null : " · none of them in training, so that nothing was learnt of it")),
    el("div", { class: "columns" },
      el("div", { class: "stack" }, predicted, knownCard(known)),
      el("div", { class: "stack" }, margin, neighbourhood(known), similar)));
  return {
    title: known.name,
    element,
    shown: () => {
      settle(predicted, predictions(known));
      settle(similar, likeness(known.label));
      settle(margin, ask("margins", { entity: known.label }).then(marginFigure));
    },
  };
}

async function settle(place, content) {
  try {
    place.querySelector("[aria-busy]").replaceWith(await content);
  } catch (error) {
    place.querySelector("[aria-busy]").replaceWith(el("p", { class: "soft" }, error.message));
  }
}

async function predictions(known) {
  const asked = known.facts.slice().sort((a, b) => b.total - a.total).slice(0, MOST_ASKED);
  if (!asked.length) return el("p", { class: "soft" }, "No known fact has it, so that there is nothing to go by.");
  const of = (side) => asked.filter((fact) => fact.asks === side);
  const tails = of("tail").map((fact) => ({ head: known.label, relation: fact.relation }));
  const heads = of("head").map((fact) => ({ relation: fact.relation, tail: known.label }));
  const [toTails, toHeads] = await Promise.all([
    tails.length ? askMany("tails", { questions: tails, k: ANSWERS }) : { results: [] },
    heads.length ? askMany("heads", { questions: heads, k: ANSWERS }) : { results: [] },
  ]);
  const groups = [
    ...of("tail").map((fact, i) => group(known, fact, toTails.results[i].answers)),
    ...of("head").map((fact, i) => group(known, fact, toHeads.results[i].answers)),
  ];
  requestAnimationFrame(() => performance.mark("transa-first-answer"));
  return el("div", {}, groups);
}

function heading(fact) {
  const words = fact.asks === "tail"
    ? [el("bdi", {}, fact.relation_name), el("span", { class: "arrow" }, "→ ?")]
    : [el("span", { class: "arrow" }, "? →"), el("bdi", {}, fact.relation_name)];
  return el("h3", {}, words);
}

function group(known, fact, answers) {
  const triple = (answer) => (fact.asks === "tail"
    ? { head: known.label, relation: fact.relation, tail: answer.label }
    : { head: answer.label, relation: fact.relation, tail: known.label });
  return el("section", { class: "group" }, heading(fact),
    answers.length
      ? el("ul", { class: "answers" }, answers.map((answer) => answerRow(answer, triple(answer), answers)))
      : el("p", { class: "soft small" }, "the graph has every answer there is"));
}

function knownCard(known) {
  return card("Known", known.facts.length
    ? known.facts.map((fact) => el("section", { class: "group side" }, heading(fact),
        el("div", { class: "row" },
          fact.entities.map((each) => named(each.name, each.label, {
            class: each.known === "train" ? "chip" : "chip held",
          })),
          fact.total > fact.entities.length
            ? el("span", { class: "soft small" }, `and ${number(fact.total - fact.entities.length)} more`) : null)))
    : el("p", { class: "soft" }, "No fact of the graph has it."));
}

async function likeness(label) {
  const { answers } = await ask("similar", { entity: label, k: 10 });
  return el("ol", { class: "answers plain" }, answers.map((each) =>
    el("li", {}, named(each.name, each.label), el("span", { class: "soft small" }, `distance ${number(-each.score, 2)}`))));
}
