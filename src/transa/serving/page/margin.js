// The paper's figure: an entity, the sphere of its neighbours by one relation, the sphere beyond
// which the others begin, and the space between them that makes its margin. Radii are true.

import { el, entityLink, number, shorten, svg } from "./dom.js";

const SIZE = 520, MIDDLE = SIZE / 2, REACH = SIZE / 2 - 46;
const MOST_TABS = 8, MOST_NAMES = 9;
// Of a letter, as the picture measures: a little more than most.
const WIDEST = 6.5;

export function marginFigure(margins) {
  const choices = margins.directions.flatMap((side) =>
    side.relations.map((relation) => ({ ...relation, side: side.direction, m_ent: side.m_ent })));
  if (!choices.length) return el("p", { class: "soft" }, "No training fact has it, so that it has no spheres.");
  choices.sort((a, b) => b.positives - a.positives);
  const place = el("div", {});
  const pick = el("select", { "aria-label": "Relation of the figure", onchange: () => choose(Number(pick.value)) },
    choices.map((choice, i) => el("option", { value: i }, words(choice))));
  const tabs = el("div", { class: "tabs", role: "group", "aria-label": "Relation of the figure" },
    choices.slice(0, MOST_TABS).map((choice, i) =>
      el("button", { type: "button", "aria-pressed": "false", onclick: () => choose(i) }, shorten(words(choice), 28))));

  function choose(i) {
    [...tabs.children].forEach((tab, at) => tab.setAttribute("aria-pressed", String(at === i)));
    pick.value = String(i);
    place.replaceChildren(draw(margins, choices[i]));
  }
  choose(0);
  return el("div", { class: "stack" }, choices.length > MOST_TABS ? pick : tabs, place);
}

const words = (choice) => (choice.side === "outgoing" ? `${choice.name} → ?` : `? → ${choice.name}`);

function draw(margins, choice) {
  const inner = choice.farthest_positive, outer = choice.nearest_negative;
  const far = Math.max(inner, outer ?? 0, ...choice.points.map((point) => point.distance)) || 1;
  // Radii are true up to a little beyond the spheres; what lies farther is drawn at the rim.
  const shown = Math.min(far, 1.6 * Math.max(inner, outer ?? 0) || far);
  const scale = (distance) => (REACH * Math.min(distance, shown)) / shown;
  const picture = svg("svg", { class: "figure", viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", "aria-label": spoken(margins, choice) },
    outer === null ? null : ring(scale(inner), scale(outer)),
    svg("circle", { class: "inner", cx: MIDDLE, cy: MIDDLE, r: scale(inner) }),
    outer === null ? null : svg("circle", { class: "outer", cx: MIDDLE, cy: MIDDLE, r: scale(outer) }),
    points(choice, scale),
    svg("circle", { class: "core", cx: MIDDLE, cy: MIDDLE, r: 5 }),
    svg("text", { x: MIDDLE, y: MIDDLE + 20, "text-anchor": "middle", "font-weight": "600" }, shorten(margins.name)));
  return el("figure", {}, picture,
    el("figcaption", {},
      el("p", {}, `Margin ${number(choice.m_opt, 2)} = ${number(margins.mu, 2)} × ${number(choice.m_ent, 2)} (entity) + `
        + `${number(1 - margins.mu, 2)} × ${number(choice.m_rel, 2)} (relation).`),
      el("p", { class: "small" }, `Dots: its ${number(choice.positives)} neighbours by this relation. Squares: `
        + `${outer === null ? "it has no others" : `the ${number(choice.negatives)} others`}. Distances from the middle are true, directions are not.`)));
}

function ring(inner, outer) {
  const [small, large] = [Math.min(inner, outer), Math.max(inner, outer)];
  const circle = (r) => `M ${MIDDLE - r} ${MIDDLE} a ${r} ${r} 0 1 0 ${2 * r} 0 a ${r} ${r} 0 1 0 ${-2 * r} 0 Z`;
  return svg("path", { class: "between", d: `${circle(large)} ${circle(small)}`, "fill-rule": "evenodd" });
}

function points(choice, scale) {
  const inside = choice.points.filter((point) => point.inside), outside = choice.points.filter((point) => !point.inside);
  const edge = new Set([inside.at(-1), outside[0]]);
  const lettered = new Set([...inside.slice(-MOST_NAMES), ...outside.slice(0, MOST_NAMES)]);
  return [...outside, ...inside].map((point) => {
    const r = scale(point.distance), x = MIDDLE + r * Math.cos(point.angle), y = MIDDLE + r * Math.sin(point.angle);
    // Away from the middle, unless the name would leave the picture.
    const name = shorten(point.name, 18), away = Math.cos(point.angle) < 0;
    const left = away === ((away ? x : SIZE - x) > 9 + WIDEST * name.length);
    const size = edge.has(point) ? 6 : 4.5;
    return svg("a", {
      class: `point ${point.inside ? "in" : "out"}${edge.has(point) ? " edge" : ""}${lettered.has(point) ? " named" : ""}`,
      href: entityLink(point.label), transform: `translate(${x} ${y})`, "aria-label": `${point.name}, distance ${number(point.distance, 2)}`,
    },
      svg("title", {}, `${point.name}: ${number(point.distance, 2)}`),
      point.inside ? svg("circle", { r: size }) : svg("rect", { x: -size, y: -size, width: 2 * size, height: 2 * size }),
      svg("text", { x: left ? -9 : 9, y: 4, "text-anchor": left ? "end" : "start" }, name));
  });
}

function spoken(margins, choice) {
  const beyond = choice.nearest_negative === null ? "it has no other neighbours"
    : `its other neighbours begin at distance ${number(choice.nearest_negative, 2)}`;
  return `Spheres round ${margins.name} for ${words(choice)}: ${choice.positives} neighbours lie within `
    + `${number(choice.farthest_positive, 2)}, ${beyond}; the margin is ${number(choice.m_opt, 2)}.`;
}
