package main

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ebbpool/arena/examples/orders/pair"
	"github.com/ebbpool/arena/examples/orders/traffic"
)

const good = `{"customer":"Ann","currency":"EUR","lines":[{"sku":"a","name":"A","quantity":2,"price":5}]}`

// badInput lists invalid requests and the responses of both services.
var badInput = []struct {
	name   string
	method string
	path   string
	body   string
	status int
	holds  string // contained in the body
}{
	{"an order", "POST", "/orders", good, 201, `"customer":"ann"`},
	{"no body", "POST", "/orders", "", 400, "empty"},
	{"a space", "POST", "/orders", " ", 400, "no JSON"},
	{"cut off", "POST", "/orders", good[:len(good)-2], 400, "no JSON"},
	{"cut in a string", "POST", "/orders", good[:14], 400, "no JSON"},
	{"something behind", "POST", "/orders", good + "x", 400, "no JSON"},
	{"two documents", "POST", "/orders", good + good, 400, "no JSON"},
	{"a comma too many", "POST", "/orders", `{"customer":"a",}`, 400, "no JSON"},
	{"single quotes", "POST", "/orders", `{'customer':'a'}`, 400, "no JSON"},
	{"a control character", "POST", "/orders", "{\"customer\":\"a\x01\"}", 400, "no JSON"},
	{"XML", "POST", "/orders", "<order/>", 400, "no JSON"},
	{"nested too deeply", "POST", "/orders", strings.Repeat("[", 100_000), 400, "no JSON"},
	{"a number for a string", "POST", "/orders", `{"customer":1}`, 400, `\"customer\" can't be a JSON number`},
	{"a string for a number", "POST", "/orders", `{"lines":[{"quantity":"2"}]}`, 400, `can't be a JSON string`},
	{"a fraction", "POST", "/orders", `{"lines":[{"quantity":1.5}]}`, 400, `can't be a JSON number 1.5`},
	{"more than an int64", "POST", "/orders", `{"lines":[{"price":9223372036854775808}]}`, 400, `can't be a JSON number`},
	{"an object for a list", "POST", "/orders", `{"lines":{}}`, 400, `can't be a JSON object`},
	{"a list for the order", "POST", "/orders", `[1]`, 400, `can't be a JSON array`},
	{"null", "POST", "/orders", `null`, 422, "customer"},
	{"nothing in it", "POST", "/orders", `{}`, 422, "lines"},
	{"nulls", "POST", "/orders", `{"customer":null,"currency":null,"lines":[null]}`, 422, "lines[0].sku"},
	{"not UTF-8", "POST", "/orders", "{\"customer\":\"\xff\",\"currency\":\"EUR\"}", 422, "lines"},
	{"a currency of its own", "POST", "/orders", strings.Replace(good, "EUR", "XYZ", 1), 422, "EUR, USD or GBP"},
	{"a name too long", "POST", "/orders", strings.Replace(good, "Ann", strings.Repeat("n", 201), 1), 422, "has 201"},
	{"a note too long", "POST", "/orders", strings.Replace(good, "{", `{"note":"`+strings.Repeat("n", 201)+`",`, 1), 422, "has 201"},
	{"nothing of it", "POST", "/orders", strings.Replace(good, `"quantity":2`, `"quantity":0`, 1), 422, "is 0"},
	{"less than nothing", "POST", "/orders", strings.Replace(good, `"price":5`, `"price":-5`, 1), 422, "is -5"},
	{"a discount above all", "POST", "/orders", strings.Replace(good, `"price":5`, `"price":5,"discount":{"percent":101}`, 1), 422, "is 101"},
	{"one article twice", "POST", "/orders", `{"customer":"a","currency":"EUR","lines":[{"sku":"s","quantity":1},{"sku":"s","quantity":1}]}`, 422, "is also in lines[0]"},
	{"201 lines", "POST", "/orders", `{"customer":"a","currency":"EUR","lines":[` + strings.Repeat("{},", 200) + "{}]}", 422, "are 201"},
	{"everything is wrong", "POST", "/orders", `{"customer":"a","currency":"E","lines":[` + strings.Repeat(`{"quantity":-1,"price":-1},`, 199) + "{}]}", 422, "lines[199].sku"},
	{"a member twice", "POST", "/orders", strings.Replace(good, "{", `{"customer":"First",`, 1), 201, `"customer":"ann"`},
	{"members it doesn't know", "POST", "/orders", strings.Replace(good, "{", `{"id":9,"status":"paid","x":[{}],`, 1), 201, `"status":"open"`},
	{"HTML and quotes", "POST", "/orders", strings.Replace(good, "Ann", `<\"ÄNN\">\u0000`, 1), 201, `\u003c\"änn\"\u003e\u0000`},
	{"SQL", "POST", "/orders", strings.Replace(good, "Ann", `'; DROP TABLE orders; --`, 1), 201, `drop table`},
	{"one byte too many", "POST", "/orders", good + strings.Repeat(" ", 1<<20+1-len(good)), 413, "1048576"},
	{"as much as may be", "POST", "/orders", good + strings.Repeat(" ", 1<<20-len(good)), 201, "ann"},

	{"no such order", "GET", "/orders/999999", "", 404, "no such order"},
	{"no id", "GET", "/orders/abc", "", 400, "number"},
	{"an id below 1", "GET", "/orders/0", "", 400, "number"},
	{"an id beyond all", "GET", "/orders/9223372036854775808", "", 400, "number"},
	{"a receipt of nothing", "GET", "/orders/999999/receipt", "", 404, "no such order"},
	{"a limit of words", "GET", "/orders?limit=ten", "", 400, "limit must be 0 to 100"},
	{"a limit too high", "GET", "/orders?limit=101", "", 400, "limit must be 0 to 100"},
	{"none, please", "GET", "/orders?limit=0", "", 200, `"orders":[]`},
	{"before the first", "GET", "/orders?after=-1", "", 400, "after"},
	{"a total of words", "GET", "/orders?min_total=1e3", "", 400, "min_total"},
	{"nobody's", "GET", "/orders?customer=nobody", "", 200, `"orders":[]`},
	{"SQL in a filter", "GET", "/orders?customer=%27%20OR%201=1", "", 200, `"orders":[]`},
	{"a broken query", "GET", "/orders?customer=%zz", "", 200, `"count":20`},
	{"a list", "GET", "/orders?limit=5", "", 200, `"next":"/orders?customer=`},
	{"a receipt", "GET", "/orders/1/receipt", "", 200, "Total: "},
	{"another method", "DELETE", "/orders/1", "", 405, ""},
	{"another path", "GET", "/invoices", "", 404, ""},
}

