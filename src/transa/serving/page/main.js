// Which view is shown: the part of the address after #.

import { el, named } from "./dom.js";
import { ask, Refused } from "./net.js";
import { completing } from "./search.js";

const content = document.getElementById("content");
const views = {
  "": home,
  entity: async (...words) => (await import("./entity.js")).show(...words),
  true: async (...words) => (await import("./truth.js")).show(...words),
  discover: async (...words) => (await import("./discover.js")).show(...words),
  map: async (...words) => (await import("./map.js")).show(...words),
  model: async (...words) => (await import("./model.js")).show(...words),
};
let turn = 0;

const box = completing("entities", {
  label: "Find an entity", placeholder: "Find an entity …",
  onpick: (hit) => { location.hash = `#/entity/${encodeURIComponent(hit.label)}`; },
});
document.getElementById("search").append(box.box);
addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    box.input.focus();
  }
});

async function route() {
  const mine = (turn += 1);
  const [, name = "", ...words] = location.hash.split("/");
  for (const link of document.querySelectorAll(".top nav a")) {
    if (link.getAttribute("href") === `#/${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    const view = await (views[name] ?? home)(...words.map(decodeURIComponent));
    if (mine !== turn) return;
    content.replaceChildren(view.element);
    document.title = view.title ? `${view.title} · transa` : "transa";
    view.shown?.();
    if (mine > 1) { content.focus({ preventScroll: true }); scrollTo(0, 0); }
  } catch (error) {
    if (mine === turn && error instanceof Refused) content.replaceChildren(refusal(error));
    else if (!(error instanceof TypeError)) throw error;
  }
}

function refusal(error) {
  const meant = error.problem.kind === "entity" ? error.problem.did_you_mean ?? [] : [];
  return el("div", { class: "home" }, el("h1", {}, "Not found"), el("p", { class: "lead" }, error.message),
    el("div", { class: "row" }, meant.map((label) => named(label, label, { class: "chip" }))));
}

async function home() {
  const { hits } = await ask("search/entities", { q: "", k: 12 });
  return {
    title: "",
    element: el("div", { class: "home" },
      el("h1", {}, "What does the graph not know yet?"),
      el("p", { class: "lead" }, "Look something up: what is known of it, what the model adds, and why."),
      el("div", { class: "row", "aria-label": "Entities with most facts" },
        hits.map((hit) => named(hit.name, hit.label, { class: "chip" })))),
  };
}

addEventListener("hashchange", route);
route().then(() => performance.mark("transa-first-view"));
ask("model").then((model) => {
  const { entities, relations, train } = model.graph;
  document.getElementById("graph").textContent =
    `${model.name}: ${entities.toLocaleString("en")} entities, ${relations.toLocaleString("en")} relations, ${train.toLocaleString("en")} facts learnt from`;
}).catch(() => {});
