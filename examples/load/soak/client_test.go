package soak

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ebbpool/arena/examples/orders/order"
	"github.com/ebbpool/arena/examples/orders/pair"
	"github.com/ebbpool/arena/examples/orders/traffic"
)

// marks are a client's records of requests to the service with arenas, written immediately because the client
// may be killed.
var marks = map[byte]string{
	'b': "begun", 'a': "answered", 'c': "compared", 'x': "cancelled", 'p': "made to panic", 'm': "malformed",
	'l': "refused by a limit", '0': "sent with a body of up to 30 MB", 'f': "given forks", 's': "abandoned", 'd': "sent slowly",
}

// sender is one goroutine of a client.
type sender struct {
	t            *testing.T
	arena, plain *pair.Service
	to           io.Writer // for marks
	rng          *rand.Rand
	own          string // prefix of its customers' names
}

// TestClient is the process of a client: "arena's URL, plain's, seed, goroutines, interval, phase".
func TestClient(t *testing.T) {
	var arenaURL, plainURL, phase string
	var seed, goroutines, interval int
	if n, _ := fmt.Sscan(os.Getenv("EBBPOOL_SOAK"), &arenaURL, &plainURL, &seed, &goroutines, &interval, &phase); n < 6 {
		t.Skip("TestSoak starts it")
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	service := func(url string) *pair.Service {
		return &pair.Service{URL: url, Client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}}}
	}
	a, b, to := service(arenaURL), service(plainURL), os.NewFile(3, "marks")
	var g sync.WaitGroup
	for k := range goroutines {
		g.Go(func() {
			s := &sender{t, a, b, to, rand.New(rand.NewPCG(uint64(seed), uint64(k))), fmt.Sprintf("client%d-%d-", seed, k)}
			source := traffic.New(uint64(seed)<<8+uint64(k), s.own, 3, 1000)
			// A changed byte can turn one customer into another, whose orders are compared. These customers'
			// orders are never read.
			broken := traffic.New(uint64(seed)<<8+uint64(k), "broken", 3, 1000)
			if phase == "burst" && k < 6 {
				s.large(10 << 20)
			} else if phase == "burst" && k == 6 {
				s.large(30 << 20) // more than the limit of a request
			}
			for n := 0; ctx.Err() == nil && !t.Failed(); n++ {
				next := time.Now().Add(time.Duration(interval))
				s.send(ctx, source, broken)
				select {
				case <-time.After(time.Until(next)):
				case <-ctx.Done():
				}
			}
		})
	}
	g.Wait()
}

func (s *sender) mark(mark byte) { s.to.Write([]byte{mark}) }

// ask sends a request to the service with arenas.
func (s *sender) ask(ctx context.Context, r traffic.Request, headers ...string) (pair.Answer, error) {
	s.mark('b')
	a, err := s.arena.Ask(ctx, r, headers...)
	if err == nil {
		s.mark('a')
	}
	return a, err
}

// send sends one request, to both services if their responses can be compared.
func (s *sender) send(ctx context.Context, source, broken *traffic.Source) {
	never := context.Background()
	switch n := s.rng.IntN(10_000); {
	case n == 0:
		s.large(10 << 20)
	case n < 20:
		s.large(int(math.Exp(s.rng.Float64() * math.Log(20<<20))))
	case n < 25:
		s.large(0)
	case n < 100:
		s.mark('s')
		s.ask(never, source.List(), "X-Stray", "1")
	case n < 200:
		s.mark('d')
		r := source.Create()
		s.mark('b')
		a, err := s.arena.AskReader(never, r.Method, r.Path, &slowly{r.Body})
		if err == nil {
			s.mark('a')
		}
		if err != nil || a.Status != 201 && !refused(a) {
			s.t.Errorf("a slow body: %v, %v", a, err)
		}
	case n < 400:
		s.mark('f')
		s.ask(never, source.List(), "X-Forks", fmt.Sprint(1+s.rng.IntN(4)))
	case n < 1000: // the client leaves
		s.mark('x')
		soon, cancel := context.WithTimeout(ctx, time.Duration(s.rng.Int64N(int64(3*time.Millisecond))))
		s.ask(soon, source.Read()) // an order could arrive while others are compared
		cancel()
	case n < 1400:
		s.mark('p')
		a, err := s.ask(never, source.List(), "X-Fault", "before")
		if err != nil || a.Status != 500 && !refused(a) || strings.Contains(a.Body, "client") {
			s.t.Errorf("a panic: %v, %v", a, err)
		}
	case n < 1700:
		s.mark('p')
		if a, err := s.ask(never, source.List(), "X-Fault", "after"); err == nil && !refused(a) {
			s.t.Errorf("half an answer looks like a whole one: %v", a)
		}
	case n < 2400:
		s.mark('m')
		r := broken.Create()
		r.Body = mangle(s.rng, r.Body)
		s.compare(r, func(pair.Answer) bool { return false })
	case n < 2700:
		r := traffic.Request{Method: "GET", Path: fmt.Sprintf("/orders?limit=%d&after=%d", order.MaxPage, s.rng.IntN(800))}
		s.compare(r, func(pair.Answer) bool { return false })
	case n < 4500:
		if posted := s.compare(source.Create(), s.foreign); posted.Status == 201 {
			if got := s.compare(traffic.Request{Method: "GET", Path: posted.Location}, s.foreign); got.Status == 200 && got.Body != posted.Body {
				s.t.Errorf("taken as %v\nshown as %v", posted, got)
			}
		}
	case n < 7500:
		s.compare(source.List(), s.foreign)
	default:
		r := source.Next()
		s.compare(r, func(a pair.Answer) bool { return r.Method != "GET" && s.foreign(a) })
	}
}

