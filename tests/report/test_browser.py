"""Reports in a real browser: nothing is loaded, nothing overflows, dark is dark, PDF is printed."""

from __future__ import annotations

import html
import json
import re
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
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


@cache
def measured(width: int, names: tuple[str, ...], *flags: str) -> Any:
    """What a browser measures in reports shown at this width, by the name of the result."""
    frames = [
        f'<iframe id="{name}" style="border: 0; width: {width}px; height: 800px" '
        f'srcdoc="{html.escape(page_text(name))}"></iframe>'
        for name in names
    ]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        file = Path(place, "probe.html")
        file.write_text(PROBE + "\n".join(frames), encoding="utf-8")
        command = [str(find_browser()), *_FLAGS, "--disable-quic", *flags,
                   "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={place}/profile",
                   "--virtual-time-budget=10000", f"--window-size={width + 100},900",
                   "--dump-dom", file.as_uri()]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    (found,) = re.findall(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    return json.loads(html.unescape(found))


@pytest.mark.parametrize("name", MAKERS)
def test_a_report_fits_a_phone(name: str) -> None:
    found = measured(390, tuple(MAKERS))[name]
    assert found["inner"] == 390
    assert found["wide"] <= 390
    assert found["loaded"] == []
    assert found["title"]
    for width, height in found["figures"]:
        assert 150 < width <= 390
        assert height > 40
    assert found["smallest"] >= 7.5  # pixels of the smallest text in a figure
    assert found["scrolled"] == []  # p and all other columns are seen


@pytest.mark.parametrize("name", MAKERS)
def test_no_table_is_scrolled_on_a_screen(name: str) -> None:
    found = measured(1000, tuple(MAKERS))[name]
    assert found["scrolled"] == []
    assert found["wide"] <= 1000


def brightness(colour: str) -> float:
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def test_dark_mode() -> None:
    (light,) = measured(900, ("nested",)).values()
    (dark,) = measured(900, ("nested",), "--blink-settings=preferredColorScheme=0").values()
    assert brightness(light["page"]) > 240 > 60 > brightness(light["ink"])
    assert brightness(dark["page"]) < 40 < 200 < brightness(dark["ink"])


def test_figures_are_not_too_large_on_a_desktop() -> None:
    (found,) = measured(1200, ("compare",)).values()
    assert found["wide"] == 1200
    assert all(width < 600 for width, _ in found["figures"])


@pytest.mark.parametrize("name", ["nested", "hostile"])
def test_a_pdf_is_printed(tmp_path: Path, name: str) -> None:
    data = result(name).report(tmp_path / "out.pdf").read_bytes()
    assert data.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", data)) >= 3
    assert list(tmp_path.iterdir()) == [tmp_path / "out.pdf"]
