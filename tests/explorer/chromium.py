"""The page in a real browser. Without one these tests are skipped, and say how to get it."""

import shutil
import time
from importlib.util import find_spec

import pytest

import lazyrich as lr

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser():
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("needs a browser: apt-get install chromium (Debian, Ubuntu), or Chrome on the PATH")
    if find_spec("playwright") is None:
        pytest.skip("needs playwright: pip install playwright (no browser of its own is downloaded)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=found, args=FLAGS)  # with an empty profile of its own
        yield started
        started.close()


class Seen:
    """A page, with all that went wrong on it, and all that it asked for."""

    def __init__(self, context, address):
        self.address, self.troubles, self.requests = address, [], []
        self.tab = context.new_page()
        self.tab.on("console", lambda message: self.troubles.append(message.text) if message.type == "error" else None)
        self.tab.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.tab.on("request", lambda request: self.requests.append(request.url))

    def open(self, state=""):
        """Load the page anew with this state in the address, and wait until it is drawn."""
        self.tab.goto("about:blank")
        self.tab.goto(self.address + (f"#{state}" if state else ""))
        self.wait("window.lazyrich && (lazyrich.current.drawn || lazyrich.hero || lazyrich.current.name === 'stories')")

    def wait(self, script, seconds=20):
        """Wait until the condition holds. (The driver's own method evaluates text, which the page does not allow.)"""
        end = time.monotonic() + seconds
        while not self.ask(script):
            assert time.monotonic() < end, f"after {seconds} seconds it is still not so: {script}"
            self.tab.wait_for_timeout(30)

    def ask(self, script, argument=None):
        return self.tab.evaluate(script, argument)


@pytest.fixture(scope="session")
def file(tmp_path_factory):
    return lr.explore().save(tmp_path_factory.mktemp("explorer") / "explorer.html")


@pytest.fixture
def visit(browser, file):
    """Return a function that opens the page (or another file) at a given width, with given browser options."""
    contexts = []

    def open_(state="", path=file, width=1200, height=900, motion="reduce", **options):
        context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion=motion, **options)
        contexts.append(context)
        seen = Seen(context, path.as_uri())
        seen.open(state)
        return seen

    yield open_
    for context in contexts:
        context.close()
