"""Drawings in the site. An SVG that follows the system's choice of light or dark cannot know the choice made in the
site, so the site has each drawing twice, and shows the one that fits."""

from __future__ import annotations

import re

SCHEMES = ("light", "dark")

_MEDIA = re.compile(r"@media\s*\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)\s*\{")
_IMAGE = re.compile(r"<img\b[^>]*>")
_SOURCE = re.compile(r'src="([^"]+)\.svg"')


def follows_system(svg: str) -> bool:
    return _MEDIA.search(svg) is not None


def fixed(svg: str, scheme: str) -> str:
    """The drawing in one scheme: the rules of the other are left out, its own hold always."""
    result = []
    position = 0
    while match := _MEDIA.search(svg, position):
        result.append(svg[position : match.start()])
        end = _closing_brace(svg, match.end())
        if match[1] == scheme:
            result.append(svg[match.end() : end])
        position = end + 1
    return "".join(result) + svg[position:]


def _closing_brace(text: str, position: int) -> int:
    depth = 1
    while depth:
        character = text[position]
        depth += (character == "{") - (character == "}")
        position += 1
    return position - 1


def variant(path: str, scheme: str) -> str:
    """x.svg -> x.light.svg"""
    return f"{path.removesuffix('.svg')}.{scheme}.svg"


def show_both(html: str, has_variants: frozenset[str]) -> str:
    """Puts each drawing into a frame that scrolls where the screen is narrow, and adds its other scheme. A click opens
    the drawing alone. `has_variants`: the names of such drawings."""

    def replace(match: re.Match[str]) -> str:
        image = match[0]
        source = _SOURCE.search(image)
        if not source:
            return image
        images = image
        if source[1].rsplit("/", 1)[-1] in has_variants:
            images = "".join(
                image.replace(source[0], f'src="{source[1]}.{scheme}.svg#only-{scheme}" loading="lazy"')
                for scheme in SCHEMES
            )
        return f'<span class="drawing"><a href="{source[1]}.svg">{images}</a></span>'

    return _IMAGE.sub(replace, html)
