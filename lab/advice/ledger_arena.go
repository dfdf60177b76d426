package advice

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ebbpool/arena"
)

func ledgerIn(a *arena.Arena, b []byte) uint64 {
	return sumOfTrades(matchIn(a, a.AllocBytesToString(b)))
}

func matchIn(a *arena.Arena, text string) []*trade {
	var buys, sells []*level
	var trades []*trade
	for line := range strings.Lines(text) {
		side, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		amount, price, _ := strings.Cut(rest, " ")
		o := arena.NewOf(a, limitOrder{buy: side == "B"})
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
			t := arena.NewOf(a, trade{buy: o, sell: l.orders[0], price: l.price})
			if !o.buy {
				t.buy, t.sell = t.sell, t.buy
			}
			t.amount = min(o.amount, l.orders[0].amount)
			o.amount -= t.amount
			trades = arena.Append(a, trades, t)
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
			buys = enterOrderIn(a, buys, o, func(l *level) int { return o.price - l.price })
		} else {
			sells = enterOrderIn(a, sells, o, func(l *level) int { return l.price - o.price })
		}
	}
	return trades
}

func enterOrderIn(a *arena.Arena, side []*level, o *limitOrder, than func(*level) int) []*level {
	i, found := slices.BinarySearchFunc(side, o, func(l *level, _ *limitOrder) int { return than(l) })
	if !found {
		side = arena.Append(a, side, nil)
		copy(side[i+1:], side[i:])
		side[i] = arena.NewOf(a, level{price: o.price})
	}
	side[i].orders = arena.Append(a, side[i].orders, o)
	return side
}
