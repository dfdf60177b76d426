#!/bin/sh
# cpp-packages.sh: installs the C++ half by FetchContent, Conan and vcpkg, and builds and runs a program with each.
# Conan is installed into cpp/build, if possible. Without vcpkg, its port runs with simplified functions of vcpkg.
set -eu
cd "$(dirname "$0")/../cpp"
compiler=${CXX:-c++}
work=$(pwd)/build/packages
rm -rf "$work"
mkdir -p "$work"
log=$work/log

. ../scripts/skipped.sh

quietly() {
	"$@" >"$log" 2>&1 || { cat "$log"; exit 1; }
}

if git -C .. rev-parse HEAD >/dev/null 2>&1; then
	quietly cmake -S test/fetch -B "$work/fetch" -DCMAKE_CXX_COMPILER="$compiler" \
		-DEBBPOOL_REPOSITORY="$(cd .. && pwd)" -DEBBPOOL_COMMIT="$(git -C .. rev-parse HEAD)"
	quietly cmake --build "$work/fetch"
	"$work/fetch/fetcher"
	echo "FetchContent of a clone: as it should be"
else
	skipped "FetchContent of a clone: this is none"
fi

conan=$(command -v conan || true)
venv=$(pwd)/build/conan
if [ -z "$conan" ] && { [ -x "$venv/bin/conan" ] ||
	{ python3 -m venv "$venv" && "$venv/bin/pip" install -q 'conan>=2,<3'; } >"$log" 2>&1; }; then
	conan=$venv/bin/conan
fi
if [ -n "$conan" ]; then
	export CONAN_HOME="$work/conan_home"
	quietly "$conan" profile detect
	# Builds in a separate directory, not beside the sources.
	mkdir -p "$work/tmp"
	quietly env TMPDIR="$work/tmp" "$conan" create . -s compiler.cppstd=20 \
		-c 'tools.cmake.cmake_layout:test_folder=$TMP' -c 'tools.cmake.cmaketoolchain:user_presets='
	echo "Conan: as it should be"
else
	skipped "no Conan 2, and it can't be installed (it needs python3 with venv and pip)"
fi

if command -v vcpkg >/dev/null; then
	quietly vcpkg install ebbpool --overlay-ports=packaging/vcpkg --x-install-root="$work/vcpkg"
	echo "vcpkg: as it should be"
else
	quietly cmake -DWORK="$work/vcpkg" -DCXX="$(command -v "$compiler")" -P packaging/vcpkg/run.cmake
	echo "the port for vcpkg: as it should be (there is no vcpkg here, so its functions were small forms of them)"
fi
