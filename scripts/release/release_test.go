package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gomod "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// The repository as it stands can be released. What is wrong is seen here and not on the
// day of the release.
func TestRepository(t *testing.T) {
	r, err := read("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range r.problems() {
		t.Error(problem)
	}
	var tags []string
	for _, m := range r.published() {
		tags = append(tags, m.tag(r.version))
	}
	all := " " + strings.Join(tags, " ") + " "
	for _, want := range []string{r.version, "arenavet/" + r.version, "adapters/protobuf/" + r.version} {
		if !strings.Contains(all, " "+want+" ") {
			t.Errorf("there is no tag %s among %s", want, all)
		}
	}
	for _, never := range []string{"cpp/", "docs/", "internal/", "lab", "testdata", "traces/", "examples", "scripts"} {
		if strings.Contains(all, never) {
			t.Errorf("%s is tagged: %s", never, all)
		}
	}
}

// What go get brings is the library with its own tests. What else lies here is in a
// module of its own: without that each user fetches it, too.
func TestArchiveIsSmall(t *testing.T) {
	r, err := read("../..")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	dir := t.TempDir()
	tree := filepath.Join(t.TempDir(), "tree.tar") // CreateFromVCS knows no worktrees
	for _, args := range [][]string{{"git", "archive", "-o", tree, "HEAD"}, {"tar", "-xf", tree, "-C", dir}} {
		if _, err := output(r.root, args[0], args[1:]...); err != nil {
			t.Fatal(err)
		}
	}
	if err := zip.CreateFromDir(&b, gomod.Version{Path: rootPath, Version: r.version}, dir); err != nil {
		t.Fatal(err)
	}
	if most := 600_000; b.Len() > most {
		t.Errorf("the module's archive has %d bytes, %d is the most", b.Len(), most)
	}
}

// Each thing that must be right is reported by the name of its file when it is not.
func TestProblems(t *testing.T) {
	for name, c := range map[string]struct{ file, old, new, want string }{
		"nothing":                {},
		"no version":             {"CHANGELOG.md", "## 1.2.3", "## Unreleased", "its first section is not a version"},
		"another version in C++": {"cpp/CMakeLists.txt", "1.2.3", "1.2.2", "cpp/CMakeLists.txt says"},
		"no version in C++":      {"cpp/README.md", "`ebbpool/1.2.3`", "", "cpp/README.md says"},
		"no vcpkg.json":          {"cpp/packaging/vcpkg/ebbpool/vcpkg.json", "{\"version\": \"1.2.3\"}\n", "", "vcpkg.json"},
		"the root requires":      {"go.mod", "go 1.25.0", "go 1.25.0\nrequire example.com/x v1.0.0", "the root requires nothing"},
		"an old version of ours": {"adapters/x/go.mod", "arena v1.2.3", "arena v1.2.2", "adapters/x/go.mod requires"},
		"another's module replaced": {"adapters/x/go.mod", "replace", "replace example.com/y => ../y\nreplace",
			"adapters/x/go.mod replaces example.com/y"},
		"ours replaced by another":  {"adapters/x/go.mod", "=> ../..", "=> ../../copy", "adapters/x/go.mod replaces"},
		"ours by another's version": {"adapters/x/go.mod", "=> ../..", "=> example.com/fork v1.0.0", "adapters/x/go.mod replaces"},
		"commands":                  {"tool/go.mod", "go 1.25.0", "go 1.25.0\nreplace github.com/ebbpool/arena => ..", "go install refuses"},
		"no licence":                {"LICENSE", "MIT License", "", "LICENSE does not have"},
		"no licence in the header":  {"cpp/single/ebbpool.hpp", "MIT License", "", "cpp/single/ebbpool.hpp does not have"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			files := map[string]string{
				"CHANGELOG.md":                           "# Changelog\n\n## 1.2.3\n\n## 1.2.2\n",
				"cpp/CMakeLists.txt":                     "project(ebbpool VERSION 1.2.3 LANGUAGES CXX)\n",
				"cpp/packaging/vcpkg/ebbpool/vcpkg.json": "{\"version\": \"1.2.3\"}\n",
				"cpp/README.md":                          "`ebbpool/1.2.3`\n",
				"cpp/single/ebbpool.hpp":                 "// MIT License\n",
				"LICENSE":                                "MIT License\n",
				"go.mod":                                 "module github.com/ebbpool/arena\n\ngo 1.25.0\n",
				"adapters/x/go.mod": "module github.com/ebbpool/arena/adapters/x\n\nreplace github.com/ebbpool/arena => ../..\n\n" +
					"require github.com/ebbpool/arena v1.2.3\n",
				"tool/go.mod":      "module github.com/ebbpool/arena/tool\n\ngo 1.25.0\n",
				"tool/cmd/main.go": "package main\n\nfunc main() {}\n",
			}
			if c.file != "" {
				files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
			}
			for file, text := range files {
				if text != "" {
					if err := write(filepath.Join(root, file), []byte(text)); err != nil {
						t.Fatal(err)
					}
				}
			}
			commit(t, root)
			var problems []string
			r, err := read(root)
			if err != nil {
				problems = []string{err.Error()}
			} else {
				for _, p := range r.problems() {
					problems = append(problems, p.Error())
				}
			}
			if c.want == "" && len(problems) != 0 || c.want != "" && !strings.Contains(strings.Join(problems, "\n"), c.want) {
				t.Errorf("want %q, got %q", c.want, problems)
			}
		})
	}
}

