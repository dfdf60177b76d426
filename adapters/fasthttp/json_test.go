package arenafasthttp_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/ebbpool/arena"
	arenafasthttp "github.com/ebbpool/arena/adapters/fasthttp"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/valyala/fasthttp"
)

func Example() {
	type Greeting struct {
		Name string `json:"name"`
		Text string `json:"text,omitempty"`
	}
	greet := func(ctx *fasthttp.RequestCtx) {
		var g Greeting
		if err := arenafasthttp.Read(ctx, &g); err != nil {
			ctx.Error(err.Error(), arenafasthttp.Status(err))
			return
		}
		g.Text = arenafasthttp.FromContext(ctx).Sprintf("Hello, %s!", g.Name)
		arenafasthttp.Write(ctx, fasthttp.StatusOK, &g)
	}

	pool := arena.NewAutoPool(0)
	pool.SetLimit(8<<20, 256<<20) // 8 MB per request, 256 MB for all requests
	handler := arenafasthttp.Handler(pool, greet)

	var ctx fasthttp.RequestCtx // normally made by the server
	ctx.Request.SetBodyString(`{"name":"Jo"}`)
	handler(&ctx)
	fmt.Println(ctx.Response.StatusCode(), string(ctx.Response.Body()))
	// Output: 200 {"name":"Jo","text":"Hello, Jo!"}
}

type order struct {
	Customer string   `json:"customer"`
	Items    []string `json:"items"`
}

// answer is a service in ten lines: it responds with the order and one more item.
func answer(ctx *fasthttp.RequestCtx) {
	var o order
	if err := arenafasthttp.Read(ctx, &o); err != nil {
		ctx.Error(err.Error(), arenafasthttp.Status(err))
		return
	}
	a := arenafasthttp.FromContext(ctx)
	o.Items = arena.Append(a, o.Items, a.Concat("a present for ", o.Customer))
	arenafasthttp.Write(ctx, fasthttp.StatusCreated, &o)
}

var bodies = []struct {
	body   string
	status int
	answer string
}{
	{`{"customer":"Jo","items":["tea"]}`, 201, `{"customer":"Jo","items":["tea","a present for Jo"]}` + "\n"},
	{``, 400, ""},
	{`  `, 400, ""},
	{`{"customer":`, 400, ""},
	{`{} {}`, 400, ""},
	{`{"items":5}`, 400, ""},
	{`{"customer":"` + strings.Repeat("x", 1<<20) + `"}`, 413, ""},
}

func TestReadAndWrite(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		p := arena.NewAutoPool(0)
		p.SetLimit(64<<10, 0)
		c := serve(t, &fasthttp.Server{Handler: arenafasthttp.Handler(p, answer), StreamRequestBody: streamed})
		for _, x := range bodies {
			r := ask(t, c, "/", x.body)
			if r.StatusCode() != x.status || x.status == 201 && (string(r.Body()) != x.answer || string(r.Header.ContentType()) != "application/json") {
				t.Errorf("%.40q, streamed %v: %d %q", x.body, streamed, r.StatusCode(), r.Body())
			}
		}
		awaitIdle(t, p)
		// Without Handler, Read and Write use the heap.
		heap := serve(t, &fasthttp.Server{Handler: answer, StreamRequestBody: streamed})
		if r := ask(t, heap, "/", bodies[0].body); r.StatusCode() != 201 || string(r.Body()) != bodies[0].answer {
			t.Errorf("on the heap: %d %q", r.StatusCode(), r.Body())
		}
	}
}

