package body

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/ebbpool/arena"
)

const url1 = "http://example.com"

func text(a *arena.Arena, name string) {
	s := a.AllocString(name)
	http.NewRequest("POST", url1, strings.NewReader(s)) // want `^the body of a request is s, memory of arena a: net/http may read it after the client has returned: give the client an arenahttp.Transport, or copy the body \(https://github.com/ebbpool/arena/blob/main/docs/arenavet.md#body\)$`
}

func bytesOf(a *arena.Arena, c *http.Client) {
	b := a.AllocBytes(100)
	c.Post(url1, "text/plain", bytes.NewReader(b)) // want `the body of a request is b, memory of arena a`
}

func global(a *arena.Arena) {
	http.Post(url1, "text/plain", bytes.NewBuffer(a.AllocBytes(100))) // want `the body of a request is memory of arena a`
}

func request(ctx context.Context) {
	a := arena.FromContext(ctx)
	r, err := http.NewRequestWithContext(ctx, "PUT", url1, io.MultiReader(strings.NewReader("x"), strings.NewReader(a.AllocString("y")))) // want `the body of a request is memory of the context.s arena`
	if err == nil {
		http.DefaultClient.Do(r)
	}
}

func own(pool *arena.ArenaPool) {
	pool.Do(func(a *arena.Arena) {
		http.Post(url1, "", strings.NewReader(a.AllocString("x"))) // want `the body of a request is memory of arena a`
	})
}

func post(s string) { http.Post(url1, "", strings.NewReader(s)) }

func send(r io.Reader) { http.Post(url1, "", r) }

func helpers(a *arena.Arena) {
	s := a.AllocString("x")
	post(s)                    // want `^post makes a request whose body is s, memory of arena a: `
	send(strings.NewReader(s)) // want `^send makes a request whose body is s, memory of arena a: `
}

func fineCopies(a *arena.Arena) {
	s := a.AllocString("x")
	http.Post(url1, "", strings.NewReader(strings.Clone(s)))
	post(strings.Clone(s))
	http.Post(url1, s, nil)
	http.PostForm(url1, url.Values{"x": {s}})
	http.Get(url1 + s)
	httptest.NewRequest("POST", url1, strings.NewReader(s))
}

func fineHeap(a *arena.Arena, body []byte) {
	a.AllocBytes(1)
	http.Post(url1, "", bytes.NewReader(body))
}
