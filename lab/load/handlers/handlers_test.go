package handlers_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/ebbpool/arena/lab/load/handlers"
	"github.com/ebbpool/arena/lab/load/payloads"
)

func handler(t testing.TB, name string) handlers.Handler {
	t.Helper()
	h, err := handlers.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const (
	line = `192.0.2.7 - jo [02/Jan/2024:03:04:05 +0130] "GET /shop?page=3&sort=asc&page=4 HTTP/1.1" 200 1234 "-" "curl/8.7.1"`
	body = `{"id":"req-1","user":{"name":"Jo <J> Hill","email":"j@example.com","address":{"street":"1 Kiln Lane","city":"Bath","zip":"BA1","country":"gb"}},` +
		`"device":{"os":"Linux","browser":"Firefox","width":800,"height":600},"unknown":[1],` +
		`"items":[{"sku":"A-1","title":"tent","qty":2,"price":{"amount":1005,"currency":"EUR"},"tags":["new","red"]},` +
		`{"sku":"B-2","title":"stove \"hot\"","qty":1,"price":{"amount":99,"currency":"EUR"},"tags":["red"]}],` +
		`"attrs":{"Gift":"yes"}}`
	answer = `{"id":"req-1","from":"192.0.2.7 /shop (curl/8.7.1)","at":1704159245,"status":200,"bytes":1234,` +
		`"to":"Jo \u003cJ\u003e Hill \u003cj@example.com\u003e, 1 Kiln Lane, BA1 Bath, GB","device":"Firefox on Linux, 800x600",` +
		`"lines":["2x tent","1x stove \"hot\""],"totals":{"EUR":2109},"tags":{"new":1,"red":2},"params":{"page":"4","sort":"asc"},` +
		`"attrs":{"gift":"yes"},"receipt":"2x tent at 10.05 EUR (1, A-1)\n1x stove \"hot\" at 0.99 EUR (2, B-2)\n"}`
)

// A response computed by hand, and the response to an empty document.
func TestAnswer(t *testing.T) {
	empty := `{"id":"","from":"192.0.2.7 /shop (curl/8.7.1)","at":1704159245,"status":200,"bytes":1234,` +
		`"to":" \u003c\u003e, ,  , ","device":" on , 0x0","lines":[],"totals":{},"tags":{},"params":{"page":"4","sort":"asc"},"attrs":{},"receipt":""}`
	for _, name := range handlers.Names() {
		h := handler(t, name)
		for body, want := range map[string]string{body: answer, "{}": empty} {
			got, err := h.Serve([]byte("> "), []byte(line+"\n"+body))
			if err != nil || string(got) != "> "+want {
				t.Errorf("%s: %v\n%s\nnot\n> %s", name, err, got, want)
			}
		}
	}
}

// All handlers give the same responses, in several goroutines so that memory is reused, and do not keep
// payloads.
func TestHandlersAgree(t *testing.T) {
	const requests, workers = 2000, 4
	src := payloads.NewSource(11, requests)
	want := make([][]byte, requests)
	for i := range want {
		var err error
		if want[i], err = handler(t, handlers.Plain).Serve(nil, src.AppendPayload(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range handlers.Names() {
		h := handler(t, name)
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				var payload, out []byte
				var err error
				for i := w; i < requests; i += workers {
					payload = src.AppendPayload(payload[:0], i)
					if out, err = h.Serve(out[:0], payload); err != nil || !bytes.Equal(out, want[i]) {
						t.Errorf("%s, request %d: %v\ngot  %s\nwant %s", name, i, err, out, want[i])
						return
					}
					clear(payload)
				}
			})
		}
		wg.Wait()
	}
}

// A refused payload leaves dst unchanged, and nothing in reused memory.
func TestBadPayloads(t *testing.T) {
	good := line + "\n" + body
	for _, name := range handlers.Names() {
		h := handler(t, name)
		for _, bad := range []string{
			"", line, line + "\n", line + "\n[]", good[:len(good)-1], line + "x\n" + body, good[1+strings.Index(good, " "):],
			strings.Replace(good, " [", " ", 1), strings.Replace(good, "] ", "]", 1), strings.Replace(good, "/Jan/", "/anJ/", 1),
			strings.Replace(good, "+0130", "+01:3", 1), strings.Replace(good, "+0130", "0130", 1), strings.Replace(good, " 200 ", " ok ", 1),
			strings.Replace(good, " 1234 ", " 12e4 ", 1), strings.Replace(good, `"qty":2`, `"qty":"two"`, 1), strings.Replace(good, `{"os"`, `7,{"os"`, 1),
		} {
			out, err := h.Serve([]byte("before"), []byte(bad))
			if err == nil || string(out) != "before" {
				t.Errorf("%s: %q gives %v and %s", name, bad, err, out)
			}
			if got, err := h.Serve(nil, []byte(good)); err != nil || string(got) != answer {
				t.Fatalf("%s: after %q: %v\n%s", name, bad, err, got)
			}
		}
	}
	if _, err := handlers.New("jemalloc"); err == nil {
		t.Error("no error for an unknown name")
	}
}

// FuzzHandlers checks that the arena's handler responds like the plain one, and that responses to text are
// JSON.
func FuzzHandlers(f *testing.F) {
	src := payloads.NewSource(1, 8)
	for i := range 8 {
		f.Add(src.AppendPayload(nil, i))
	}
	f.Add([]byte(line + "\n" + body))
	plain, in := handler(f, handlers.Plain), handler(f, handlers.Arena)
	f.Fuzz(func(t *testing.T, payload []byte) {
		want, wrong := plain.Serve(nil, payload)
		got, err := in.Serve(nil, payload)
		if (err == nil) != (wrong == nil) || !bytes.Equal(got, want) {
			t.Errorf("%q:\n%s, %v\nnot\n%s, %v", payload, got, err, want, wrong)
		}
		if wrong == nil && utf8.Valid(payload) && !json.Valid(want) {
			t.Errorf("the answer to %q is no JSON: %s", payload, want)
		}
	})
}

// The mean allocations of the handlers. Those of the unsafe one are all sonic's.
func TestAllocations(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("the race detector makes a sync.Pool lose some")
	}
	src := payloads.NewSource(1, 512)
	for name, want := range map[string]struct{ least, most float64 }{
		handlers.Plain: {120, 140}, handlers.Careful: {9, 13}, handlers.Unsafe: {6, 10}, handlers.Arena: {0, 0.5},
	} {
		h := handler(t, name)
		var payload, out []byte
		serve := func() {
			for i := range 512 {
				payload = src.AppendPayload(payload[:0], i)
				var err error
				if out, err = h.Serve(out[:0], payload); err != nil {
					t.Fatal(err)
				}
			}
		}
		serve()
		if n := testing.AllocsPerRun(5, serve) / 512; n < want.least || n > want.most {
			t.Errorf("%s: %.1f allocations a request, not %g to %g", name, n, want.least, want.most)
		}
	}
}

// BenchmarkServe measures the handlers on one goroutine.
func BenchmarkServe(b *testing.B) {
	src := payloads.NewSource(1, 4096)
	for _, name := range handlers.Names() {
		b.Run("handler="+name, func(b *testing.B) {
			h := handler(b, name)
			var payload, out []byte
			var err error
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				payload = src.AppendPayload(payload[:0], i)
				if out, err = h.Serve(out[:0], payload); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