// Errors of the server or the connection while a body is read have their status.
func TestReadErrors(t *testing.T) {
	for _, x := range []struct {
		body io.Reader
		want int
	}{
		{strings.NewReader(""), 400},
		{iotest.OneByteReader(strings.NewReader(`{"customer":"Jo"}`)), 201},
		{iotest.ErrReader(errors.New("gone")), 400},
		{io.MultiReader(strings.NewReader(`{"cus`), iotest.ErrReader(io.ErrUnexpectedEOF)), 400},
		{io.MultiReader(strings.NewReader(`{"cus`), iotest.ErrReader(fasthttp.ErrBrokenChunk{})), 400},
		{io.MultiReader(strings.NewReader(`{"cus`), iotest.ErrReader(os.ErrDeadlineExceeded)), 408},
		{io.MultiReader(strings.NewReader(`{"cus`), iotest.ErrReader(fasthttp.ErrTimeout)), 408},
		{io.MultiReader(strings.NewReader(`{"cus`), iotest.ErrReader(fasthttp.ErrBodyTooLarge)), 413},
	} {
		ctx := new(fasthttp.RequestCtx)
		arenafasthttp.Handler(arena.NewAutoPool(0), func(ctx *fasthttp.RequestCtx) {
			ctx.Request.SetBodyStream(x.body, -1)
			var o order
			status := 201
			if err := arenafasthttp.Read(ctx, &o); err != nil {
				status = arenafasthttp.Status(err)
			}
			if status != x.want {
				t.Errorf("status %d, want %d", status, x.want)
			}
		})(ctx)
	}
}

// An error of a type's method is the client's, also if the server has read the body.
func TestReadRefusedByAMethod(t *testing.T) {
	ctx := new(fasthttp.RequestCtx)
	ctx.Request.SetBodyString(`"soon"`)
	if err := arenafasthttp.Read(ctx, new(time.Time)); arenafasthttp.Status(err) != 400 {
		t.Errorf("%d for %v", arenafasthttp.Status(err), err)
	}
	if got := arenafasthttp.Status(errors.New("of the database")); got != 500 {
		t.Errorf("%d for an error that is not from Read", got)
	}
}

// ends records the ends of the buffers passed to Read.
type ends struct {
	r          io.Reader
	read, last int
}

func (e *ends) Read(p []byte) (int, error) {
	e.last = e.read + len(p)
	n, err := e.r.Read(p)
	e.read += n
	return n, err
}

// A streamed body with a known length gets a buffer of that length, and no more.
func TestStreamedLength(t *testing.T) {
	const n = 100_000
	for _, length := range []int{n, -1} {
		ctx := new(fasthttp.RequestCtx)
		e := &ends{r: strings.NewReader(`"` + strings.Repeat("x", n-2) + `"`)}
		ctx.Request.SetBodyStream(e, length)
		if err := arenafasthttp.Read(ctx, new(string)); err != nil || (e.last == n+1) != (length == n) {
			t.Errorf("length %d: room for %d of %d: %v", length, e.last, n, err)
		}
	}
}

// If encoding fails, the response stays unchanged.
func TestWriteFails(t *testing.T) {
	ctx := new(fasthttp.RequestCtx)
	ctx.SetStatusCode(202)
	ctx.SetBodyString("before")
	err := arenafasthttp.Write(ctx, 200, func() {})
	var unsupported *json.UnsupportedTypeError
	if !errors.As(err, &unsupported) || string(ctx.Response.Body()) != "before" || ctx.Response.StatusCode() != 202 {
		t.Errorf("%v, %d %q", err, ctx.Response.StatusCode(), ctx.Response.Body())
	}
}

// A response is sent when its arena may already belong to another request.
func TestAnswersAreCopies(t *testing.T) {
	p := arena.NewArenaPool(1<<10, 0)
	var ctx fasthttp.RequestCtx
	ctx.Request.SetBodyString(bodies[0].body)
	arenafasthttp.Handler(p, answer)(&ctx)
	for range 3 {
		a := p.Get()
		for b := a.AllocBytes(800); len(b) > 0; b = b[1:] {
			b[0] = '#'
		}
		p.Put(a)
	}
	if got := string(ctx.Response.Body()); got != bodies[0].answer {
		t.Errorf("%q", got)
	}
}

// receipt keeps its encoded text in the arena.
type receipt struct {
	a    *arena.Arena
	text []byte
}

func (r *receipt) MarshalJSON() ([]byte, error) {
	r.text = arena.CloneSlice(r.a, []byte(`"the receipt of one request"`))
	return r.text, nil
}

