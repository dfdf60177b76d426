#!/bin/sh
# setup.sh TARGET: what make TARGET needs beyond Go, a C++ compiler and make. It says in
# one line what is missing, and installs it: as root by the system's packages, else what
# can be had so into _build/tools. INSTALL=0 only names it. What is missing then is
# skipped by the part that needs it, which says so.
set -eu
cd "$(dirname "$0")/.."
missing=
# need PACKAGE COMMAND...: Debian's package, needed where the command fails.
need() {
	package=$1
	shift
	"$@" >/dev/null 2>&1 || missing="$missing $package"
}
includes() {
	echo "#include <$1>" | "${CXX:-c++}" -x c++ -std=c++20 -E -
}
gtest() {
	[ -d _build/tools/googletest ] || includes gtest/gtest.h
}

need cmake command -v cmake
need libgtest-dev gtest
case $1 in test-all | bench) need libbenchmark-dev includes benchmark/benchmark.h ;; esac
case $1 in test-all) need prometheus command -v promtool ;; esac
if [ "$1" != test ] && [ "$1" != bench ]; then
	need clang command -v clang++
	need qemu-user command -v qemu-s390x
	need doxygen command -v doxygen
	need postgresql ls /usr/lib/postgresql
	need chromium sh -c 'command -v chromium || command -v chromium-browser || command -v google-chrome'
	need python3-venv python3 -c 'import ensurepip'
	if [ "$(uname -m)" = x86_64 ]; then
		for arch in aarch64 riscv64 s390x i686; do
			need "g++-$arch-linux-gnu" command -v "$arch-linux-gnu-g++"
		done
	fi
fi
[ -n "$missing" ] || exit 0

if [ "${INSTALL-1}" = 0 ]; then
	echo "make $1 lacks$missing (Debian's names; nothing is installed, since INSTALL=0)"
	exit 0
fi

# Of prometheus only promtool is wanted, and no server that apt-get would start.
case $missing in *prometheus*)
	missing=${missing% prometheus*}${missing##* prometheus}
	echo "make $1 lacks promtool: taken out of Debian's package prometheus"
	bin=$(pwd)/_build/tools/bin
	if [ "$(id -u)" = 0 ]; then bin=/usr/local/bin; fi
	deb=$(mktemp -d)
	chmod 755 "$deb" # apt-get's own user writes there
	{ mkdir -p "$bin" && (cd "$deb" && { apt-get download -q prometheus || { apt-get update -q && apt-get download -q prometheus; }; } &&
		dpkg -x prometheus_*.deb .) && cp "$deb/usr/bin/promtool" "$bin/"; } >/dev/null 2>&1 ||
		echo "promtool can't be had"
	rm -rf "$deb"
	[ -n "$missing" ] || exit 0
	;;
esac

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "make $1 lacks$missing: installed by apt-get (INSTALL=0 only names them)"
	apt-get update -q >/dev/null 2>&1 || true
	# One by one where not all can be had.
	# shellcheck disable=SC2086
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >/dev/null 2>&1 ||
		for package in $missing; do
			DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$package" >/dev/null 2>&1 ||
				echo "$package can't be installed"
		done
else
	echo "make $1 lacks$missing: CMake and GoogleTest are put into _build/tools (INSTALL=0 only names them), the rest is for root"
	tools=$(pwd)/_build/tools
	mkdir -p "$tools/bin"
	case $missing in *cmake*)
		{ python3 -m venv "$tools/python" && "$tools/python/bin/pip" install -q cmake &&
			ln -sf "$tools/python/bin/cmake" "$tools/python/bin/ctest" "$tools/bin/"; } >"$tools/log" 2>&1 ||
			echo "cmake can't be installed: $tools/log"
		;;
	esac
	case $missing in *libgtest-dev*)
		{ (cd "$tools" && apt-get download -q googletest && dpkg -x googletest_*.deb deb &&
			mv deb/usr/src/googletest googletest) >"$tools/log" 2>&1; } ||
			git clone -q --depth 1 --branch v1.14.0 https://github.com/google/googletest "$tools/googletest" >>"$tools/log" 2>&1 ||
			echo "GoogleTest can't be had: $tools/log"
		;;
	esac
fi
