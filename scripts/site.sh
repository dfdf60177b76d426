#!/bin/sh
# site.sh [test]: build the site from the pages of this repository into _build/site/html. "test" also looks for dead links
# and opens each page in a browser. The tools are installed once, into _build/site/venv.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
out=_build/site # the go command ignores folders whose names begin with an underscore
if ! [ -x "$out/venv/bin/linkchecker" ] || ! cmp -s docs/site/requirements.txt "$out/venv/requirements.txt"; then
	rm -rf "$out/venv"
	mkdir -p "$out"
	if ! { python3 -m venv "$out/venv" && "$out/venv/bin/pip" install -q -r docs/site/requirements.txt; } >"$out/venv.log" 2>&1; then
		. scripts/skipped.sh
		skipped "the site (python3 with venv, and what docs/site/requirements.txt names, can't be installed: $out/venv.log)"
		exit 0
	fi
	cp docs/site/requirements.txt "$out/venv/requirements.txt"
fi

# The pages at their paths in the repository, so that the links between them work. README.md is the first page.
rm -rf "$out/src" "$out/html"
mkdir -p "$out/src/extra"
git ls-files --cached --others --exclude-standard '*.md' 'docs/*.svg' |
	grep -vE '^(\.|docs/site|cpp/docs\.md|cpp/test/)|testdata' | while read -r page; do
	mkdir -p "$out/src/$(dirname "$page")"
	cp "$page" "$out/src/$page"
done
mv "$out/src/README.md" "$out/src/index.md"
(cd lab && "${GO:-go}" run ./cmd/lab report -out "$root/$out/src/extra/report")
cp -r docs/site/conf.py docs/site/static "$out/src/"
EBBPOOL_ROOT=$root "$out/venv/bin/sphinx-build" -q -W --keep-going -j auto -d "$out/doctrees" "$out/src" "$out/html"

if [ "${1-}" = test ]; then
	"$out/venv/bin/linkchecker" --config=docs/site/linkchecker.ini "$out/html/index.html"
	if browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome); then
		"$out/venv/bin/python" docs/site/browser_test.py "$out/html" "$browser"
	else
		. scripts/skipped.sh
		skipped "the pages in a browser (chromium)"
	fi
fi
echo "the site is in $out/html"