// foreign reports whether the response contains another client's data.
func (s *sender) foreign(a pair.Answer) bool {
	return strings.Count(a.Body, `"customer":"`) != strings.Count(a.Body, `"customer":"`+s.own)
}

// large sends an order with a note of the given size, or an empty body for 0, to the service with arenas; the
// other one has no limit.
func (s *sender) large(bytes int) {
	s.mark('0')
	body := ""
	if bytes > 0 {
		body = `{"customer":"large","currency":"EUR","note":"` + strings.Repeat("x", bytes) + `"}`
	}
	a, err := s.ask(context.Background(), traffic.Request{Method: "POST", Path: "/orders", Body: []byte(body)})
	if a.Status == 413 || refused(a) {
		s.mark('l')
	} else if err == nil && a.Status != 422 && (a.Status != 400 || bytes > 0) {
		s.t.Errorf("a note of %d bytes: %v", bytes, a)
	}
}

// slowly is a body that arrives in pieces.
type slowly struct{ rest []byte }

func (r *slowly) Read(b []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	time.Sleep(20 * time.Millisecond)
	n := copy(b, r.rest[:min(len(r.rest), 50)])
	r.rest = r.rest[n:]
	return n, nil
}

// refused reports whether other requests used the memory or the places, which can happen to any request here.
func refused(a pair.Answer) bool { return a.Status == 503 && a.RetryAfter != "" }

// mangle breaks JSON: it changes, deletes or doubles a byte.
func mangle(rng *rand.Rand, doc []byte) []byte {
	at := rng.IntN(len(doc))
	switch rng.IntN(3) {
	case 0:
		doc[at] = byte(rng.IntN(256))
		return doc
	case 1:
		return append(doc[:at], doc[at+1:]...)
	}
	return append(doc[:at+1], doc[at:]...)
}

// compare sends r to both services and returns the response of the one with arenas. It repeats refused
// requests.
func (s *sender) compare(r traffic.Request, foreign func(pair.Answer) bool) pair.Answer {
	var a pair.Answer
	for try := 0; ; try++ {
		var err error
		if a, err = s.ask(context.Background(), r); err != nil {
			s.t.Errorf("%s %s: %v", r.Method, r.Path, err)
			return a
		}
		if !refused(a) || try == 1000 {
			break
		}
		s.mark('l')
		if strings.Contains(a.Body, "database") {
			s.t.Errorf("%s %s: %v", r.Method, r.Path, a)
		}
		time.Sleep(10 * time.Millisecond)
	}
	b, err := s.plain.Ask(context.Background(), r)
	for try := 0; err == nil && refused(b) && try < 1000; try++ {
		time.Sleep(10 * time.Millisecond)
		b, err = s.plain.Ask(context.Background(), r)
	}
	s.mark('c')
	x, y := a, b
	if r.Method == "POST" {
		x, y = a.WithoutID(), b.WithoutID()
	}
	if err != nil || x != y {
		at := 0
		for at < min(len(x.Body), len(y.Body)) && x.Body[at] == y.Body[at] {
			at++
		}
		x.Body, y.Body = x.Body[max(0, at-100):], y.Body[max(0, at-100):]
		s.t.Errorf("%s %s %s\ndiffer at byte %d\narena: %v\nplain: %v, %v", r.Method, r.Path, r.Body, at, x, y, err)
	}
	if cmp.Or(a.Status, 500) >= 500 || foreign(a) {
		s.t.Errorf("%s %s: %v", r.Method, r.Path, a)
	}
	return a
}
