package bench

import (
	"flag"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit/turns"
)

// isolationRounds is 0 in a usual run of the tests: the whole table takes minutes.
var isolationRounds = flag.Int("isolation", 0, "rounds of TestIsolationCPU, 0 for none; each takes about a minute")

// What a request makes: eight types, six of them with pointers.
type (
	isoUser struct {
		name, mail string
		age        int
	}
	isoOrder struct {
		id    int64
		user  *isoUser
		lines *isoLine
		note  string
	}
	isoLine struct {
		article string
		count   int
		price   *isoPrice
	}
	isoPrice struct {
		net, gross float64
		currency   int64
	}
	isoTag struct {
		key, value string
		next       *isoTag
	}
	isoPoint struct{ x, y, z int64 }
	isoNode  struct {
		left, right *isoNode
		order       *isoOrder
		weight      int
	}
	isoSpan struct {
		start, end int64
		hash       [4]uint64
	}
)

// isolationBody returns what a request for n objects reads: a line for each.
func isolationBody(n int) string {
	words := []string{"anna", "berta@example.org", "caesar", "12 screws of zinc", "dora"}
	var b strings.Builder
	for i := range n {
		b.WriteString(words[i%len(words)] + "," + strconv.Itoa(i*7919%100_003) + "," + strconv.Itoa(i) + "\n")
	}
	return b.String()
}

// isolationRequest reads a body, makes an object of each line, and answers each line and
// with a sum, as a handler does. It works on the heap where a is nil.
func isolationRequest(a *arena.Arena, body string, reply []byte) []byte {
	var (
		user  *isoUser
		order *isoOrder
		price *isoPrice
		line  *isoLine
		tag   *isoTag
		node  *isoNode
		point *isoPoint
		span  *isoSpan
	)
	for i := 0; body != ""; i++ {
		row, rest, _ := strings.Cut(body, "\n")
		body = rest
		word, row, _ := strings.Cut(row, ",")
		first, second, _ := strings.Cut(row, ",")
		x, _ := strconv.ParseInt(first, 10, 64)
		y, _ := strconv.ParseInt(second, 10, 64)
		reply = strconv.AppendInt(append(strconv.AppendQuote(append(reply, '['), word), ','), x*y, 10)
		switch i & 7 {
		case 0:
			user = arena.New[isoUser](a)
			user.name, user.age = a.AllocString(word), int(y)
		case 1:
			order = arena.New[isoOrder](a)
			order.id, order.user, order.note = x, user, a.AllocString(word)
		case 2:
			price = arena.New[isoPrice](a)
			price.net, price.gross, price.currency = float64(x), float64(x)*1.19, y
		case 3:
			line = arena.New[isoLine](a)
			line.article, line.count, line.price = a.AllocString(word), int(y), price
			order.lines = line
		case 4:
			t := arena.New[isoTag](a)
			t.key, t.value, t.next = user.name, a.AllocString(word), tag
			tag = t
		case 5:
			point = arena.New[isoPoint](a)
			point.x, point.y = x, y
		case 6:
			n := arena.New[isoNode](a)
			n.left, n.order, n.weight = node, order, int(x)
			node = n
		case 7:
			span = arena.New[isoSpan](a)
			span.start, span.end = point.x, point.y
		}
	}
	sum := 0
	for n := node; n != nil; n = n.left {
		sum += n.weight + n.order.lines.count + int(n.order.lines.price.net)
	}
	for t := tag; t != nil; t = t.next {
		sum += len(t.key) + len(t.value)
	}
	return strconv.AppendInt(reply, int64(sum), 10)
}

// isolationLive makes so many objects that live on, as those of a cache: four words, with
// two pointers.
type isoCached struct {
	next  *isoCached
	value *[2]int64
	id    [2]int64
}

func isolationLive(n int) (first *isoCached) {
	for i := 0; i < n; i += 2 {
		first = &isoCached{next: first, value: &[2]int64{int64(i)}}
	}
	return first
}

// TestIsolationCPU prints what isolated requests cost beside those of a pool that uses its
// memory again and of the heap: CPU time of the whole process, that of the collector
// included, in turns, with more and more live objects. It asserts what the machine's
// other work can't change, and prints the ratios.
func TestIsolationCPU(t *testing.T) {
	if *isolationRounds == 0 {
		t.Skip("without -isolation")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	for _, percent := range []int{100, 400} {
		debug.SetGCPercent(percent)
		for _, n := range []int{20, 200, 2000} {
			for _, live := range []int{0, 100_000, 1_000_000, 5_000_000} {
				isolationCell(t, percent, n, live)
			}
		}
	}
}

func isolationCell(t *testing.T, percent, n, live int) {
	keep := isolationLive(live)
	defer runtime.KeepAlive(keep)
	body := isolationBody(n)
	// Enough for several collections: a live object has about 40 bytes.
	requests := max(1_000_000, live*percent/100) / n
	serve := func(p *arena.ArenaPool) (cpu time.Duration, allocs float64) {
		var reply []byte
		run := func(n int) {
			for range n {
				a := p.Get()
				reply = isolationRequest(a, body, reply[:0])
				p.Put(a)
			}
		}
		run(requests / 10)
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := turns.ProcessorTime()
		run(requests)
		cpu = turns.ProcessorTime() - began
		runtime.ReadMemStats(&after)
		return cpu, float64(after.Mallocs-before.Mallocs) / float64(requests)
	}
	recycling, isolated := arena.NewArenaPool(64<<10, 8<<20), arena.NewArenaPool(64<<10, 8<<20)
	isolated.SetIsolation(true)
	var byPool, byHeap, allocs []float64
	for range *isolationRounds {
		r, _ := serve(recycling)
		i, n := serve(isolated)
		h, _ := serve(nil)
		byPool, byHeap, allocs = append(byPool, float64(i)/float64(r)), append(byHeap, float64(i)/float64(h)), append(allocs, n)
	}
	t.Logf("GOGC=%d %4d objects %7d live: %.2f of the recycling pool, %.2f of the heap, %.2f allocations", percent, n, live, turns.Of(byPool).Median, turns.Of(byHeap).Median, turns.Of(allocs).Median)
}
