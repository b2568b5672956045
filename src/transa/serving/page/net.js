// Questions to the server. What goes wrong is told in its own sentence; a server that has gone is
// told of above the page and asked again until it is back.

const notice = document.getElementById("notice");
let gone = false;

export class Refused extends Error {
  constructor(problem) {
    super(problem.detail ?? "the server refused");
    this.problem = problem;
  }
}

async function fetched(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name !== "AbortError") lost();
    throw error;
  }
  if (gone) found();
  if (!response.ok) {
    const problem = await response.json().catch(() => ({ detail: `the server answered ${response.status}` }));
    throw new Refused(problem);
  }
  return response.json();
}

export const ask = (path, parameters = {}, signal = undefined) =>
  fetched(`/api/v1/${path}?${new URLSearchParams(parameters)}`, { signal });

export const askMany = (path, body, signal = undefined) =>
  fetched(`/api/v1/${path}`, {
    method: "POST", signal, body: JSON.stringify(body), headers: { "content-type": "application/json" },
  });

function lost() {
  if (gone) return;
  gone = true;
  notice.textContent = "The server does not answer. What you see is kept; it is asked again every few seconds.";
  notice.hidden = false;
  const again = setInterval(async () => {
    try {
      await fetch("/health");
      clearInterval(again);
      found();
      dispatchEvent(new HashChangeEvent("hashchange"));
    } catch { /* not yet */ }
  }, 2000);
}

function found() {
  gone = false;
  notice.hidden = true;
}
