package arenahttp_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

type order struct {
	Customer string   `json:"customer"`
	Items    []string `json:"items"`
}

// answer is a service in ten lines: the order back, with one item more.
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
	p.Limit(64<<10, 0)
	in := arenahttp.Handler(p, http.HandlerFunc(answer))
	for _, x := range []struct {
		body   io.Reader
		status int
		answer string
	}{
		{strings.NewReader(`{"customer":"Jo","items":["tea"]}`), 201, `{"customer":"Jo","items":["tea","a present for Jo"]}`},
		{iotest.OneByteReader(strings.NewReader(`{}`)), 201, `{"customer":"","items":["a present for "]}`},
		{strings.NewReader(``), 400, "EOF\n"},
		{strings.NewReader(`  `), 400, "unexpected end of JSON input\n"},
		{strings.NewReader(`{"customer":`), 400, "unexpected end of JSON input\n"},
		{strings.NewReader(`{} {}`), 400, "invalid character '{' after top-level value\n"},
		{strings.NewReader(`{"items":5}`), 400, "json: cannot unmarshal number into Go struct field order.items of type []string\n"},
		{strings.NewReader(`{"customer":"` + strings.Repeat("x", 1<<20) + `"}`), 413, "Request Entity Too Large\n"},
		{iotest.ErrReader(errors.New("gone")), 500, "gone\n"},
	} {
		w := httptest.NewRecorder()
		in.ServeHTTP(w, httptest.NewRequest("POST", "/", x.body))
		// The text of an error is that of this Go's encoding/json.
		if got := w.Body.String(); w.Code != x.status || got != x.answer && x.status == 201 {
			t.Errorf("%d %q, want %d %q", w.Code, got, x.status, x.answer)
		}
		if w.Code == 201 && (w.Header().Get("Content-Type") != "application/json" || w.Result().ContentLength != int64(len(x.answer))) {
			t.Errorf("header %v", w.Header())
		}
	}
	settled(t, p)

	// Without Handler both work on the heap.
	w := httptest.NewRecorder()
	answer(w, httptest.NewRequest("POST", "/", strings.NewReader(`{"customer":"Jo"}`)))
	if got := w.Body.String(); w.Code != 201 || got != `{"customer":"Jo","items":["a present for Jo"]}` {
		t.Errorf("%d %q", w.Code, got)
	}
}

func TestReadTooLarge(t *testing.T) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "/", nil)
	r.Body = http.MaxBytesReader(w, io.NopCloser(strings.NewReader(`{"customer":"a long name"}`)), 10)
	err := arenahttp.Read(r, new(order))
	if arenahttp.Status(err) != 413 {
		t.Error(err)
	}
}

// What can't be written must leave the answer to the handler.
func TestWriteFails(t *testing.T) {
	w := httptest.NewRecorder()
	err := arenahttp.Write(w, httptest.NewRequest("GET", "/", nil), 200, func() {})
	var unsupported *json.UnsupportedTypeError
	if !errors.As(err, &unsupported) || w.Body.Len() != 0 || len(w.Header()) != 0 {
		t.Errorf("%v, %q, %v", err, w.Body, w.Header())
	}
}

// An answer that the limit does not allow must not be an empty one with status 200,
// which it is for a handler that leaves errors of Write, if it is an error.
func TestWriteBeyondTheLimit(t *testing.T) {
	p := arena.NewArenaPool(4096, 0)
	p.Limit(64<<10, 0)
	h := arenahttp.Handler(p, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arenahttp.Write(w, r, 200, strings.Repeat("x", 1<<20))
	}))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != 413 || w.Body.String() != "Request Entity Too Large\n" {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	settled(t, p)
}
