// The requests that the server takes, from its OpenAPI document, each to be tried.

import { card, el } from "./dom.js";

const document_ = await (await fetch("/api/openapi.json")).json();
const content = document.getElementById("content");
content.append(el("div", { class: "title" }, el("h1", {}, "Over HTTP"), el("p", { class: "soft" }, document_.info.description.replaceAll("*", ""))));

const byTag = new Map();
for (const [path, methods] of Object.entries(document_.paths)) {
  for (const [method, about] of Object.entries(methods)) {
    const tag = about.tags?.[0] ?? "other";
    byTag.set(tag, [...(byTag.get(tag) ?? []), request(path, method, about)]);
  }
}
for (const [tag, requests] of byTag) content.append(card(tag[0].toUpperCase() + tag.slice(1), requests));

function request(path, method, about) {
  const out = el("pre", { hidden: true, tabindex: "0", "aria-label": "The answer" });
  const inputs = (about.parameters ?? []).map((each) => el("input", {
    name: each.name, placeholder: each.schema?.default ?? "", required: each.required, "aria-label": each.name }));
  const body = method === "post" ? el("textarea", { "aria-label": "The body", spellcheck: "false" }) : null;
  if (body) body.value = JSON.stringify(example(about.requestBody.content["application/json"].schema), null, 1);
  return el("section", { class: "group request" },
    el("h3", {}, el("span", { class: `verb ${method}` }, method.toUpperCase()), el("code", {}, path), el("span", { class: "soft" }, about.description ?? "")),
    el("form", { onsubmit: async (event) => {
      event.preventDefault();
      const given = inputs.filter((input) => input.value).map((input) => [input.name, input.value]);
      const response = await fetch(`${path}?${new URLSearchParams(given)}`, body
        ? { method: "POST", body: body.value, headers: { "content-type": "application/json" } } : {});
      const text = await response.text();
      out.hidden = false;
      try { out.textContent = JSON.stringify(JSON.parse(text), null, 1); } catch { out.textContent = text; }
    } },
      inputs.map((input) => el("label", {}, input.name, input)), body, el("button", { type: "submit" }, "Try")), out);
}

// A body of the shape that is wanted.
function example(schema) {
  if (schema.$ref) return example(document_.components.schemas[schema.$ref.split("/").at(-1)]);
  if (schema.default !== undefined) return schema.default;
  if (schema.type === "object") return Object.fromEntries(Object.entries(schema.properties).map(([name, each]) => [name, example(each)]));
  if (schema.type === "array") return schema.prefixItems ? schema.prefixItems.map(example) : [example(schema.items)];
  return schema.type === "string" ? "…" : 1;
}
