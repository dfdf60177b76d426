package arenahttp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/internal/testkit"
)

type order struct {
	Customer string   `json:"customer"`
	Items    []string `json:"items"`
}

// answer is a service in ten lines: it responds with the order and one more item.
func answer(w http.ResponseWriter, r *http.Request) {
	var o order
	if err := arenahttp.Read(r, &o); err != nil {
		http.Error(w, err.Error(), arenahttp.Status(err))
		return
	}
	a := arena.FromContext(r.Context())
	o.Items = arena.Append(a, o.Items, a.Concat("a present for ", o.Customer))
	arenahttp.Write(w, r, http.StatusCreated, &o)
}

func TestReadAndWrite(t *testing.T) {
	p := arena.NewAutoPool(0)
	p.SetLimit(64<<10, 0)
	in := arenahttp.Handler(p, http.HandlerFunc(answer))
	for _, x := range []struct {
		body   io.Reader
		status int
		answer string
	}{
		{strings.NewReader(`{"customer":"Jo","items":["tea"]}`), 201, `{"customer":"Jo","items":["tea","a present for Jo"]}` + "\n"},
		{iotest.OneByteReader(strings.NewReader(`{}`)), 201, `{"customer":"","items":["a present for "]}` + "\n"},
		{strings.NewReader(``), 400, "EOF\n"},
		{strings.NewReader(`  `), 400, "unexpected end of JSON input\n"},
		{strings.NewReader(`{"customer":`), 400, "unexpected end of JSON input\n"},
		{strings.NewReader(`{} {}`), 400, "invalid character '{' after top-level value\n"},
		{strings.NewReader(`{"items":5}`), 400, "json: cannot unmarshal number into Go struct field order.items of type []string\n"},
		{strings.NewReader(`{"customer":"` + strings.Repeat("x", 1<<20) + `"}`), 413, "Request Entity Too Large\n"},
		{iotest.ErrReader(errors.New("gone")), 400, "gone\n"},
	} {
		w := httptest.NewRecorder()
		in.ServeHTTP(w, httptest.NewRequest("POST", "/", x.body))
		// Errors have the text of this Go's encoding/json.
		if got := w.Body.String(); w.Code != x.status || got != x.answer && x.status == 201 {
			t.Errorf("%d %q, want %d %q", w.Code, got, x.status, x.answer)
		}
		if w.Code == 201 && (w.Header().Get("Content-Type") != "application/json" || w.Result().ContentLength != int64(len(x.answer))) {
			t.Errorf("header %v", w.Header())
		}
	}
	awaitIdle(t, p)

	// Without Handler, Read and Write use the heap.
	w := httptest.NewRecorder()
	answer(w, httptest.NewRequest("POST", "/", strings.NewReader(`{"customer":"Jo"}`)))
	if got := w.Body.String(); w.Code != 201 || got != `{"customer":"Jo","items":["a present for Jo"]}`+"\n" {
		t.Errorf("%d %q", w.Code, got)
	}
}

// Write sends the same bytes as encoding/json's Encoder, including the newline, with the same length.
func TestWriteIsTheEncoders(t *testing.T) {
	pool := arena.NewAutoPool(0)
	values := []any{
		nil, true, 0, -1.5e-9, "", "<a href='x'>&\u2028", []int{}, []int(nil), map[string]any{}, &order{}, json.RawMessage(" [1, 2] "),
		&order{Customer: "Jo", Items: []string{"tea", "\n"}}, map[string]any{"b": []any{1, "x"}, "a": nil}, time.Unix(0, 0).UTC(),
	}
	for n := 1; n < 100_000; n = n*5/4 + 1 {
		values = append(values, strings.Repeat("x", n), make([]int, n/2))
	}
	for _, v := range values {
		var want bytes.Buffer
		if err := json.NewEncoder(&want).Encode(v); err != nil {
			t.Fatal(err)
		}
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := arenahttp.Write(w, r, 200, v); err != nil {
				t.Error(err)
			}
		})
		for _, h := range []http.Handler{h, arenahttp.Handler(pool, h)} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			if w.Body.String() != want.String() || w.Header().Get("Content-Length") != strconv.Itoa(want.Len()) {
				t.Errorf("%.100q, length %s; want %.100q", w.Body, w.Header().Get("Content-Length"), want.String())
			}
		}
	}
}

// Only Write appends a newline. Later uses of the same arena's encoder do not.
func TestLineEndIsWritesOwn(t *testing.T) {
	handled(arena.NewAutoPool(0), func(w http.ResponseWriter, r *http.Request) {
		arenahttp.Write(w, r, 200, 5)
		if doc, err := arenajson.Marshal(arena.FromContext(r.Context()), 5); string(doc) != "5" || err != nil {
			t.Errorf("%q, %v", doc, err)
		}
	})
}

