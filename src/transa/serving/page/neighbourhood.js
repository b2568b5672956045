// The entity and who is round it, as a small graph.

import { card, entityLink, el, shorten, svg } from "./dom.js";

const WIDTH = 520, HEIGHT = 400, MOST = 18;

export function neighbourhood(known) {
  const chosen = pickEvenly(known.facts, MOST);
  if (!chosen.length) return null;
  const places = chosen.map((_, i) => {
    const angle = (2 * Math.PI * i) / chosen.length - Math.PI / 2;
    const out = chosen.length > 9 && i % 2 ? 0.68 : 1;
    return { x: WIDTH / 2 + out * (WIDTH / 2 - 78) * Math.cos(angle), y: HEIGHT / 2 + out * (HEIGHT / 2 - 34) * Math.sin(angle) };
  });
  const picture = svg("svg", { class: "figure", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${known.name} and ${chosen.length} of its neighbours` },
    places.map((place) => svg("line", { class: "edge-line", x1: WIDTH / 2, y1: HEIGHT / 2, x2: place.x, y2: place.y })),
    chosen.map((each, i) => svg("a", { class: "node", href: entityLink(each.entity.label), transform: `translate(${places[i].x} ${places[i].y})`,
        "aria-label": `${each.entity.name}, by ${each.fact.relation_name}` },
      svg("title", {}, each.fact.asks === "tail"
        ? `${known.name} · ${each.fact.relation_name} · ${each.entity.name}`
        : `${each.entity.name} · ${each.fact.relation_name} · ${known.name}`),
      svg("circle", { r: 7 }),
      svg("text", { y: 21, "text-anchor": "middle" }, shorten(each.entity.name, 18)),
      svg("text", { class: "soft", y: -12, "text-anchor": "middle" }, shorten(each.fact.relation_name.split("/").at(-1), 18)))),
    svg("g", { class: "node centre", transform: `translate(${WIDTH / 2} ${HEIGHT / 2})` },
      svg("circle", { r: 10 }), svg("text", { y: 27, "text-anchor": "middle", "font-weight": "600" }, shorten(known.name))));
  return card("Its neighbourhood", el("figure", {}, picture));
}

// In turns from every relation, so that one with many does not fill the picture.
function pickEvenly(facts, most) {
  const found = [], seen = new Set();
  for (let turn = 0; found.length < most; turn += 1) {
    const before = found.length;
    let left = false;
    for (const fact of facts) {
      const entity = fact.entities[turn];
      left ||= fact.entities.length > turn + 1;
      if (entity && !seen.has(entity.label) && found.length < most) {
        seen.add(entity.label);
        found.push({ fact, entity });
      }
    }
    if (found.length === before && !left) break;
  }
  return found;
}
