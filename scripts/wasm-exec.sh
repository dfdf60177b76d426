#!/bin/sh
# wasm-exec.sh PROGRAM ARGUMENTS...: runs a WebAssembly program as go test -exec
# needs it, with all files and in the folder where it was started. emulated.sh
# says where wazero is.
exec "$EBBPOOL_WAZERO/wazero" run -mount /:/ -env-inherit -env PWD="$PWD" -cachedir "$EBBPOOL_WAZERO/cache" "$@"