// A document uses as much of the arena as it has bytes, and is not moved to append the newline.
func TestWriteTakesWhatItWrites(t *testing.T) {
	testkit.NeedsReuse(t)
	pool := arena.NewAutoPool(0)
	text := strings.Repeat("x", 300_000)
	for range 10 {
		handled(pool, func(w http.ResponseWriter, r *http.Request) {
			arenahttp.Write(w, r, 200, &text)
			if used := arena.FromContext(r.Context()).Stats().UsedBytes; used > len(text)+1000 {
				t.Errorf("%d bytes for %d", used, len(text))
			}
		})
	}
}

// If encoding fails, the response stays unchanged.
func TestWriteFails(t *testing.T) {
	w := httptest.NewRecorder()
	err := arenahttp.Write(w, httptest.NewRequest("GET", "/", nil), 200, func() {})
	var unsupported *json.UnsupportedTypeError
	if !errors.As(err, &unsupported) || w.Body.Len() != 0 || len(w.Header()) != 0 {
		t.Errorf("%v, %q, %v", err, w.Body, w.Header())
	}
}

// A response that exceeds the limit panics. If Write returned an error, a handler that ignores it would send
// an empty response with status 200.
func TestWriteBeyondTheLimit(t *testing.T) {
	p := arena.NewArenaPool(4096, 0)
	p.SetLimit(64<<10, 0)
	h := arenahttp.Handler(p, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arenahttp.Write(w, r, 200, strings.Repeat("x", 1<<20))
	}))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != 413 || w.Body.String() != "Request Entity Too Large\n" {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	awaitIdle(t, p)
}

// A Content-Type set by the handler, even to nothing, is kept.
func TestWriteKeepsContentType(t *testing.T) {
	for _, set := range [][]string{{"application/problem+json"}, {"application/json; charset=utf-8"}, {""}, nil, {"unset"}} {
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if len(set) == 0 || set[0] != "unset" {
				w.Header()["Content-Type"] = set
			}
			if err := arenahttp.Write(w, r, 400, "x"); err != nil {
				t.Error(err)
			}
		})
		want := set
		if len(set) == 1 && set[0] == "unset" {
			want = []string{"application/json"}
		}
		for name, h := range map[string]http.Handler{"alone": h, "in Handler": arenahttp.Handler(arena.NewAutoPool(0), h)} {
			for major := 1; major <= 2; major++ {
				w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
				r.ProtoMajor = major
				h.ServeHTTP(w, r)
				if got := w.Header()["Content-Type"]; strings.Join(got, ",") != strings.Join(want, ",") || len(got) != len(want) {
					t.Errorf("%s, HTTP/%d, Content-Type %q: %q, want %q", name, major, set, got, want)
				}
				if got := w.Header().Get("Content-Length"); got != "4" || w.Code != 400 {
					t.Errorf("%s, HTTP/%d: Content-Length %q, status %d", name, major, got, w.Code)
				}
			}
		}
	}
}

// Read and Write pass every option to arenajson; Write adds its own.
func TestOptions(t *testing.T) {
	for _, pool := range []*arena.ArenaPool{nil, arena.NewAutoPool(0)} {
		handled(pool, func(w http.ResponseWriter, r *http.Request) {
			read := func(body string, v any, opts ...arenajson.Option) error {
				r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
				return arenahttp.Read(r, v, opts...)
			}
			if err := read(`{"customer":"Jo","more":1}`, new(order)); err != nil {
				t.Error(err)
			}
			if err := read(`{"customer":"Jo","more":1}`, new(order), arenajson.DisallowUnknownFields); arenahttp.Status(err) != 400 {
				t.Errorf("DisallowUnknownFields: error %v", err)
			}
			var v any
			if err := read(`1`, &v, arenajson.DisallowUnknownFields, arenajson.UseNumber); err != nil || v != json.Number("1") {
				t.Errorf("UseNumber: %T %v, error %v", v, v, err)
			}
			for text, opts := range map[string][]arenajson.Option{"\"\\u003c\"\n": nil, "\"<\"\n": {arenajson.NoEscapeHTML}} {
				w := httptest.NewRecorder()
				if err := arenahttp.Write(w, r, 200, "<", opts...); err != nil || w.Body.String() != text {
					t.Errorf("Write with %v: %q, error %v, want %q", opts, w.Body, err, text)
				}
			}
		})
	}
}
