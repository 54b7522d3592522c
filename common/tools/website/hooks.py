"""What mkdocs.yml asks for beside the plugins. MkDocs calls these functions while it builds the site."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from website import diff_pages, figures, languages, links, mathematics

REPOSITORY = Path(__file__).resolve().parents[3]
STYLES = Path(__file__).with_name("style.css")


@dataclass
class Site:
    """What the functions below hand on to each other in one build."""

    sources: links.SourcePages = field(default_factory=lambda: links.SourcePages(REPOSITORY))
    steps: list[diff_pages.Step] = field(default_factory=lambda: diff_pages.steps(REPOSITORY))
    files: Files = field(default_factory=lambda: Files([]))
    drawings: frozenset[str] = frozenset()  # that there are light and dark
    navigation: languages.LanguageNavigation | None = None


site = Site()


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages and files that are not under docs."""
    global site
    site = Site(files=files)
    documents = [file for file in files.documentation_pages()]
    for file in documents:
        site.sources.collect(f"{links.DOCS}/{file.src_uri}", file.content_string)

    def add(uri: str, **content: Any) -> None:
        existing = files.get_file_from_path(uri)
        if existing is not None:
            files.remove(existing)
        files.append(File.generated(config, uri, **content))

    for path, page in sorted(site.sources.pages.items()):
        if files.get_file_from_path(page) is None:
            text = site.sources.markdown(path)
            add(page, content=text, inclusion=InclusionLevel.NOT_IN_NAV)
    for language in languages.NAMES:
        if language == "zh" and not any(languages.of(file.src_uri) == "zh" for file in documents):
            continue
        _add_diffs(add, language)
    for uri, where in mathematics.files():
        add(uri, abs_src_path=str(where))
    add("assets/style.css", abs_src_path=str(STYLES))
    _add_drawings(add, files)
    config.nav = languages.complete(config.nav or [], files)
    return files


def _add_diffs(add: Any, language: str) -> None:
    folder = languages.counterpart("diffs", language)
    add(f"{folder}/README.md", content=diff_pages.index_page(site.steps, language))
    for step in site.steps:
        chapter = languages.counterpart(f"chapter{step.after}.md", language)
        link = f"../chapter{step.after}.md" if site.files.get_file_from_path(chapter) else None
        add(f"{folder}/{step.name}.md", content=diff_pages.step_page(step, language, link))


def _add_drawings(add: Any, files: Files) -> None:
    names = set()
    for file in [file for file in files if file.src_uri.endswith(".svg")]:
        svg = file.content_string
        if not figures.follows_system(svg):
            continue
        names.add(file.src_uri.rsplit("/", 1)[-1].removesuffix(".svg"))
        for scheme in figures.SCHEMES:
            add(figures.variant(file.src_uri, scheme), content=figures.fixed(svg, scheme))
    site.drawings = frozenset(names)


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
    site.navigation = languages.LanguageNavigation(nav)
    return nav


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    uri = page.file.src_uri
    document = _document(uri)
    if uri.startswith(links.SOURCE + "/") and not document.endswith(".md"):
        return markdown
    markdown = site.sources.rewrite(document, uri, markdown)
    # In GitHub's Markdown there may be Markdown in a <details>; here it has to be said.
    markdown = re.sub(r"^<details(?! markdown)", "<details markdown=1", markdown, flags=re.MULTILINE)
    if languages.of(uri) == "zh":
        markdown = languages.join_chinese_lines(markdown)
    return _link_to_diff(markdown, uri)


def _document(uri: str) -> str:
    """The path in the repository of the text of a page."""
    for path, page in site.sources.pages.items():
        if page == uri and not (REPOSITORY / path).is_dir():
            return path
    return f"{links.DOCS}/{uri}"


def _link_to_diff(markdown: str, uri: str) -> str:
    """Below the title of a chapter's page, the way to its differences."""
    match = re.fullmatch(r"(?:zh/)?chapter(\d+)\.md", uri)
    step = next((step for step in site.steps if match and step.after == int(match[1])), None)
    if step is None:
        return markdown
    title = diff_pages.TEXT[languages.of(uri)]["title"].format(before=step.before, after=step.after)
    link = f"[{title}](diffs/{step.name}.md){{ .diff-link }}"
    return re.sub(r"^# .*$", lambda heading: f"{heading[0]}\n\n{link}", markdown, count=1, flags=re.MULTILINE)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    return figures.show_both(html, site.drawings)


def on_page_context(context: dict[str, Any], page: Page, config: MkDocsConfig, nav: Navigation) -> dict[str, Any]:
    """Each page has the menus, and the words of the theme, in its language."""
    assert site.navigation is not None
    language = languages.of(page.file.src_uri)
    config.theme["language"] = language
    config.site_name = languages.SITE_NAME[language]
    config.extra["alternate"] = languages.alternates(page, site.files, config)
    context["nav"] = site.navigation.of(language)
    return context


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    depth = page.url.count("/")
    return mathematics.add_script(output, "../" * depth or "./")
