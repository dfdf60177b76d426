#!/bin/sh
# emulated.sh GOARCH COMMAND...: runs a go test command for another processor, emulated by qemu's user mode, or for
# WebAssembly, in wazero. It is skipped if there is no emulator.
set -eu
arch=$1
go=${GO:-go}
shift
here=$(cd "$(dirname "$0")" && pwd)

. "$here/skipped.sh"

skip() {
	skipped "$arch: $1"
	exit 0
}

if [ "$arch" = wasm ]; then
	# In a folder of its own: the library's module requires nothing.
	work=$here/../_build/tools/wazero
	mkdir -p "$work"
	GOBIN="$work" "$go" install github.com/tetratelabs/wazero/cmd/wazero@v1.12.0 >"$work/out" 2>&1 ||
		skip "wazero can't be built: $(tail -n 1 "$work/out")"
	export EBBPOOL_WAZERO="$work"
	env CGO_ENABLED=0 GOOS=wasip1 GOARCH=wasm GOFLAGS="${GOFLAGS:-} -exec=$here/wasm-exec.sh" "$@"
	exit
fi

export CGO_ENABLED=0 GOOS=linux GOARCH="$arch"
[ "$("$go" env GOHOSTOS)/$("$go" env GOHOSTARCH)" != "linux/$arch" ] || exec "$@" # nothing to emulate
case $arch in
arm64) emulator=qemu-aarch64 ;;
*) emulator=qemu-$arch ;;
esac
for name in "$emulator" "$emulator-static"; do
	if command -v "$name" >/dev/null; then
		# The tests start themselves again, and must know by what.
		export EBBPOOL_EMULATOR="$name" GOFLAGS="${GOFLAGS:-} -exec=$name"
		exec "$@"
	fi
done
skip "no $emulator (on Debian: apt-get install qemu-user)"