// Both services give the response of the table, and the same one to the byte.
func TestBadInput(t *testing.T) {
	p := pair.Run(t, pair.Config{})
	if err := traffic.New(1, "c", 5, 1).Fill(t.Context(), p.Store, 50); err != nil {
		t.Fatal(err)
	}
	for _, c := range badInput {
		t.Run(c.name, func(t *testing.T) {
			r := traffic.Request{Method: c.method, Path: c.path, Body: []byte(c.body)}
			same(t, p, r, c.status, c.holds)
		})
	}
	p.AwaitIdle(t)
}

// same sends r to both services and compares.
func same(t *testing.T, p *pair.Pair, r traffic.Request, status int, holds string) {
	t.Helper()
	a, err := p.Arena.Ask(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Plain.Ask(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if r.Method == http.MethodPost {
		a, b = a.WithoutID(), b.WithoutID()
	}
	if a != b {
		t.Errorf("arena: %v\nplain: %v", a, b)
	}
	if a.Status != status || !strings.Contains(a.Body, holds) {
		t.Errorf("%v; want %d with %q", a, status, holds)
	}
}

// 64 MB are refused without being read.
func TestHugeBodies(t *testing.T) {
	p := pair.Run(t, pair.Config{})
	for name, s := range map[string]*pair.Service{"arena": p.Arena, "plain": p.Plain} {
		for kind, body := range map[string]func() io.Reader{
			"with a length": func() io.Reader { return bytes.NewReader(make([]byte, 64<<20)) },
			"chunked":       func() io.Reader { return io.LimitReader(zeros{}, 64<<20) },
		} {
			answer, err := s.AskReader(t.Context(), "POST", "/orders", body())
			if err != nil {
				// The service may close the connection while the rest is being sent.
				t.Logf("%s, %s: %v", name, kind, err)
			} else if answer.Status != 413 || !strings.Contains(answer.Body, "1048576") {
				t.Errorf("%s, %s: %v", name, kind, answer)
			}
		}
		if answer, err := s.Ask(t.Context(), traffic.Request{Method: "POST", Path: "/orders", Body: []byte(good)}); err != nil || answer.Status != 201 {
			t.Errorf("%s, afterwards: %v, %v", name, answer, err)
		}
	}
	p.AwaitIdle(t)
	if most := p.Pool.Stats().LargestArena; most > 8<<20 {
		t.Errorf("one arena had %d bytes", most)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '0'
	}
	return len(b), nil
}
