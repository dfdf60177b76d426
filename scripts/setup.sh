#!/bin/sh
# setup.sh TARGET: installs what make TARGET needs beyond Go, a C++ compiler and make.
#
# As root it installs packages of the system, otherwise what it can into _build/tools. It prints one line about what is
# missing. With INSTALL=0 it installs nothing. A part that needs a missing tool skips its tests and says so.
set -eu
cd "$(dirname "$0")/.."
target=$1
tools=$(pwd)/_build/tools
mkdir -p "$tools/bin"
missing=
# need PACKAGE COMMAND...: the system's package is missing if the command fails.
need() {
	package=$1
	shift
	"$@" >/dev/null 2>&1 || missing="$missing $package"
}
includes() {
	echo "#include <$1>" | "${CXX:-c++}" -x c++ -std=c++20 -E -
}
gtest() {
	[ -d "$tools/googletest" ] || includes gtest/gtest.h
}

case $target in test*)
	if [ ! -x "$tools/bin/gotestsum" ] && [ "${INSTALL-1}" != 0 ]; then
		GOBIN=$tools/bin GOWORK=off GOFLAGS='' "${GO:-go}" install gotest.tools/gotestsum@v1.13.0 >"$tools/log" 2>&1 ||
			echo "gotestsum can't be installed, so that skipped Go tests are not counted: $(tail -n 1 "$tools/log")"
	fi
	;;
esac
need cmake command -v cmake
need libgtest-dev gtest
case $target in test-ci | test-long)
	need clang command -v clang++
	need doxygen command -v doxygen
	need postgresql ls /usr/lib/postgresql
	need prometheus command -v promtool
	;;
esac
case $target in bench | test-long) need libbenchmark-dev includes benchmark/benchmark.h ;; esac
case $target in test-long)
	need qemu-user command -v qemu-s390x
	need googletest ls /usr/src/googletest/googletest
	need chromium sh -c 'command -v chromium || command -v chromium-browser || command -v google-chrome'
	need python3-venv python3 -c 'import ensurepip'
	if [ "$(uname -m)" = x86_64 ]; then
		for arch in aarch64 riscv64 s390x i686; do
			need "g++-$arch-linux-gnu" command -v "$arch-linux-gnu-g++"
		done
	fi
	;;
esac
[ -n "$missing" ] || exit 0

if [ "${INSTALL-1}" = 0 ]; then
	echo "make $target lacks$missing (Debian's names; nothing is installed, since INSTALL=0)"
	exit 0
fi
echo "make $target lacks$missing (INSTALL=0 installs nothing)"

# Debian's package prometheus would start a server; only its promtool is needed.
case $missing in *prometheus*)
	missing=${missing% prometheus*}${missing##* prometheus}
	deb=$(mktemp -d)
	chmod 755 "$deb" # apt-get downloads as a user of its own
	(cd "$deb" && { apt-get download -q prometheus || { apt-get update -q && apt-get download -q prometheus; }; } &&
		dpkg -x prometheus_*.deb . && cp usr/bin/promtool "$tools/bin/") >"$tools/log" 2>&1 ||
		echo "promtool can't be installed: $(tail -n 1 "$tools/log")"
	rm -rf "$deb"
	[ -n "$missing" ] || exit 0
	;;
esac

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -q >/dev/null 2>&1 || true
	# shellcheck disable=SC2086
	apt-get install -y -q --no-install-recommends $missing >"$tools/log" 2>&1 ||
		for package in $missing; do # one by one, because one that can't be had keeps the others away
			apt-get install -y -q --no-install-recommends "$package" >"$tools/log" 2>&1 ||
				echo "$package can't be installed: $(tail -n 1 "$tools/log")"
		done
	exit 0
fi
case $missing in *cmake*)
	{ python3 -m venv "$tools/python" && "$tools/python/bin/pip" install -q cmake &&
		ln -sf "$tools/python/bin/cmake" "$tools/python/bin/ctest" "$tools/bin/"; } >"$tools/log" 2>&1 ||
		echo "CMake can't be installed: $(tail -n 1 "$tools/log")"
	;;
esac
case $missing in *libgtest-dev*)
	{ (cd "$tools" && apt-get download -q googletest && dpkg -x googletest_*.deb deb &&
		mv deb/usr/src/googletest googletest) >"$tools/log" 2>&1; } ||
		git clone -q --depth 1 --branch v1.14.0 https://github.com/google/googletest "$tools/googletest" >>"$tools/log" 2>&1 ||
		echo "GoogleTest can't be installed: $(tail -n 1 "$tools/log")"
	;;
esac
