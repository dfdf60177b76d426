"""Sphinx configuration of the site, which scripts/site.sh builds from the pages of this repository."""

import os
import pathlib
import re

root = pathlib.Path(os.environ["EBBPOOL_ROOT"])
source = "https://github.com/ebbpool/arena/blob/main/"

project = "Ebbpool"
copyright = "the Ebbpool authors, MIT"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "Ebbpool"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
version = re.search(r"(?m)^## ([0-9]\S*)", (root / "CHANGELOG.md").read_text())[1]
html_show_sphinx = False
html_copy_source = False
html_extra_path = ["extra"]
html_theme_options = {"announcement": f"Version {version} · Go 1.25, 1.26, 1.27 · C++20", "source_repository": "https://github.com/ebbpool/arena/", "source_branch": "main"}
myst_heading_anchors = 4
pygments_style = "friendly"
pygments_dark_style = "native"

link = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+?)(#[^()\s]*)?\)")


def outward(app, page, content):
    """Links to files that are not pages lead to the repository."""
    here = root / (page if page != "index" else "README")

    def rewrite(m):
        text, target, anchor = m[1], m[2], m[3] or ""
        if ":" in target:
            return m[0]
        file = (here.parent / target).resolve()
        if not file.exists():
            return m[0]
        path = file.relative_to(root).as_posix()
        if path == "README.md":
            return f"[{text}]({os.path.relpath(root / 'index.md', here.parent)}{anchor})"
        if (pathlib.Path(app.srcdir) / path).is_file():
            return m[0]
        return f"[{text}]({source}{path}{anchor})"

    content[0] = link.sub(rewrite, content[0])
    if page == "docs/numbers":
        content[0] += '\n<a href="../report/index.html">All figures and pictures on one page</a>\n'
    if page == "index":
        content[0] = re.sub(r"(?m)^\[!\[.*\n", "", content[0])  # badges: the header has the version
        ask = (root / "docs/site/calculator.html").read_text() + "\nWhat [conversions gained](docs/numbers.md#what-conversions-gained).\n"
        before, after = content[0].split("## Is it safe?", 1)
        content[0] = f"{before}### Would it pay for my program?\n\n{ask}\n## Is it safe?{after}"
        content[0] += (root / "docs/site/contents.md").read_text()


def setup(app):
    app.connect("source-read", outward)
