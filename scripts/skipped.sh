# Sourced by scripts that may have to leave something out.

# skipped WHAT: says in one line what this machine lacks, which scripts/parts counts.
# Where EBBPOOL_REQUIRE=1 asks for everything it is a failure.
skipped() {
	echo "SKIPPED: $*"
	[ "${EBBPOOL_REQUIRE-}" != 1 ] || exit 1
}
