"""A browser before a real service: what is served, what is watched while somebody looks, and checks of a view."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright

import belated as bl
from belated.service.http.app import app
from belated.service.http.service import Service
from belated.service.http.serving import opened_socket

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = f"no browser is installed; the page is tried with any of {', '.join(NAMES)} (Debian: apt install chromium)"


def installed() -> str | None:
    """The browser of this machine, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def started(path: str) -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


class Served:
    """A service in a thread, at a port of its own, which can be ended and started again over the same store."""

    def __init__(self) -> None:
        self.store = bl.open("memory://")
        self._port = 0
        secret = Service(self.store).make_first_key()
        assert secret is not None
        self.key = secret
        self.start()
        self.http = httpx.Client(base_url=self.address, headers={"authorization": f"Bearer {secret}"}, timeout=60)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        listening = opened_socket("127.0.0.1", self._port)
        self._port = listening.getsockname()[1]
        config = uvicorn.Config(app(Service(self.store)), log_level="warning", timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listening],))
        self._thread.start()
        self._listening = listening

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._listening.close()

    def close(self) -> None:
        self.http.close()
        self.stop()
        self.store.close()

    def post(self, path: str, **body: Any) -> Any:
        """The reply to a request that has to succeed."""
        reply = self.http.post(f"/v1{path}", json=body)
        assert reply.is_success, reply.text
        return reply.json()

    def learner(self, name: str, dim: int = 2) -> str:
        """A new learner that is told gradients, and its path."""
        arguments = {"domain": {"Ball": {"dim": dim}}, "strong_convexity": 2.0}
        self.post("/learners", name=name, make={"algorithm": "dogd_sc", "arguments": arguments})
        return f"/learners/{name}"

    def made_key(self, label: str, *scopes: str, learners: list[str] | None = None) -> str:
        secret: str = self.post("/keys", label=label, scopes=scopes, learners=learners)["key"]
        return secret


WATCH = """
addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective}`));
"""

EXPECTED = "Failed to load resource"
"""The browser's own line for a reply of 4xx or none at all; whoever expects replies to succeed looks at ``failed``."""


class Watched:
    """A page, with everything that went wrong on it.

    Args:
        browser: The browser.
        address: Where the service is.
        given: What a context takes, such as ``color_scheme``.
    """

    def __init__(self, browser: Browser, address: str, **given: Any) -> None:
        self._context = browser.new_context(base_url=address, locale="en-GB", **given)
        self._context.set_default_timeout(10_000)
        self._context.add_init_script(WATCH)
        self.page: Page = self._context.new_page()
        self.wrong: list[str] = []
        self.failed: list[str] = []
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("console", self._said)
        self.page.on("request", lambda request: self._asked(address, request.url))
        self.page.goto("/")

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            (self.failed if message.text.startswith(EXPECTED) else self.wrong).append(message.text)

    def _asked(self, address: str, url: str) -> None:
        if not url.startswith(f"{address}/"):
            self.wrong.append(f"foreign: {url}")

    def log_in(self, key: str) -> Page:
        self.page.get_by_label("Key").fill(key)
        self.page.keyboard.press("Enter")
        self.page.get_by_role("button", name="Log out").wait_for()
        return self.page

    def close(self) -> None:
        self._context.close()


NAMELESS = """() => {
  const named = (node) => node.getAttribute("aria-label") || node.textContent.trim() || node.labels?.length;
  const kinds = "button, a[href], input, select, summary, dialog, table, svg[role=img], nav";
  const all = [...document.querySelectorAll(kinds)].filter((node) => node.checkVisibility());
  const bare = all.filter((node) => !named(node) && !node.getAttribute("aria-labelledby"));
  const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
  const twice = ids.filter((id, place) => ids.indexOf(id) < place);
  return [...bare.map((node) => `no name: ${node.outerHTML.slice(0, 120)}`), ...twice.map((id) => `twice: ${id}`)];
}"""

WIDER = """() => {
  const room = document.documentElement.clientWidth;
  const out = [...document.body.querySelectorAll("*")].filter((node) => node.checkVisibility()
    && !node.closest(".skip, svg, .tabs input, .unseen") && node.getBoundingClientRect().right > room + 1);
  return [...out.map((node) => `wide: ${node.outerHTML.slice(0, 120)}`),
    ...(document.documentElement.scrollWidth > room ? ["the page scrolls sideways"] : [])];
}"""

PALE = """() => {
  const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((each) => each / 255)
    .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
    .reduce((sum, each, place) => sum + each * [0.2126, 0.7152, 0.0722][place], 0);
  const ground = (node) => {
    for (let each = node; each; each = each.parentElement) {
      const found = numbers(getComputedStyle(each).backgroundColor);
      if (found.length === 3 || found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = new Set();
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !node.checkVisibility()) continue;
    const style = getComputedStyle(node), ink = node.closest("svg") ? style.fill : style.color;
    const [a, b] = [light(numbers(ink)), light(ground(node))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.add(`contrast ${contrast.toFixed(2)}: ${walker.currentNode.data.trim().slice(0, 60)}`);
  }
  return [...found];
}"""


def lacking(page: Page) -> list[str]:
    """What on a page has no name, is too wide for the window, or can hardly be read."""
    return [each for check in (NAMELESS, WIDER, PALE) for each in page.evaluate(check)]
