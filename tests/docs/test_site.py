# SPDX-License-Identifier: MIT
"""The site of docs/ as scripts/build-docs makes it: every link leads somewhere, nothing is fetched from elsewhere,
and a browser shows each page, on a telephone too, and finds words from the file system."""
import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Where a page takes what it shows from; what an <a> names is fetched by nobody.
FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """What a page links to, fetches, and can be linked to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.fetched, self.anchors = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if FETCHED.get(tag) in given and given.get("rel") not in ("canonical", "author"):
            self.fetched.append(given[FETCHED[tag]])


@pytest.fixture(scope="module", name="site")
def _site(tmp_path_factory):
    if not Path("/usr/bin/sphinx-build").exists():
        pytest.skip("there is no Sphinx here (apt-get install python3-sphinx python3-myst-parser furo)")
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = subprocess.run([ROOT / "scripts" / "build-docs", folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module", name="pages")
def _pages(site):
    return {path: Page(path) for path in site.glob("*.html")}


def test_each_document_is_a_page_that_the_first_one_leads_to(site, pages):
    documents = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert documents <= {path.stem for path in pages}
    linked = {urlsplit(link).path.removesuffix(".html") for link in pages[site / "index.html"].links}
    assert documents - linked <= {"index"}


def test_every_link_within_the_site_leads_somewhere(site, pages):
    broken, checked = [], 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = site / unquote(parts.path) if parts.path else path
            checked += 1
            if not target.is_file() or (parts.fragment and target in pages
                                        and unquote(parts.fragment) not in pages[target].anchors):
                broken.append(f"{path.name}: {link}")
    assert broken == [] and checked > 500


def test_pages_name_each_other_by_links(pages):
    (page,) = [page for path, page in pages.items() if path.name == "tutorial.html"]
    assert {"report.html", "page.html", "questions.html", "diff.html"} <= {link.partition("#")[0] for link in page.links}


def test_nothing_is_fetched_from_elsewhere(site, pages):
    fetched = {(path.name, address) for path, page in pages.items() for address in page.fetched}
    assert {address for _, address in fetched if urlsplit(address).scheme not in ("", "data")
            or address.startswith("//")} == set()
    assert {(page, address) for page, address in fetched
            if not address.startswith("data:") and not (site / urlsplit(address).path).exists()} == set()
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert "@import" not in text and "url(http" not in text and "url(//" not in text, sheet


def test_a_browser_shows_it_from_the_file_system(site):
    done = subprocess.run(["node", HERE / "open_site.mjs", site], capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert len(seen["pages"]) >= 20
    for page in seen["pages"]:
        assert page["requests"] == [] and page["errors"] == [], page
        assert page["overflow"] <= 0, f"{page['name']} is wider than a window of {page['width']} pixels"
    assert all(int(part) < 60 for part in re.findall(r"\d+", seen["dark"])[:3]), seen["dark"]
    assert "tutorial.html" in seen["found"], "the search for words of the tutorial"
