# Sourced by scripts that may have to leave something out.

# skipped WHAT: prints what this machine lacks, which scripts/part.sh counts. With EBBPOOL_REQUIRE=1 it is a failure.
skipped() {
	echo "SKIPPED: $*"
	[ "${EBBPOOL_REQUIRE-}" != 1 ] || exit 1
}
