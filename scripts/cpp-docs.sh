#!/bin/sh
# cpp-docs.sh: writes the C++ reference to cpp/build/docs/html with Doxygen. Fails if a public name is not documented or a
# public class has no example.
set -eu
cd "$(dirname "$0")/../cpp"
if ! command -v doxygen >/dev/null; then
	. ../scripts/skipped.sh
	skipped "no doxygen (on Debian: apt-get install doxygen)"
	exit 0
fi
rm -rf build/docs
mkdir -p build/docs
theme=/usr/share/doxygen-awesome-css/doxygen-awesome.css
{
	cat Doxyfile
	[ ! -f "$theme" ] || echo "HTML_EXTRA_STYLESHEET = $theme"
} | doxygen -
bare=$(grep -LE '<programlisting|<compounddef [^>]*prot="private"' build/docs/xml/classebb_*.xml build/docs/xml/structebb_*.xml |
	grep -vE 'iterator|rebind|with__leaks_3_01(report|trap)|namespace' || true)
if [ -n "$bare" ]; then
	echo "no example in the reference of: $bare" >&2
	exit 1
fi
echo "the reference is in cpp/build/docs/html: all public names are documented"
