// Command matching is the core of an exchange: orders to buy and to sell are matched by price, then by time.
// Resting orders live long and end in any order, so they are in a pool of fixed capacity, which reports when
// it is full. The trades of an order end when they are reported, so they are in an arena.
// cpp/example/matching_engine.cpp is the same program in C++ with the same output.
package main

import (
	"fmt"
	"io"
	"os"
	"sort"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

type order struct {
	id, price, quantity int
	next                *order
}

// level holds all orders of one price, the oldest first.
type level struct {
	price       int
	first, last *order
}

// side holds the levels of one side of the book, the best one last.
type side struct {
	levels []level
	sign   int // 1: the highest price is the best; -1: the lowest
}

type trade struct{ maker, taker, price, quantity int }

type book struct {
	orders     *fixedpool.Pool[order]
	bids, asks side
}

// match executes the part of an order that can be matched, rests the remainder, and returns the trades, in a.
// It returns false if there is no room for the remainder.
func (b *book) match(a *arena.Arena, buy bool, id, price, quantity int) (trades []trade, ok bool) {
	own, other := &b.asks, &b.bids
	if buy {
		own, other = other, own
	}
	for quantity > 0 && len(other.levels) > 0 {
		best := &other.levels[len(other.levels)-1]
		if other.sign*best.price < other.sign*price {
			break
		}
		o := best.first
		n := min(quantity, o.quantity)
		trades = arena.Append(a, trades, trade{o.id, id, o.price, n})
		quantity -= n
		if o.quantity -= n; o.quantity > 0 {
			break
		}
		if best.first = o.next; best.first == nil {
			other.levels = other.levels[:len(other.levels)-1]
		}
		b.orders.Deallocate(o)
	}
	if quantity == 0 {
		return trades, true
	}
	o := b.orders.Allocate()
	if o == nil {
		return trades, false
	}
	*o = order{id: id, price: price, quantity: quantity}
	own.rest(o)
	return trades, true
}

// rest adds o after all other orders of its price.
func (s *side) rest(o *order) {
	at := sort.Search(len(s.levels), func(i int) bool { return s.sign*s.levels[i].price >= s.sign*o.price })
	if at == len(s.levels) || s.levels[at].price != o.price {
		s.levels = append(s.levels, level{})
		copy(s.levels[at+1:], s.levels[at:])
		s.levels[at] = level{price: o.price, first: o, last: o}
		return
	}
	s.levels[at].last.next = o
	s.levels[at].last = o
}

// random is xorshift64 (Marsaglia, Xorshift RNGs, 2003), the same in both languages.
type random uint64

func (r *random) below(n int) int {
	*r ^= *r << 13
	*r ^= *r >> 7
	*r ^= *r << 17
	return int(uint64(*r) >> 33 % uint64(n))
}

func main() { run(os.Stdout) }

func run(w io.Writer) {
	b := &book{
		orders: fixedpool.New[order](200),
		bids:   side{sign: 1},
		asks:   side{sign: -1},
	}
	a := arena.NewArena(4<<10, 0)
	rng := random(88172645463325252)
	trades, volume, refused := 0, 0, 0
	for id := 1; id <= 20000; id++ {
		buy := rng.below(2) == 0
		price := 990 + rng.below(16)
		if buy {
			price += 5
		}
		a.Reset() // the previous order's trades were reported
		done, ok := b.match(a, buy, id, price, 1+rng.below(100))
		if !ok {
			refused++
		}
		for _, t := range done {
			trades++
			volume += t.quantity * t.price
		}
		if id%5000 == 0 {
			fmt.Fprintf(w, "%5d orders: %d trades, volume %d, %d rest at %d and %d prices, %d refused\n",
				id, trades, volume, b.orders.Used(), len(b.bids.levels), len(b.asks.levels), refused)
		}
	}
}
