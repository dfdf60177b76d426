// Command release checks that a release can be made of the commit that is checked
// out, and makes its archives. It changes nothing but the folder that it is given, and,
// with -tag, makes the release's tags; with -push it pushes them, too:
//
//	go run -C scripts ./release
//
// The version is the newest one in CHANGELOG.md. There are a tag and an archive for each
// module that programs may require.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	repo := flag.String("repo", "..", "the repository")
	out := flag.String("out", "../_build/release", "the folder that archives and lists are written to; it is emptied before")
	tag := flag.Bool("tag", false, "tag the commit for each module")
	push := flag.Bool("push", false, "with -tag: push the tags to origin")
	flag.Parse()
	if err := run(*repo, *out, *tag, *push); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(root, out string, tag, push bool) error {
	r, err := read(root)
	if err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	status, err := output(r.root, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if status != "" {
		return fmt.Errorf("%s has changes that are not committed: commit them first, a release is made of a commit\n%s", root, status)
	}
	fmt.Printf("release %s: %d modules\n", r.version, len(r.published()))
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"versions, requirements, licence", func() error { return errors.Join(r.problems()...) }},
		{"modules are tidy", r.tidy},
		{"the single header is the headers", func() error { _, err := output(r.root, "scripts/cpp-single.sh", "-check"); return err }},
		{"archives, twice the same", func() error { return r.archive(out) }},
		{"a program that requires each module builds", func() error { return r.consume(out) }},
	} {
		fmt.Println("  " + step.name)
		if err := step.do(); err != nil {
			return fmt.Errorf("release %s: %s:\n%w", r.version, step.name, err)
		}
	}
	fmt.Printf("archives, their checksums and the list of all modules are in %s\n", out)
	if tag {
		return r.tag(push)
	}
	fmt.Println("to release: make release-tags PUSH=1")
	return nil
}

// output runs a command in dir; what it printed is part of the error.
func output(dir, name string, args ...string) (string, error) {
	return command(dir, nil, name, args...)
}

func command(dir string, env []string, name string, args ...string) (string, error) {
	if strings.Contains(name, "/") {
		name = filepath.Join(dir, name)
	}
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	text, err := c.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("in %s: %s %s: %w\n%s", dir, name, strings.Join(args, " "), err, text)
	}
	return string(text), nil
}
