package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebbpool/arena/examples/orders/pair"
	"github.com/ebbpool/arena/examples/orders/traffic"
)

// The responses are the same with PostgreSQL, if it is installed.
func TestPostgreSQL(t *testing.T) {
	p := pair.Run(t, pair.Config{Database: postgres(t)})
	if err := traffic.New(1, "c", 5, 1).Fill(t.Context(), p.Store, 50); err != nil {
		t.Fatal(err)
	}
	for _, c := range badInput {
		if strings.Contains(c.body, `\u0000`) {
			continue // PostgreSQL does not accept such text
		}
		t.Run(c.name, func(t *testing.T) {
			same(t, p, traffic.Request{Method: c.method, Path: c.path, Body: []byte(c.body)}, c.status, c.holds)
		})
	}
	source := traffic.New(2, "c", 5, 50)
	for range 200 {
		r := source.Next()
		a, err := p.Arena.Ask(t.Context(), r)
		if err != nil || a.Status >= 300 {
			t.Fatalf("%s %s: %v, %v", r.Method, r.Path, a, err)
		}
		same(t, p, r, a.Status, "")
		if r.Method == "POST" {
			same(t, p, traffic.Request{Method: "GET", Path: a.Location}, 200, `"id":`)
		}
	}
	p.AwaitIdle(t)
}

// postgres starts a server with its own directory and socket, and returns its URL.
func postgres(t *testing.T) string {
	if testing.Short() {
		t.Skip("PostgreSQL takes seconds to start")
	}
	tool := func(name string) string {
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
		if len(found) > 0 {
			return found[len(found)-1]
		}
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("SKIPPED: no PostgreSQL here (%s)", name)
		}
		return path
	}
	initdb, pgctl := tool("initdb"), tool("pg_ctl")
	dir, err := os.MkdirTemp("", "orders") // short enough for the name of a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	as := func(name string, args ...string) ([]byte, error) {
		return exec.Command(name, args...).CombinedOutput()
	}
	if me, err := user.Current(); err == nil && me.Uid == "0" { // PostgreSQL refuses to run as root
		if _, err := user.Lookup("postgres"); err != nil {
			t.Skip("SKIPPED: PostgreSQL does not run as root, and there is no user postgres")
		}
		if out, err := exec.Command("chown", "postgres", dir).CombinedOutput(); err != nil {
			t.Skipf("SKIPPED: %s", out)
		}
		as = func(name string, args ...string) ([]byte, error) {
			cmd := exec.Command("runuser", append([]string{"-u", "postgres", "--", name}, args...)...)
			cmd.Dir = dir
			return cmd.CombinedOutput()
		}
	}
	data := filepath.Join(dir, "data")
	if out, err := as(initdb, "-D", data, "-U", "orders", "-A", "trust", "-N"); err != nil {
		t.Skipf("SKIPPED: %v: %s", err, out)
	}
	t.Cleanup(func() { as(pgctl, "-D", data, "-m", "immediate", "stop") })
	options := fmt.Sprintf("-k %s -c listen_addresses='' -c fsync=off", dir)
	if out, err := as(pgctl, "-D", data, "-w", "-o", options, "-l", filepath.Join(dir, "log"), "start"); err != nil {
		t.Skipf("SKIPPED: %v: %s", err, out)
	}
	return "postgres:///postgres?user=orders&host=" + dir
}
