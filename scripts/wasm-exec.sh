#!/bin/sh
# wasm-exec.sh PROGRAM ARGUMENTS...: runs a WebAssembly program for go test -exec, in the current folder and with access to
# all files. emulated.sh sets the path of wazero.
exec "$EBBPOOL_WAZERO/wazero" run -mount /:/ -env-inherit -env PWD="$PWD" -cachedir "$EBBPOOL_WAZERO/cache" "$@"
