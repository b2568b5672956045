// What the model is, how it learnt, and what its answers are worth.

import { card, el, number, percent, svg, waiting } from "./dom.js";
import { ask } from "./net.js";

const WIDTH = 520, HEIGHT = 220, LEFT = 46, BELOW = 26;

export async function show() {
  const model = await ask("model");
  const worth = card("What its answers are worth", waiting(2));
  const element = el("div", {},
    el("div", { class: "title" }, el("h1", {}, model.name),
      el("p", { class: "soft" }, `${model.model}, ${number(model.settings.dim)} dimensions; ${number(model.graph.entities)} entities, `
        + `${number(model.graph.relations)} relations, ${number(model.graph.train)} facts to learn from.`)),
    el("div", { class: "columns" },
      el("div", { class: "stack" }, worth, trust(model.reliability), curves(model)),
      el("div", { class: "stack" }, settings(model))));
  return {
    title: "The model",
    element,
    shown: async () => {
      const place = worth.querySelector("[aria-busy]");
      try {
        place.replaceWith(figures(await ask("model/test")));
      } catch (error) {
        place.replaceWith(el("p", { class: "soft" }, error.message));
      }
    },
  };
}

function figures(test) {
  if (!test.filtered) return el("p", { class: "soft" }, "The graph has no test facts, so that nobody can tell.");
  const pairs = [
    ["first of all", percent(test.filtered["hits@1"])],
    ["among the first three", percent(test.filtered["hits@3"])],
    ["among the first ten", percent(test.filtered["hits@10"])],
    ["mean reciprocal rank", number(test.filtered.mrr, 3)],
    ["mean rank", number(test.filtered.mr, 1)],
  ];
  return el("div", { class: "stack" },
    el("dl", { class: "numbers" }, pairs.map(([what, value]) => el("div", {}, el("dt", {}, what), el("dd", {}, value)))),
    el("p", { class: "soft small" }, `How often the true answer stands so, among all entities that the graph does not have there already: `
      + `${test.ranked < test.of ? `a sample of ${number(test.ranked)} of the ${number(test.of)}` : `all ${number(test.of)}`} facts held back for testing.`));
}

// How often answers of a probability are true: on the diagonal, the probability means what it says.
function trust(reliability) {
  if (!reliability) return null;
  const side = 200, pad = 30;
  const at = (value) => pad + value * (side - pad - 8);
  const places = Object.entries(reliability).filter(([, found]) => found.bins.length);
  return card("What its probabilities are worth",
    el("div", { class: "trust" }, places.map(([place, found]) => {
      const most = Math.max(...found.bins.map((bin) => bin.count));
      return el("figure", {},
        svg("svg", { class: "figure chart", viewBox: `0 0 ${side} ${side}`, role: "img",
            "aria-label": `Probabilities of ${place}s: off by ${number(found.error, 3)} on average` },
          svg("line", { class: "axis", x1: at(0), y1: side - at(0), x2: at(1), y2: side - at(1) }),
          svg("line", { class: "axis", x1: at(0), y1: side - at(0), x2: at(1), y2: side - at(0) }),
          svg("text", { class: "soft", x: at(1), y: side - 10, "text-anchor": "end" }, "said"),
          svg("text", { class: "soft", x: at(0) + 4, y: 16 }, "found true"),
          found.bins.map((bin) => svg("circle", { class: "bin", cx: at(bin.predicted), cy: side - at(bin.observed), r: 3 + 5 * Math.sqrt(bin.count / most) },
            svg("title", {}, `${number(bin.count)} answers: said ${percent(bin.predicted)}, found ${percent(bin.observed)}`)))),
        el("figcaption", {}, `${place}s: off by ${number(found.error, 3)}`));
    })),
    el("p", { class: "soft small" }, "Of answers that are given with a probability, the share that held-out facts bear out; measured on facts that the probabilities were not fitted on."));
}

function curves(model) {
  const of = (name) => model.history.filter((epoch) => epoch[name] !== null).map((epoch) => [epoch.epoch, epoch[name]]);
  const drawn = [["Loss", of("loss")], ["Validation (mean reciprocal rank)", of("validation")], ["Mean margin", of("mean_margin")]]
    .filter(([, points]) => points.length > 1);
  return card("How it learnt", drawn.length
    ? drawn.map(([title, points]) => chart(title, points, model.training.best_epoch))
    : el("p", { class: "soft" }, "The record has too few epochs to draw."));
}

function chart(title, points, best) {
  const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const x = (value) => LEFT + ((WIDTH - LEFT - 12) * (value - x0)) / (x1 - x0 || 1);
  const y = (value) => HEIGHT - BELOW - ((HEIGHT - BELOW - 14) * (value - y0)) / (y1 - y0 || 1);
  const chosen = points.find((p) => p[0] === best);
  return el("figure", { class: "group" }, el("h3", {}, title),
    svg("svg", { class: "figure chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
        "aria-label": `${title}: from ${number(ys[0])} in epoch ${xs[0]} to ${number(ys.at(-1))} in epoch ${xs.at(-1)}` },
      svg("line", { class: "axis", x1: LEFT, x2: WIDTH - 12, y1: HEIGHT - BELOW, y2: HEIGHT - BELOW }),
      svg("line", { class: "axis", x1: LEFT, x2: LEFT, y1: 14, y2: HEIGHT - BELOW }),
      [y0, y1].map((value) => svg("text", { class: "soft", x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, number(value, 2))),
      [x0, x1].map((value) => svg("text", { class: "soft", x: x(value), y: HEIGHT - 8, "text-anchor": value === x0 ? "start" : "end" }, `epoch ${number(value)}`)),
      svg("path", { class: "curve", d: points.map((p, i) => `${i ? "L" : "M"} ${x(p[0]).toFixed(1)} ${y(p[1]).toFixed(1)}`).join(" ") }),
      chosen ? [svg("circle", { class: "dot", cx: x(chosen[0]), cy: y(chosen[1]), r: 4.5 }, svg("title", {}, `chosen: epoch ${best}`))] : null));
}

function settings(model) {
  const plain = Object.entries({ ...model.settings, margin: undefined, ...prefixed("margin", model.settings.margin) })
    .filter(([, value]) => value !== null && value !== undefined);
  return card("Settings", el("table", {}, el("tbody", {},
    plain.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name.replaceAll("_", " ")), el("td", {}, String(value)))))));
}

const prefixed = (prefix, values) =>
  Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [`${prefix} ${name}`, value]));
