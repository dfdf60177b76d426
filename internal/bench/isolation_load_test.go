package bench

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// The types of a request: eight, six of them with pointers.
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

// isolationBody returns the body of a request for n objects: a line for each.
func isolationBody(n int) string {
	words := []string{"anna", "berta@example.org", "caesar", "12 screws of zinc", "dora"}
	var b strings.Builder
	for i := range n {
		b.WriteString(words[i%len(words)] + "," + strconv.Itoa(i*7919%100_003) + "," + strconv.Itoa(i) + "\n")
	}
	return b.String()
}

// isolationRequest reads a body, allocates an object for each line, and appends the response to reply, as a handler does. If
// a is nil, it uses the heap.
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

// tenants returns a function that returns one of 100 keys at random.
func tenants() func() string {
	var names [100]string
	for i := range names {
		names[i] = "tenant-" + strconv.Itoa(i)
	}
	r := rand.New(rand.NewPCG(1, 2))
	return func() string { return names[r.IntN(len(names))] }
}

// BenchmarkIsolation measures requests by their number of objects.
func BenchmarkIsolation(b *testing.B) {
	for _, n := range []int{20, 200, 2000} {
		body, reply := isolationBody(n), []byte(nil)
		testkit.Isolation(b, strconv.Itoa(n)+"_objects", n, func() testkit.Requests {
			in := func(p *arena.ArenaPool) func() {
				return func() {
					a := p.Get()
					reply = isolationRequest(a, body, reply[:0])
					p.Put(a)
				}
			}
			isolating := arena.NewArenaPool(64<<10, 8<<20)
			isolating.SetIsolation(true)
			keyed, tenant := arena.NewKeyedPool[string](8<<20), tenants()
			return testkit.Requests{Isolated: in(isolating), Plain: in(arena.NewArenaPool(64<<10, 8<<20)), Heap: in(nil), Keyed: func() {
				a := keyed.Get(tenant())
				reply = isolationRequest(a, body, reply[:0])
				keyed.Put(a)
			}}
		})
	}
}
