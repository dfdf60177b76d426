"""browser_test.py FOLDER CHROMIUM: open every page of the site on a phone, light and dark, and 1280 pixels wide."""

import pathlib
import sys

from playwright.sync_api import sync_playwright

folder = pathlib.Path(sys.argv[1]).resolve()

wrong = []
pages = [p for p in sorted(folder.rglob("*.html")) if p.name not in ("genindex.html", "search.html") and "_static" not in p.parts]
with sync_playwright() as p:
    browser = p.chromium.launch(executable_path=sys.argv[2], args=["--no-sandbox"])
    for scheme, width in ("light", 390), ("dark", 390), ("light", 1280):
        page = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
        where = ""
        page.on("pageerror", lambda e: wrong.append(f"{where}: {e}"))
        page.on("requestfailed", lambda r: wrong.append(f"{where}: {r.url} not found"))
        for path in pages:
            where = f"{path.relative_to(folder)}, {scheme}, {width}"
            page.goto(path.as_uri())
            broken = page.evaluate("[...document.images].filter(i => { i.loading = 'eager'; return i.complete && !i.naturalWidth }).map(i => i.src)")
            wide = page.evaluate("document.scrollingElement.scrollWidth")
            # Text needs contrast with its background.
            dark = page.evaluate("""(() => {
                const light = c => c.match(/[\\d.]+/g).slice(0, 3).reduce((s, v) => s + +v, 0) / 765, s = getComputedStyle(document.body);
                return [light(s.color), s.backgroundColor.endsWith(', 0)') ? 1 : light(s.backgroundColor)] })()""")
            cut = page.evaluate("[...document.querySelectorAll('pre, .table-wrapper')].filter(e => e.scrollWidth > e.clientWidth + 1).length")
            if cut:
                wrong.append(f"{where}: {cut} tables or blocks of code are cut")
            if broken:
                wrong.append(f"{where}: broken images {broken}")
            if wide > width:
                wrong.append(f"{where}: {wide} pixels wide")
            if abs(dark[0] - dark[1]) < 0.4 or (scheme == "dark") != (dark[1] < 0.5):
                wrong.append(f"{where}: text {dark[0]:.2f} on {dark[1]:.2f}")
        if width == 1280:  # the calculator follows its sliders
            page.goto((folder / "index.html").as_uri())
            said = lambda m, c: page.evaluate("([m, c]) => { const f = document.forms.pays; f.malloc.value = m; f.collector.value = c; f.dispatchEvent(new Event('input')); return f.querySelector('.says').textContent }", [m, c])
            no, yes = said(2, 2), said(20, 30)
            if not no.startswith("No: 1.0") or not yes.startswith("Yes: 1.") or "GOGC=400 alone: 1.27" not in yes:
                wrong.append(f"the calculator says {no!r} and {yes!r}")
    browser.close()
print(f"{len(pages)} pages in a browser: {len(wrong)} faults", *wrong, sep="\n")
sys.exit(bool(wrong))
