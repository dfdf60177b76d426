package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	gomod "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// archive writes what is released into out: the zip of each published module, as the go
// command makes it, where a module proxy would have it (out/proxy); the sources as one
// tar.gz, and those of the C++ half as another; the checksums of all; and modules.txt, every module that is built into one of
// ours with its version.
func (r *repo) archive(out string) error {
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	sums := &strings.Builder{}
	put := func(name string, make func() ([]byte, error)) error {
		first, err := make()
		if err != nil {
			return err
		}
		second, err := make()
		if err != nil {
			return err
		}
		if !bytes.Equal(first, second) {
			return fmt.Errorf("%s is another archive each time that it is made", name)
		}
		fmt.Fprintf(sums, "%x  %s\n", sha256.Sum256(first), name)
		return write(filepath.Join(out, name), first)
	}
	sources := "ebbpool-" + strings.TrimPrefix(r.version, "v")
	for name, paths := range map[string][]string{sources: nil, sources + "-cpp": {"LICENSE", "cpp"}} {
		if err := put(name+".tar.gz", func() ([]byte, error) {
			c := exec.Command("git", append([]string{"archive", "--format=tar.gz", "--prefix=" + name + "/", "HEAD"}, paths...)...)
			c.Dir = r.root
			return c.Output()
		}); err != nil {
			return err
		}
	}
	list := &strings.Builder{}
	for _, m := range r.published() {
		v := gomod.Version{Path: m.path(), Version: r.version}
		at := filepath.Join("proxy", filepath.FromSlash(v.Path), "@v")
		if err := put(filepath.Join(at, v.Version+".zip"), func() ([]byte, error) {
			var b bytes.Buffer
			err := zip.CreateFromVCS(&b, v, r.root, "HEAD", strings.TrimPrefix(m.dir, "."))
			return b.Bytes(), err
		}); err != nil {
			return err
		}
		text, err := m.file.Format()
		if err != nil {
			return err
		}
		for name, text := range map[string][]byte{
			v.Version + ".mod":  text,
			v.Version + ".info": fmt.Appendf(nil, "{\"Version\": %q}\n", v.Version),
			"list":              []byte(v.Version + "\n"),
		} {
			if err := write(filepath.Join(out, at, name), text); err != nil {
				return err
			}
		}
		all, err := output(filepath.Join(r.root, m.dir), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", "./...")
		if err != nil {
			return err
		}
		fmt.Fprintf(list, "%s %s\n", v.Path, v.Version)
		seen := map[string]bool{"": true}
		for line := range strings.Lines(all) {
			if line = strings.TrimSpace(line); !seen[line] && line != v.Path { // it has no version in its own list
				seen[line] = true
				fmt.Fprintf(list, "\t%s\n", line)
			}
		}
	}
	return errors.Join(
		write(filepath.Join(out, "SHA256SUMS"), []byte(sums.String())),
		write(filepath.Join(out, "modules.txt"), []byte(list.String())))
}

func write(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// consume builds, against the archives in out, a program that requires each published
// module, and installs the commands, as users do: without this checkout, in an empty home.
// Of what is here it has the go command's cache of builds.
func (r *repo) consume(out string) error {
	proxy, err := output(r.root, "go", "env", "GOPROXY")
	if err != nil {
		return err
	}
	cache, err := output(r.root, "go", "env", "GOMODCACHE")
	if err != nil {
		return err
	}
	builds, err := output(r.root, "go", "env", "GOCACHE")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	env := []string{
		"HOME=" + filepath.Join(dir, "home"), "GOPATH=" + filepath.Join(dir, "home", "go"), "GOENV=off", "GOCACHE=" + strings.TrimSpace(builds),
		"GOPROXY=file://" + filepath.ToSlash(out) + "/proxy,file://" + filepath.ToSlash(strings.TrimSpace(cache)) + "/cache/download," + strings.TrimSpace(proxy),
		"GONOSUMDB=" + rootPath + "," + rootPath + "/*",
		// What is unpacked there is of no released version, and may not be found later.
		"GOMODCACHE=" + filepath.Join(dir, "cache"), "GOFLAGS=-modcacherw", "GOBIN=" + filepath.Join(dir, "bin"), "GOWORK=off",
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, m := range r.published() {
		if m.commands {
			if _, err := command(dir, env, "go", "install", m.path()+"/cmd/...@"+r.version); err != nil {
				return err
			}
			continue
		}
		program := filepath.Join(dir, strings.ReplaceAll(m.dir, "/", "-"))
		if err := write(filepath.Join(program, "go.mod"), []byte("module program\n\ngo "+m.file.Go.Version+"\n")); err != nil {
			return err
		}
		for _, args := range [][]string{{"get", m.path() + "@" + r.version}, {"build", m.path() + "/..."}} {
			if _, err := command(program, env, "go", args...); err != nil {
				return err
			}
		}
	}
	return nil
}
