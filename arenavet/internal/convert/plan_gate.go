package convert

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// test runs the program's tests on the result: with nil arenas, with an arena for each call of
// the root, and with one that ends with the call, so that what was kept of it is found by a
// checked build.
func (p *plan) test(fixes edits) (lines []string, err error) {
	if _, err := goCommand(p.dir, append([]string{"test", "-vet=off", "-count=1"}, p.patterns...)...); err != nil {
		return lines, fmt.Errorf("convert: nothing is written: the tests do not pass as the program is: %w", err)
	}
	entries := []entry{asWritten, live}
	if len(p.into) == 0 {
		entries = append(entries, ended)
	}
	for _, e := range entries {
		files, err := p.result(fixes, e)
		if err != nil {
			return lines, err
		}
		err = p.testWith(files)
		if err != nil && e == ended {
			if _, where, ok := strings.Cut(err.Error(), "panic: arena: "); ok && strings.HasPrefix(where, "Escape[") {
				// Heap that leads into the arena: no fault, but what is returned can't be copied.
				where, _, _ = strings.Cut(where, "\n")
				lines = append(lines, "the tests could not be run with "+string(e)+": part of what it returns is on the heap, and leads into the arena: "+where)
				continue
			}
		}
		if err != nil {
			return lines, fmt.Errorf("convert: nothing is written: the tests do not pass with %s: %w", e, err)
		}
		lines = append(lines, "the tests pass with "+string(e))
	}
	return lines, nil
}

// testWith runs the tests with other texts, in a checked build.
func (p *program) testWith(files map[string][]byte) error {
	dir, err := os.MkdirTemp("", "arena-convert")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range files {
		file := filepath.Join(dir, strconv.Itoa(len(overlay.Replace))+".go")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
		overlay.Replace[name] = file
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	_, err = goCommand(p.dir, append([]string{"test", "-vet=off", "-count=1", "-tags", "arenacheck", "-overlay", file}, p.patterns...)...)
	return err
}
