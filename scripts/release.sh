#!/usr/bin/env bash
# release.sh COMMAND: prepares a release of the first version in CHANGELOG.md.
#
#   check         checks versions, requirements and licenses
#   build         also writes archives into _build/release, and builds each module from them in an empty home
#   tag [-push]   tags this commit for each module, all or none; -push pushes the tags to origin
#
# No command but tag -push needs access to the repository's host. Dependencies come from the module proxy or Go's module cache.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$(pwd)
path=github.com/ebbpool/arena
out=$root/_build/release
export GOWORK=off
version=$(sed -n 's/^## \([0-9][^ ]*\).*/\1/p' CHANGELOG.md | head -n 1)

fail() {
	echo "release.sh: $*" >&2
	exit 1
}
[ -n "$version" ] || fail "CHANGELOG.md: first section has no version"

# modules lists the folders of all modules; published lists the modules that programs may require.
modules() { git ls-files go.mod '*/go.mod' | sed 's|/*go.mod$||; s|^$|.|'; }
published() {
	modules | grep -vE '^(cpp|docs|lab(/.*)?|traces|examples/.*|adapters/routers|adapters/protobuf/(bench|others|gogo)|adapters/pgx/mock|adapters/sql/drivers|adapters/franz/broker|(.*/)?(internal|testdata)(/.*)?)$'
}
# module_path FOLDER
module_path() { [ "$1" = . ] && echo $path || echo "$path/$1"; }
# is_tool FOLDER reports whether the module has commands for go install.
is_tool() { published | grep -qx "$1" && [ -n "$(git -C "$root" ls-files "$1/cmd")" ]; }

check() {
	local status=0 dir file
	wrong() {
		echo "$*" >&2
		status=1
	}
	grep -q "project(ebbpool VERSION $version " cpp/CMakeLists.txt || wrong "cpp/CMakeLists.txt: version is not $version"
	grep -q "\"version\": \"$version\"" cpp/packaging/vcpkg/ebbpool/vcpkg.json || wrong "vcpkg.json: version is not $version"
	grep -q "\`ebbpool/$version\`" cpp/README.md || wrong "cpp/README.md: version is not $version"
	for file in LICENSE cpp/single/ebbpool.hpp; do
		grep -q 'MIT License' $file || wrong "$file: no license"
	done
	scripts/cpp-single.sh -check || status=1
	for dir in $(modules | grep -v testdata); do
		# The modules are released together, and replace each other by their folders in this repository only.
		! grep -E "^(require )?[[:space:]]*$path(/[^ ]*)? v" "$dir/go.mod" | grep -vE " v$version( // indirect)?$" ||
			wrong "$dir/go.mod: requirement is not v$version"
		while IFS='|' read -r from to; do
			case $from in $path | $path/*) ;; *) wrong "$dir/go.mod: replaces $from" ;; esac
			[ "$(realpath -m "$dir/$to")" = "$(realpath -m "./${from#"$path"}")" ] || wrong "$dir/go.mod: replaces $from by $to"
			! is_tool "$dir" || wrong "$dir/go.mod: go install refuses a module with a replace directive"
		done < <(sed -nE 's/^(replace)?[[:space:]]*(.+) => (.+)$/\2|\3/p' "$dir/go.mod")
	done
	! grep -q '^require' go.mod || wrong "go.mod: the root requires a module"
	return $status
}

build() {
	[ -z "$(git status --porcelain)" ] || fail "uncommitted changes"
	check
	local dir name module proxy home tool
	for dir in $(published); do
		(cd "$dir" && go mod tidy -diff) || fail "$dir/go.mod: not tidy"
	done
	rm -rf "$out"
	mkdir -p "$out"
	git archive --format=tar.gz --prefix="ebbpool-$version/" -o "$out/ebbpool-$version.tar.gz" HEAD
	git archive --format=tar.gz --prefix="ebbpool-$version-cpp/" -o "$out/ebbpool-$version-cpp.tar.gz" HEAD LICENSE cpp
	# A module proxy in a folder.
	for dir in $(published); do
		module=$(module_path "$dir")
		proxy=$out/proxy/$module/@v
		mkdir -p "$proxy"
		local nested=()
		while read -r name; do
			nested+=(":(exclude)$name")
		done < <(cd "$dir" && git ls-files '*/go.mod' | sed 's|/go.mod$||')
		(cd "$dir" && git archive --format=zip --prefix="$module@v$version/" --add-file="$root/LICENSE" -o "$proxy/v$version.zip" \
			HEAD . ':(exclude)LICENSE' ${nested[@]+"${nested[@]}"})
		cp "$dir/go.mod" "$proxy/v$version.mod"
		echo "{\"Version\": \"v$version\"}" >"$proxy/v$version.info"
		echo "v$version" >"$proxy/list"
	done
	(cd "$out" && find . -name '*.zip' -o -name '*.tar.gz' | sort | xargs sha256sum >SHA256SUMS)

	home=$(mktemp -d)
	# shellcheck disable=SC2064
	trap "rm -rf '$home'" EXIT
	for dir in $(published); do
		module=$(module_path "$dir")
		is_tool "$dir" && tool=true || tool=false
		mkdir -p "$home/program/$dir"
		(
			cd "$home/program/$dir"
			local cache
			cache=$(go env GOMODCACHE)
			export GOPROXY="file://$out/proxy,file://$cache/cache/download,$(go env GOPROXY)"
			GOCACHE=$(go env GOCACHE)
			export GOCACHE GOENV=off GONOSUMDB="$path,$path/*" GOMODCACHE="$home/cache" GOFLAGS=-modcacherw GOBIN="$home/bin"
			export HOME=$home GOPATH=$home/go
			if $tool; then
				go install "$module/cmd/...@v$version"
			else
				printf 'module program\n\ngo 1.25.0\n' >go.mod
				go get "$module@v$version"
				go build "$module/..."
			fi
		) || fail "$module: can't be built from its archive"
	done
	echo "release $version: $(published | wc -l) modules, archives in _build/release"
}

tag() {
	local tags=() dir there
	for dir in $(published); do
		[ "$dir" = . ] && tags+=("v$version") || tags+=("$dir/v$version")
	done
	there=$(git tag --list "${tags[@]}")
	[ -z "$there" ] || fail "tag exists:" $there
	for dir in "${tags[@]}"; do
		git tag -a -m "Ebbpool $version" "$dir"
	done
	echo "tagged:" "${tags[@]}"
	[ "${1-}" != -push ] || git push --atomic origin "${tags[@]}"
}

case ${1-} in
check | build | tag) "$@" ;;
*) fail "usage: release.sh check | build | tag [-push]" ;;
esac
