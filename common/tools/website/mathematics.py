"""MathJax, from a package: the site asks no other server for anything."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

FOLDER = "assets/mathjax"
_SCRIPT = "tex-chtml.js"
_FONTS = "output/chtml/fonts/woff-v2"

_CONFIGURATION = """<script>
window.MathJax = {
  tex: { inlineMath: [["\\\\(", "\\\\)"]], displayMath: [["\\\\[", "\\\\]"]] },
  options: { ignoreHtmlClass: ".*|", processHtmlClass: "arithmatex", enableMenu: false }
};
</script>"""


def _package() -> Path:
    spec = find_spec("mathjax")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("MathJax is not there: pip install -r docs/requirements.txt")
    return Path(spec.submodule_search_locations[0]) / "static" / "mathjax" / "es5"


def files() -> Iterator[tuple[str, Path]]:
    """(path in the site, file) of all that a page with formulas needs."""
    package = _package()
    yield f"{FOLDER}/{_SCRIPT}", package / _SCRIPT
    for font in sorted((package / _FONTS).glob("*.woff")):
        yield f"{FOLDER}/{_FONTS}/{font.name}", font


def add_script(html: str, root: str) -> str:
    """Loads MathJax in a page that has formulas. `root`: the way from the page to the root of the site."""
    if 'class="arithmatex"' not in html:
        return html
    script = f'{_CONFIGURATION}<script src="{root}{FOLDER}/{_SCRIPT}" async></script>'
    return html.replace("</body>", script + "</body>", 1)
