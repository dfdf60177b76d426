package soak

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/internal/check"
)

// Six concurrent bodies of 10 MB in a container: a handler with arenas must survive if an ordinary one does.
// With limits it refuses requests and never exceeds the memory. Without limits both are safe only if all
// memory of the six, 40 MB each in arenas including garbage, fits, because on a busy machine all of it can be
// live in one collection. In 256 MB the test has three tries: 8 of 69 runs exceeded it.
func TestSoakBodies(t *testing.T) {
	const key = "EBBPOOL_BODIES"
	if side := os.Getenv(key); side != "" {
		serveBodies(t, side)
		return
	}
	if check.On {
		t.Skip("memory is handed out once")
	}
	defer func(was int) { container = was }(container)
	for _, mb := range []int{384, 256, 96} {
		t.Run(fmt.Sprint(mb), func(t *testing.T) {
			container = mb << 20
			dir := group(t)
			if dir == "" {
				return
			}
			lives := func(side string) bool {
				c := within(dir, "-test.run=^TestSoakBodies$")
				c.Env = append(c.Env, key+"="+side)
				out, err := c.CombinedOutput()
				t.Logf("%s: %v", side, err)
				if strings.Contains(string(out), "FAIL") {
					t.Errorf("%s: %s", side, out)
				}
				return err == nil
			}
			arenas := lives("arena")
			for range 2 {
				arenas = arenas || mb == 256 && lives("arena")
			}
			if plain := lives("plain"); !arenas && plain {
				t.Error("the handler with arenas dies where the ordinary one lives")
			}
			if !lives("limits") {
				t.Error("the handler with limits dies")
			}
		})
	}
}

type manyLines struct {
	Lines []struct {
		Article string
		Count   int
		Tags    []string
	}
}

// serveBodies makes a handler serve six concurrent bodies, repeatedly.
func serveBodies(t *testing.T, side string) {
	pool := arena.NewAutoPool(0)
	if side == "limits" {
		if err := pool.SetLimitsFromEnvironment(0.5); err != nil {
			t.Fatal(err)
		}
	}
	h := arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var v manyLines
		if err := arenahttp.Read(r, &v); err != nil {
			panic(err)
		}
		arenahttp.Write(w, r, 200, len(v.Lines))
	}))
	if side == "plain" {
		h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var v manyLines
			body, err := io.ReadAll(r.Body)
			if err == nil {
				err = json.Unmarshal(body, &v)
			}
			if err != nil {
				panic(err)
			}
			json.NewEncoder(w).Encode(len(v.Lines))
		})
	}
	s := httptest.NewServer(h)
	defer s.Close()
	const line = `,{"Article":"a screw of zinc, 12 mm","Count":7,"Tags":["metal","screw"]}`
	body := []byte(`{"Lines":[` + strings.Repeat(line, 10<<20/len(line))[1:] + `]}`)
	for range 3 {
		var g sync.WaitGroup
		for range 6 {
			g.Go(func() {
				r, err := http.Post(s.URL, "application/json", bytes.NewReader(body))
				if err != nil {
					// The response is lost if the server closes the connection before it has read all of a
					// refused body.
					if lost := errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET); !lost || side != "limits" {
						t.Error(err)
					}
					return
				}
				defer r.Body.Close()
				if refused := r.StatusCode == 413 || r.StatusCode == 503; r.StatusCode != 200 && !(refused && side == "limits") {
					t.Errorf("status %d", r.StatusCode)
				}
				io.Copy(io.Discard, r.Body)
			})
		}
		g.Wait()
	}
}