// A release is made of a commit: what is not in it would be missing from the archives,
// or be in the one that somebody builds here and in no other.
func TestUncommitted(t *testing.T) {
	root := t.TempDir()
	if err := write(filepath.Join(root, "CHANGELOG.md"), []byte("## 1.2.3\n")); err != nil {
		t.Fatal(err)
	}
	commit(t, root)
	if err := write(filepath.Join(root, "new"), nil); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := run(root, out, true, false); err == nil || !strings.Contains(err.Error(), "not committed") {
		t.Error(err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}

// A release has all of its tags, on one commit, or none: a module whose neighbour has no
// tag can't be required.
func TestTags(t *testing.T) {
	root, origin := t.TempDir(), t.TempDir()
	for file, text := range map[string]string{
		"CHANGELOG.md":      "## 1.2.3\n",
		"go.mod":            "module github.com/ebbpool/arena\n\ngo 1.25.0\n",
		"adapters/x/go.mod": "module github.com/ebbpool/arena/adapters/x\n\ngo 1.25.0\n",
		"lab/go.mod":        "module github.com/ebbpool/arena/lab\n",
	} {
		if err := write(filepath.Join(root, file), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, root)
	git := func(args ...string) string {
		t.Helper()
		text, err := output(root, "git", args...)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(text), " ")
	}
	git("init", "-q", "--bare", origin)
	git("remote", "add", "origin", origin)
	git("config", "user.name", "x")
	git("config", "user.email", "x@example.com")
	r, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	git("tag", "adapters/x/v1.2.3")
	if err := r.tag(true); err == nil || !strings.Contains(err.Error(), "adapters/x/v1.2.3: a version that may have been fetched") {
		t.Errorf("a tag that is there: %v", err)
	}
	if got := git("tag"); got != "adapters/x/v1.2.3" {
		t.Errorf("the tags are then %s", got)
	}
	git("tag", "-d", "adapters/x/v1.2.3")
	if err := r.tag(true); err != nil {
		t.Fatal(err)
	}
	if got, want := git("-C", origin, "tag"), "adapters/x/v1.2.3 v1.2.3"; got != want || git("tag") != want {
		t.Errorf("pushed: %s, want %s", got, want)
	}
}

// The archives hold the modules and nothing beside them, and can be told apart by their
// checksums.
func TestArchive(t *testing.T) {
	root, out := t.TempDir(), t.TempDir()
	for file, text := range map[string]string{
		"CHANGELOG.md":      "## 1.2.3\n",
		"go.mod":            "module github.com/ebbpool/arena\n\ngo 1.25.0\n",
		"arena.go":          "package arena\n",
		"LICENSE":           "MIT License\n",
		"cpp/a.hpp":         "#pragma once\n",
		"adapters/x/go.mod": "module github.com/ebbpool/arena/adapters/x\n\ngo 1.25.0\n",
		"adapters/x/x.go":   "package x\n",
		"lab/go.mod":        "module github.com/ebbpool/arena/lab\n",
	} {
		if err := write(filepath.Join(root, file), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, root)
	r, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.archive(out); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ebbpool-1.2.3.tar.gz", "ebbpool-1.2.3-cpp.tar.gz", "proxy/github.com/ebbpool/arena/@v/v1.2.3.zip", "proxy/github.com/ebbpool/arena/adapters/x/@v/v1.2.3.zip"} {
		if !strings.Contains(string(sums), "  "+name+"\n") {
			t.Errorf("no checksum of %s in\n%s", name, sums)
		}
	}
	if n := strings.Count(string(sums), "\n"); n != 4 {
		t.Errorf("%d archives, want 4:\n%s", n, sums)
	}
	if err := r.consume(out); err != nil {
		t.Error(err)
	}
}

func commit(t *testing.T, root string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "x"}} {
		if _, err := output(root, "git", args...); err != nil {
			t.Fatal(err)
		}
	}
}
