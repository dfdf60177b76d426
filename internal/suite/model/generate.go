package model

import (
	"fmt"
	"math/rand/v2"
)

// recorder runs calls on the model and records the answers.
type recorder struct {
	pool *Fixed
	ops  []Op
}

func newRecorder(capacity int) *recorder { return &recorder{pool: NewFixed(capacity)} }

func (r *recorder) note(k Kind, slot int) {
	r.ops = append(r.ops, Op{Kind: k, Slot: slot, Used: r.pool.Used()})
}

func (r *recorder) alloc() {
	slot := r.pool.Alloc()
	r.note(Alloc, slot)
}

// free frees a slot, which may be a misuse.
func (r *recorder) free(slot int) {
	k := r.pool.Free(slot)
	r.note(k, slot)
}

// misuse tries every misuse possible in this state, on the first, the last and a random slot of each sort.
func (r *recorder) misuse(random *rand.Rand) {
	r.note(Null, -1)
	r.note(Foreign, -1)
	r.note(Other, -1)
	r.note(End, -1)
	for _, out := range []bool{true, false} {
		slots := r.pool.Slots(out)
		if len(slots) == 0 {
			continue
		}
		for _, s := range []int{slots[0], slots[len(slots)-1], slots[random.IntN(len(slots))]} {
			r.note(Interior, s)
			r.note(Misaligned, s)
			if !out {
				r.free(s)
			}
		}
	}
}

func (r *recorder) trace() Trace { return Trace{Capacity: r.pool.Capacity(), Ops: r.ops} }

// capacities are the smallest ones, and those around multiples of a word's bits, which are boundaries of a
// bit set.
var capacities = []int{0, 1, 2, 63, 64, 65, 1000}

// Traces returns the contents of all trace files, by name. The result is always the same.
func Traces() map[string]string {
	files := map[string]string{}
	for _, c := range capacities {
		for name, write := range orders {
			r := newRecorder(c)
			write(r, rand.New(rand.NewPCG(uint64(c), uint64(len(name)))))
			files[fmt.Sprintf("%s-%d.trace", name, c)] = r.trace().Text()
		}
	}
	return files
}

// orders are the sequences run with every capacity.
var orders = map[string]func(*recorder, *rand.Rand){
	// Fill, allocate one too many, and drain in three orders, twice.
	"fill": func(r *recorder, random *rand.Rand) {
		c := r.pool.Capacity()
		for round := range 3 {
			for range c + 1 {
				r.alloc()
			}
			slots := r.pool.Slots(true)
			switch round {
			case 0: // last in, first out
				for i := range slots {
					r.free(slots[len(slots)-1-i])
				}
			case 1: // first in, first out
				for _, s := range slots {
					r.free(s)
				}
			default:
				random.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
				for _, s := range slots {
					r.free(s)
				}
			}
		}
	},
	// Random allocations and frees that drift between empty and full.
	"random": func(r *recorder, random *rand.Rand) {
		c := r.pool.Capacity()
		for i := range 2*c + 100 {
			out := r.pool.Slots(true)
			upwards := i/(c/2+5)%2 == 0
			if len(out) == 0 || upwards == (random.IntN(4) != 0) {
				r.alloc()
			} else {
				r.free(out[random.IntN(len(out))])
			}
		}
	},
	// One slot more and less around the boundaries, where an off-by-one error returns a slot twice or loses
	// one.
	"seams": func(r *recorder, random *rand.Rand) {
		c := r.pool.Capacity()
		for _, level := range []int{0, 1, c / 2, c - 1, c} {
			for r.pool.Used() < min(level, c) {
				r.alloc()
			}
			for range 3 {
				r.alloc()
				if out := r.pool.Slots(true); len(out) > 0 {
					r.free(out[0])
					r.alloc()
					r.free(out[len(out)-1])
					if len(out) > 1 {
						r.free(out[0])
						r.alloc()
					}
				}
			}
		}
	},
	// Every misuse in every state: unused, one slot in use, half full, full, half full again, drained.
	"misuse": func(r *recorder, random *rand.Rand) {
		c := r.pool.Capacity()
		r.misuse(random)
		for _, level := range []int{1, c / 2, c} {
			for r.pool.Used() < min(level, c) {
				r.alloc()
			}
			r.misuse(random)
		}
		for _, level := range []int{c / 2, 0} {
			for r.pool.Used() > level {
				out := r.pool.Slots(true)
				r.free(out[random.IntN(len(out))])
			}
			r.misuse(random)
		}
		for range c {
			r.alloc()
		}
	},
}

// FuzzTrace makes a trace from arbitrary bytes: the first is the capacity, each further byte a call.
func FuzzTrace(data []byte) Trace {
	if len(data) == 0 {
		return Trace{}
	}
	r := newRecorder(int(data[0]) % 70)
	c := r.pool.Capacity()
	for i, b := range data[1:] {
		slot := 0
		if c > 0 {
			slot = (int(b)>>3*7 + i) % c
		}
		switch b % 8 {
		case 0, 1, 2:
			r.alloc()
		case 3, 4, 5:
			if c > 0 {
				r.free(slot) // correct, double or never
			}
		case 6:
			r.note([]Kind{Null, Foreign, Other, End}[b>>3%4], -1)
		default:
			if c > 0 {
				r.note([]Kind{Interior, Misaligned}[b>>3%2], slot)
			}
		}
	}
	return r.trace()
}
