//go:build unix

package matrix

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// While one child is timed the other stands still, and goes on afterwards.
func TestTurns(t *testing.T) {
	dir := t.TempDir()
	program := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+strings.ReplaceAll(text, "FILE", filepath.Join(dir, "work"))), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "work"))
		if err != nil {
			return 0
		}
		return info.Size()
	}
	grown := func(than int64) {
		t.Helper()
		for end := time.Now().Add(time.Minute); size() <= than; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("the other child does nothing")
			}
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan bool)
	go func() {
		start(ctx, program("other", "while :; do echo >> 'FILE'; done\n"), nil)
		close(done)
	}()
	grown(0)
	timed := start(t.Context(), program("timed", "echo ready\nread turn\nwc -c < 'FILE'\nsleep 0.2\nwc -c < 'FILE'\n"), nil)
	if sizes := strings.Fields(string(timed.stdout)); timed.err != nil || len(sizes) != 2 || sizes[0] != sizes[1] {
		t.Errorf("while it was timed the other went on: %q, %v", sizes, timed.err)
	}
	grown(size())
	stop()
	<-done
	if len(children.all) > 0 {
		t.Errorf("%d children are left", len(children.all))
	}
}
