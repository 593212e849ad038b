# SPDX-License-Identifier: MIT
"""How the pages of this folder become a site: Sphinx with MyST and the theme Furo (scripts/build-docs)."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

project = "umbra"
version = release = re.search(r"project\(umbra\s+VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
copyright = "the umbra authors, MIT licence"

extensions = ["myst_parser", "sphinx.ext.githubpages"]  # the latter: folders named _static are published
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]  # outputs of umbra, in blocks without a language

html_theme = "furo"
html_title = "umbra"
html_static_path = ["_static"]
html_css_files = ["umbra.css"]
html_copy_source = False
html_use_index = False
html_show_sphinx = False
html_show_search_summary = False  # it would fetch each page found, which browsers refuse from the file system
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#2a56b8", "color-brand-content": "#2a56b8"},
    "dark_css_variables": {"color-brand-primary": "#8fb1ff", "color-brand-content": "#8fb1ff"},
}
pygments_style = "default"
highlight_language = "none"


def link_pages(app, page, source):
    """Pages name each other by file, `docs/times.md` or `times.md`, which reads well everywhere; on the site
    such a name is a link with the title of the page."""
    pages = "|".join(path.stem for path in Path(app.srcdir).glob("*.md"))
    source[0] = re.sub(rf"`(?:docs/)?({pages})\.md`", r"[](\1.md)", source[0])


def finish_theme(app, exception):
    """Debian builds Furo without its bundler: its script imports another one, which browsers refuse from the file
    system, its style sheet takes normalize.css from the root of a web server, and has no rule for systems that are
    set to dark colours. They get what they lack."""
    if exception is not None:
        return
    static = Path(app.outdir) / "_static"
    script, spy = static / "scripts" / "furo.js", static / "scripts" / "gumshoe-patched.js"
    text = script.read_text()
    if "import Gumshoe" in text:
        script.write_text(spy.read_text() + re.sub(r"^import Gumshoe .*$", "", text, flags=re.M))
    sheet = static / "styles" / "furo.css"
    text = sheet.read_text()
    if found := re.match(r"@import url\((/javascript/.*?)\);", text):
        text = Path(f"/usr/share{found[1]}").read_text() + text[found.end():]
    dark = re.search(r'body\[data-theme="dark"\] \{([^}]*--color-background-primary[^}]*)\}', text)
    if dark and "prefers-color-scheme" not in text:
        text += f'\n@media (prefers-color-scheme: dark) {{ body:not([data-theme="light"]) {{{dark[1]}}} }}\n'
    sheet.write_text(text)


def setup(app):
    app.connect("source-read", link_pages)
    app.connect("build-finished", finish_theme)
