"""Measure how fast the explorer repaints during a drag: every control of every tab, in headless Chromium.

A repaint includes all that follows a change: formulas, drawing, controls. Besides the wall time, the processor time of
the page's process is recorded, averaged over repaints, which other work on the machine does not inflate. Frames of the
ReLU tab are counted while two students of 50 neurons train on 20 points. There is no rival; a screen shows a frame
every 16.7 ms.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright
from record import record

import lazyrich as lr

FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-sync"
STEPS = 60
SWEEP = """async ([name, values]) => {
  const took = [];
  for (const value of values) {
    lazyrich.current.state[name] = value;
    await new Promise((then) => requestAnimationFrame(then));
    took.push(lazyrich.paint());
  }
  return took;
}"""
DRAG = """async ([room, label, painting]) => {
  lazyrich.open(room);
  await new Promise((then) => setTimeout(then, 300));
  const named = (each) => each.getAttribute('aria-label').startsWith(label);
  const grip = Array.from(document.querySelectorAll('.handle')).find(named);
  const box = grip.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2, at = [], took = [];
  const send = (kind, dx, dy) =>
    grip.dispatchEvent(new PointerEvent(kind, { clientX: x + dx, clientY: y + dy, pointerId: 1, bubbles: true }));
  grip.setPointerCapture = () => {};
  send('pointerdown', 0, 0);
  for (let i = 0; i < 90; i++) {
    const began = performance.now();
    send('pointermove', 60 * Math.sin(i / 12), 40 * (1 - Math.cos(i / 12)));
    if (painting) {
      lazyrich.paint();
      took.push(performance.now() - began);
    }
    at.push(await new Promise((then) => requestAnimationFrame(then)));
  }
  send('pointerup', 0, 0);
  return painting ? took : at.slice(1).map((t, i) => t - at[i]);
}"""


def said(name, values, used=None):
    middle, most = np.median(values), np.percentile(values, 95)
    own = "" if used is None else f"   processor {used:6.1f} ms"
    print(f"  {name:28s} median {middle:6.1f} ms   95 % {most:6.1f} ms{own}")
    return middle, most, used or 0.0


def main():
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        sys.exit("bench_explore needs a browser: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = lr.explore().save(Path(folder) / "explorer.html")
        browser = driver.chromium.launch(executable_path=found, args=FLAGS.split())
        page = browser.new_page(viewport={"width": 1600, "height": 900}, reduced_motion="reduce")
        page.goto(file.as_uri())
        watch = browser.new_browser_cdp_session()

        def used():
            processes = watch.send("SystemInfo.getProcessInfo")["processInfo"]
            return 1e3 * sum(each["cpuTime"] for each in processes if each["type"] == "renderer")

        worst = []
        for room in ("neuron", "modes", "stops"):
            print(f"{room}: repaint after a change of")
            for name, p in page.evaluate(f"lazyrich.rooms.{room}.PARAMETERS").items():
                if "from" in p:
                    space = np.geomspace if p.get("log") else np.linspace
                    values = space(p["from"], p["to"], STEPS).tolist()
                    if p.get("whole"):
                        values = [p["from"] + i % (p["to"] - p["from"] + 1) for i in range(STEPS)]
                    page.evaluate("(room) => lazyrich.open(room)", room)
                    page.wait_for_timeout(1000)  # users do not drag sooner
                    before = used()
                    took = page.evaluate(SWEEP, [name, values])
                    worst.append(said(name, took, (used() - before) / STEPS))
        handles = (("neuron", "Start"), ("neuron", "Target"), ("stops", "Data point"))
        print("repaint after a handle was moved")
        for room, label in handles:
            worst.append(said(f"{room}: {label}", page.evaluate(DRAG, [room, label, True])))
        print("frame to frame while a handle is dragged, with what the browser does after us")
        for room, label in handles:
            middle, most, _ = said(f"{room}: {label}", page.evaluate(DRAG, [room, label, False]))
            what = f"frame to frame, {room}: {label} is dragged"
            record(
                what,
                ours=middle,
                unit="ms",
                limit=1000 / 60,
                limit_is="a frame of the screen",
                note=f"95 % {most:.1f} ms",
            )
        middle, most, own = np.max(worst, axis=0)
        slowest = "a repaint of the explorer, the slowest knob or handle"
        note = f"95 % {most:.1f} ms, processor {own:.1f} ms"
        record(slowest, ours=middle, unit="ms", limit=1000 / 60, limit_is="a frame of the screen", note=note)
        print(f"the slowest knob or handle: median {middle:.1f} ms, 95 % {most:.1f} ms, processor {own:.1f} ms")
        page.emulate_media(reduced_motion="no-preference")
        count = "lazyrich.current.drawn.found.students[0].frames.length"
        for first, second in ((0, -1), (1, 0.5)):
            page.evaluate(f"lazyrich.open('relu', {{ tau: 0.1, delta: {first}, delta2: {second} }})")
            page.wait_for_timeout(500)
            before = page.evaluate(count)
            page.wait_for_timeout(4000)
            frames = (page.evaluate(count) - before) / 4
            what = f"a frame of two students that train, τ = 0.1, δ = {first} and {second}"
            record(what, ours=1000 / frames, unit="ms", limit=1000 / 60, limit_is="a frame of the screen")
            print(f"two students, τ = 0.1, δ = {first} and {second}, train at {frames:.0f} frames a second")
        browser.close()


if __name__ == "__main__":
    main()
