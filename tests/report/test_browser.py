"""Reports in a real browser: nothing is loaded, nothing overflows, dark is dark, PDF is printed."""

from __future__ import annotations

import html
import json
import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pycvstat.report.render.formats import _FLAGS, find_browser
from tests.report.conftest import MAKERS, page_text, result

pytestmark = pytest.mark.slow

PROBE = """<!DOCTYPE html><meta charset="utf-8"><style>body { margin: 0 }</style>
<pre id="found"></pre>
<script>
const measure = frame => {
  const inside = frame.contentWindow, d = inside.document;
  for (const folded of d.querySelectorAll("details")) folded.open = true;
  const boxes = [...d.querySelectorAll("figure svg")].map(s => s.getBoundingClientRect());
  const texts = [...d.querySelectorAll("figure svg text")].map(t => {
    const svg = t.ownerSVGElement;
    return parseFloat(inside.getComputedStyle(t).fontSize)
      * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  });
  return {
    wide: d.documentElement.scrollWidth,
    inner: inside.innerWidth,
    figures: boxes.map(b => [b.width, b.height]),
    smallest: Math.min(99, ...texts),
    scrolled: [...d.querySelectorAll(".scroll")]
      .filter(s => s.scrollWidth > s.clientWidth + 1).map(s => s.ariaLabel),
    page: inside.getComputedStyle(d.body).backgroundColor,
    ink: inside.getComputedStyle(d.body).color,
    loaded: inside.performance.getEntriesByType("resource").map(e => e.name),
    title: d.title,
  };
};
window.onload = () => {
  const found = {};
  for (const frame of document.querySelectorAll("iframe")) found[frame.id] = measure(frame);
  document.getElementById("found").textContent = JSON.stringify(found);
};
</script>
"""


@pytest.fixture(autouse=True)
def browser(need: Callable[..., None]) -> None:
    need("Chromium", find_browser(), "PYCVSTAT_BROWSER")


def measured(shown: Mapping[str, tuple[str, int]], *flags: str) -> Any:
    """What a browser measures in reports of these results, each shown at its width."""
    frames = [
        f'<iframe id="{frame}" style="border: 0; width: {width}px; height: 800px" '
        f'srcdoc="{html.escape(page_text(name))}"></iframe>'
        for frame, (name, width) in shown.items()
    ]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        file = Path(place, "probe.html")
        file.write_text(PROBE + "\n".join(frames), encoding="utf-8")
        command = [str(find_browser()), *_FLAGS, "--disable-quic", *flags,
                   "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={place}/profile",
                   "--virtual-time-budget=10000", "--window-size=1300,900",
                   "--dump-dom", file.as_uri()]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    (found,) = re.findall(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    return json.loads(html.unescape(found))


def test_reports_fit_a_phone_and_a_screen_and_are_light() -> None:
    """One test: a browser opens all pages at once, sooner than it starts once more."""
    sizes = {"phone": 390, "screen": 1000}
    shown = {f"{name} {size}": (name, sizes[size]) for name in MAKERS for size in sizes}
    found = measured(shown | {"desktop": ("compare", 1200)})
    for name in MAKERS:
        fits_a_phone(found[f"{name} phone"], name)
        screen = found[f"{name} screen"]
        assert screen["scrolled"] == [], name
        assert screen["wide"] <= 1000, name
        assert brightness(screen["page"]) > 240 > 60 > brightness(screen["ink"]), name
    assert found["desktop"]["wide"] == 1200
    assert all(width < 600 for width, _ in found["desktop"]["figures"])


def fits_a_phone(found: dict[str, Any], name: str) -> None:
    assert found["inner"] == 390, name
    assert found["wide"] <= 390, name
    assert found["loaded"] == [], name
    assert found["title"], name
    for width, height in found["figures"]:
        assert 150 < width <= 390, name
        assert height > 40, name
    assert found["smallest"] >= 7.5, name  # pixels of the smallest text in a figure
    assert found["scrolled"] == [], name  # p and all other columns are seen


def brightness(colour: str) -> float:
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def test_dark_mode() -> None:
    flag = "--blink-settings=preferredColorScheme=0"
    dark = measured({"dark": ("nested", 900)}, flag)["dark"]
    assert brightness(dark["page"]) < 40 < 200 < brightness(dark["ink"])


@pytest.mark.parametrize("name", ["nested", "hostile"])
def test_a_pdf_is_printed(tmp_path: Path, name: str) -> None:
    data = result(name).report(tmp_path / "out.pdf").read_bytes()
    assert data.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", data)) >= 3
    assert list(tmp_path.iterdir()) == [tmp_path / "out.pdf"]
