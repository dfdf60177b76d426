package advice

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbpool/arena"
)

// limitOrder is an order to buy or to sell, in text form "B 12 100" or "S 7 99".
type limitOrder struct {
	buy           bool
	amount, price int
}

type trade struct {
	buy, sell     *limitOrder
	amount, price int
}

// level holds the orders at one price, the oldest first.
type level struct {
	price  int
	orders []*limitOrder
}

// match matches the orders of a day, each with the best price of the other side.
func match(text string) []*trade {
	var buys, sells []*level
	var trades []*trade
	for line := range strings.Lines(text) {
		side, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		amount, price, _ := strings.Cut(rest, " ")
		o := &limitOrder{buy: side == "B"}
		o.amount, _ = strconv.Atoi(amount)
		o.price, _ = strconv.Atoi(price)
		other := &sells
		if !o.buy {
			other = &buys
		}
		for o.amount > 0 && len(*other) > 0 {
			l := (*other)[0]
			if o.buy && l.price > o.price || !o.buy && l.price < o.price {
				break
			}
			t := &trade{buy: o, sell: l.orders[0], price: l.price}
			if !o.buy {
				t.buy, t.sell = t.sell, t.buy
			}
			t.amount = min(o.amount, l.orders[0].amount)
			o.amount -= t.amount
			trades = append(trades, t)
			if l.orders[0].amount -= t.amount; l.orders[0].amount == 0 {
				if l.orders = l.orders[1:]; len(l.orders) == 0 {
					*other = (*other)[1:]
				}
			}
		}
		if o.amount == 0 {
			continue
		}
		if o.buy {
			buys = enterOrder(buys, o, func(l *level) int { return o.price - l.price })
		} else {
			sells = enterOrder(sells, o, func(l *level) int { return l.price - o.price })
		}
	}
	return trades
}

// enterOrder adds an order to its level of a side. The best price comes first.
func enterOrder(side []*level, o *limitOrder, than func(*level) int) []*level {
	i, found := slices.BinarySearchFunc(side, o, func(l *level, _ *limitOrder) int { return than(l) })
	if !found {
		side = append(side, nil)
		copy(side[i+1:], side[i:])
		side[i] = &level{price: o.price}
	}
	side[i].orders = append(side[i].orders, o)
	return side
}

func sumOfTrades(trades []*trade) uint64 {
	sum := uint64(len(trades))
	for _, t := range trades {
		sum = sum*31 ^ uint64(t.amount*t.price)
	}
	return sum
}

func newLedger() (inputs [][]byte, plain Serve, inArena func(*arena.Arena, []byte) uint64) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 20 {
		var b []byte
		for range 150 {
			b = append(b, "BS"[rng.IntN(2)], ' ')
			b = append(strconv.AppendInt(b, int64(1+rng.IntN(50)), 10), ' ')
			b = append(strconv.AppendInt(b, int64(90+rng.IntN(20)), 10), '\n')
		}
		inputs = append(inputs, b)
	}
	return inputs, func(b []byte) uint64 { return sumOfTrades(match(string(b))) }, ledgerIn
}