// Memory that methods of a value allocate during encoding belongs to them until the request ends. It must not
// be given back with the document.
func TestWriteLeavesWhatMethodsAllocate(t *testing.T) {
	for _, p := range []*arena.ArenaPool{nil, arena.NewArenaPool(1<<10, 0)} {
		var ctx fasthttp.RequestCtx
		arenafasthttp.Handler(p, func(ctx *fasthttp.RequestCtx) {
			r := receipt{a: arenafasthttp.FromContext(ctx)}
			if err := arenafasthttp.Write(ctx, 200, &r); err != nil {
				t.Error(err)
			}
			for i := range 50 {
				if r.a.AllocString("somebody else's text, as long"); string(r.text) != `"the receipt of one request"` {
					t.Fatalf("%d: it became %q", i, r.text)
				}
			}
		})(&ctx)
		if got := string(ctx.Response.Body()); got != "\"the receipt of one request\"\n" {
			t.Errorf("%q", got)
		}
	}
}

// A document's memory is given back after it was copied into the response, or after an error.
func TestWriteGivesBack(t *testing.T) {
	testkit.NeedsReuse(t)
	var ctx fasthttp.RequestCtx
	arenafasthttp.Handler(arena.NewArenaPool(64<<10, 0), func(ctx *fasthttp.RequestCtx) {
		a := arenafasthttp.FromContext(ctx)
		o := order{Customer: strings.Repeat("x", 5000)}
		arenafasthttp.Write(ctx, 200, &o) // allocates the encoder and a first chunk, which stay
		for _, v := range []any{&o, &[]any{o, func() {}}} {
			before := a.Stats().UsedBytes
			arenafasthttp.Write(ctx, 200, v)
			if after := a.Stats().UsedBytes; after != before {
				t.Errorf("%T: it keeps %d bytes", v, after-before)
			}
		}
	})(&ctx)
}

// A Content-Type set by the handler is kept, options are passed to arenajson, and Read returns an exceeded
// limit as an error.
func TestReadAndWriteDetails(t *testing.T) {
	for _, typ := range []string{"", "application/problem+json"} {
		var ctx fasthttp.RequestCtx
		if typ != "" {
			ctx.SetContentType(typ)
		}
		if err := arenafasthttp.Write(&ctx, 400, "<", arenajson.NoEscapeHTML); err != nil || string(ctx.Response.Body()) != "\"<\"\n" {
			t.Errorf("Write: %q, error %v", ctx.Response.Body(), err)
		}
		if got := string(ctx.Response.Header.ContentType()); got != cmp.Or(typ, "application/json") {
			t.Errorf("Content-Type %q: %q", typ, got)
		}
	}
	p := arena.NewAutoPool(0)
	p.SetLimit(64<<10, 0)
	for body, want := range map[string]int{`{"customer":"Jo"}`: 200, `{"more":1}`: 400, `{"customer":"` + strings.Repeat("x", 100_000) + `"}`: 413} {
		for _, streamed := range []bool{false, true} {
			arenafasthttp.Handler(p, func(ctx *fasthttp.RequestCtx) {
				defer func() {
					if status, ok := arenafasthttp.Recovered(recover()); ok {
						t.Errorf("%.20s, streamed %t: Read panicked, status %d", body, streamed, status)
					}
				}()
				status := 200
				if err := arenafasthttp.Read(ctx, new(order), arenajson.DisallowUnknownFields); err != nil {
					status = arenafasthttp.Status(err)
				}
				if status != want {
					t.Errorf("%.20s, streamed %t: status %d, want %d", body, streamed, status, want)
				}
			})(withBody(body, streamed))
		}
	}
	arenafasthttp.Handler(p, func(ctx *fasthttp.RequestCtx) {
		defer func() {
			if status, ok := arenafasthttp.Recovered(recover()); status != 413 || !ok {
				t.Errorf("Recovered = %d, %t, want 413, true", status, ok)
			}
		}()
		arenafasthttp.FromContext(ctx).AllocBytes(1 << 20)
	})(withBody("", false))
}

func withBody(body string, streamed bool) *fasthttp.RequestCtx {
	ctx := new(fasthttp.RequestCtx)
	if streamed {
		ctx.Request.SetBodyStream(strings.NewReader(body), -1)
	} else {
		ctx.Request.SetBodyString(body)
	}
	return ctx
}
