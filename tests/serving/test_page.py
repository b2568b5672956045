"""The page in a real browser: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.serving.conftest import ARABIC, CHINESE, SCRIPT, serving
from transa import Graph, TransE, Vocabulary

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium"),
    # One browser for all of them.
    pytest.mark.xdist_group("browser"),
]
# A busy machine may compile a kernel before it answers.
expect.set_options(timeout=30_000)
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(browser, client) -> Iterator[Page]:
    """A page that says nothing wrong, asks no other host, and runs no label as a script."""
    context = browser.new_context(viewport=DESK, base_url=str(client.base_url))
    page, wrong, asked = context.new_page(), [], []
    page.on("console", lambda said: said.type == "error" and wrong.append(said.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append("a dialog"), dialog.dismiss()))
    page.on("request", lambda request: asked.append(request.url))
    page.set_default_timeout(20_000)
    yield page
    context.close()
    assert wrong == []
    assert [url for url in asked if not url.startswith(str(client.base_url))] == []


def entity(label: str) -> str:
    return f"/#/entity/{quote(label, safe='')}"


def test_search_completes_by_keyboard(page):
    page.goto("/")
    page.keyboard.press("/")
    box = page.get_by_role("combobox", name="Find an entity")
    expect(box).to_be_focused()
    box.fill("town 2")
    expect(page.get_by_role("option").first).to_have_text(re.compile("town 2"))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("town 2")


def test_search_bears_slips_and_nonsense(page):
    page.goto("/")
    box = page.get_by_role("combobox", name="Find an entity")
    box.fill("twon 13")
    expect(page.get_by_role("option").first).to_have_text(re.compile("town 13"))
    box.fill("qqqqqqqqqqqqqqqqqqq")
    expect(page.get_by_role("option").first).to_have_text("nothing is called so")
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()


def test_an_entity(page, ring):
    page.goto(entity("town 3"))
    predicted = page.get_by_role("region", name="Predicted")
    first = predicted.get_by_role("listitem").first
    expect(first.get_by_role("link")).to_have_text(ring.predict_tails("town 3", "near")[0].name)
    expect(first).to_have_text(re.compile("%"))
    first.get_by_role("button", name=re.compile("^Why")).click()
    expect(first.locator(".why")).to_have_text(re.compile("speaks for|Why not|Nothing known"))
    expect(page.get_by_role("region", name="Known")).to_contain_text("town 4")
    similar = page.get_by_role("region", name="Similar")
    expect(similar.get_by_role("listitem").first).to_contain_text(ring.similar("town 3")[0].name)
    expect(page.get_by_role("region", name="Its neighbourhood").locator("svg a")).not_to_have_count(
        0
    )


def test_why_closes_again(page):
    page.goto(entity("town 3"))
    button = page.get_by_role("button", name=re.compile("^Why")).first
    button.click()
    expect(page.locator(".why")).to_have_count(1)
    button.click()
    expect(page.locator(".why")).to_have_count(0)


def test_names_round_a_margin_stay_within_its_picture(page):
    page.goto(entity("town 5"))
    figure = page.locator("svg.figure").first
    expect(figure.locator("a.point.named text").first).to_be_visible()
    frame = figure.bounding_box()
    for text in figure.locator("a.point.named text").all():
        box = text.bounding_box()
        assert frame["x"] <= box["x"]
        assert box["x"] + box["width"] <= frame["x"] + frame["width"]


def test_its_margin_moves_with_the_relation(page):
    page.goto(entity("town 3"))
    margin = page.get_by_role("region", name="Its margin")
    before = margin.locator("svg circle.inner").get_attribute("r")
    expect(margin.get_by_role("img")).to_have_attribute("aria-label", re.compile("Spheres round"))
    expect(margin).to_contain_text("Margin")
    other = margin.get_by_role("button").nth(1)
    other.click()
    expect(other).to_have_attribute("aria-pressed", "true")
    expect(margin.locator("svg circle.inner")).not_to_have_attribute("r", before)


@pytest.mark.parametrize("label", [SCRIPT, ARABIC, CHINESE, "a/b?c#d&e=%2F", "☃"])
def test_names_of_all_kinds_are_text(page, label):
    page.goto(entity(label))
    expect(page.get_by_role("heading", level=1)).to_have_text(label)
    expect(
        page.get_by_role("region", name="Predicted").get_by_role("listitem").first
    ).to_be_visible()
    assert page.locator("main script, main b").count() == page.locator("main .sure b").count()


def test_is_it_true(page, ring):
    page.goto("/#/true")
    for name, typed in (("Head", "town 3"), ("Relation", "near"), ("Tail", "town 4")):
        page.get_by_role("combobox", name=name).fill(typed)
    page.get_by_role("button", name="Is it true?").click()
    verdict = ring.classify([("town 3", "near", "town 4")])[0]
    expect(page.locator(".verdict .word")).to_have_text(
        "Held true" if verdict.verdict else "Held false"
    )
    expect(page.locator(".scale")).to_have_attribute("aria-label", re.compile("threshold"))
    expect(page.locator(".why")).to_be_visible()
    assert page.url.endswith("#/true/town%203/near/town%204")


def test_what_nobody_can_tell(page):
    page.goto(f"/#/true/{quote(SCRIPT, safe='')}/near/nowhere")
    expect(page.locator(".verdict .word")).to_have_text("Cannot tell")
    expect(page.locator(".verdict")).to_contain_text("unknown")


def test_discoveries(page):
    page.goto("/#/discover/near")
    rows = page.get_by_role("region", name="New facts").get_by_role("listitem")
    expect(rows.first).to_contain_text("near")
    rows.first.get_by_role("button").click()
    expect(rows.first.locator(".why")).to_be_visible()


def test_the_map_zooms_and_leads_on(page):
    page.goto("/#/map")
    canvas = page.locator("canvas")
    expect(canvas).to_have_attribute("data-drawn", "40")
    page.get_by_role("button", name="Zoom in").click(click_count=6)
    expect(canvas).not_to_have_attribute("data-drawn", "40")
    page.get_by_role("button", name="All").click()
    expect(canvas).to_have_attribute("data-drawn", "40")
    canvas.focus()
    for key in ("+", "-", "0", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.wheel(0, -100)
    page.mouse.down()
    page.mouse.move(box["x"] + 260, box["y"] + 240)
    page.mouse.up()
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Predicted")).to_be_visible()


def test_the_model_and_what_it_is_worth(page):
    page.goto("/#/model")
    worth = page.get_by_role("region", name="What its answers are worth")
    expect(worth).to_contain_text("all 25 facts held back")
    expect(page.get_by_role("img", name=re.compile("^Loss: from"))).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("^Validation"))).to_be_visible()
    expect(page.get_by_role("region", name="Settings")).to_contain_text("transa")
    trust = page.get_by_role("region", name="What its probabilities are worth")
    expect(trust).to_contain_text("off by")


def test_the_page_of_the_interface_can_be_tried(page):
    page.goto("/api")
    first = page.locator(".request").filter(has_text="/api/v1/tails").first
    first.get_by_role("textbox", name="head").fill("town 3")
    first.get_by_role("textbox", name="relation").fill("near")
    first.get_by_role("button", name="Try").click()
    expect(first.locator("pre")).to_contain_text('"answers"')


def test_an_entity_that_is_not_there(browser, client):
    page = browser.new_page(base_url=str(client.base_url))
    page.goto(entity("twon 7"))
    expect(page.locator("main")).to_contain_text("did you mean")
    page.get_by_role("link", name="town 7", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("town 7")
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "view", ["", "entity/town%203", "true/town%203/near/town%204", "map", "model"]
)
def test_on_a_phone_nothing_is_wider_than_the_screen(browser, client, view, scheme):
    context = browser.new_context(
        viewport=PHONE, color_scheme=scheme, base_url=str(client.base_url)
    )
    page = context.new_page()
    page.goto(f"/#/{view}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    red = int(re.search(r"\d+", colour)[0])
    assert (red < 60) == (scheme == "dark")
    context.close()


def test_every_control_has_a_name(page):
    for view in ("", "entity/town%203", "true", "discover/near", "map", "model"):
        page.goto("about:blank")
        page.goto(f"/#/{view}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        nameless = page.evaluate(
            """() => [...document.querySelectorAll('a, button, input, select, canvas, svg[role]')]
              .filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.length))
              .map((e) => e.outerHTML)"""
        )
        assert nameless == []


def test_the_first_answer_is_there_at_once(page):
    """Not by the clock: after the page itself there are two rounds of questions, and no more."""
    page.goto(entity("town 3"))
    expect(
        page.get_by_role("region", name="Predicted").get_by_role("listitem").first
    ).to_be_visible()
    marks = page.evaluate("performance.getEntriesByName('transa-first-answer').length")
    asked = page.evaluate(
        """() => { const done = performance.getEntriesByName('transa-first-answer')[0].startTime;
          return performance.getEntriesByType('resource')
            .filter((r) => r.responseEnd <= done && /v1.(entity|tails|heads)/.test(r.name))
            .length; }"""
    )
    assert marks == 1
    assert asked <= 3


def test_an_empty_graph(browser, tmp_path):
    """One fact, no validation, no test: as empty as a model can be."""
    one = Graph(
        train=[[0, 0, 1]],
        entities=Vocabulary("entity", ["a", "b", "unseen"]),
        relations=Vocabulary("relation", ["r"]),
    )
    TransE(dim=2, epochs=1, threads=1).fit(one).save(tmp_path / "m")
    with serving(tmp_path / "m") as client:
        page, wrong = browser.new_page(base_url=str(client.base_url)), []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        for view, words in {
            "entity/unseen": "nothing was learnt of it",
            "entity/a": "Predicted",
            "true/a/r/b": "No verdict",
            "discover": "New facts",
            "map": "All 3 entities",
            "model": "no test facts",
        }.items():
            page.goto("about:blank")
            page.goto(f"/#/{view}")
            expect(page.locator("main")).to_contain_text(words)
        page.context.close()
        assert wrong == []


def test_a_server_that_dies_is_told_of_and_found_again(browser, folder):
    with serving(folder) as client:
        port = client.base_url.port
        page = browser.new_page(base_url=str(client.base_url))
        page.goto(entity("town 3"))
        expect(page.get_by_role("region", name="Similar").get_by_role("listitem")).to_have_count(10)
    page.get_by_role("link", name="town 4", exact=True).first.click()
    expect(page.get_by_role("status")).to_contain_text("does not answer")
    # What was seen is still there.
    expect(page.get_by_role("heading", level=1)).to_have_text("town 3")
    with serving(folder, port=port):
        expect(page.get_by_role("heading", level=1)).to_have_text("town 4", timeout=30_000)
        expect(page.get_by_role("status")).to_be_hidden()
        page.context.close()
