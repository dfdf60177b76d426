package advice

import (
	"fmt"
	"strings"

	"github.com/ebbpool/arena"
)

// record is a line: a name, and values by key.
type record struct {
	name   string
	fields []*field
}

type field struct{ key, value string }

// keptRecords is the capacity of the cache.
const keptRecords = 20_000

// cache holds the newest records.
type cache struct {
	ring []*record
	next int
}

func (c *cache) keep(r *record) uint64 {
	c.next = (c.next + 1) % len(c.ring)
	old := c.ring[c.next]
	c.ring[c.next] = r
	sum := sumOf(r.name) ^ uint64(len(r.fields))
	for _, f := range r.fields {
		sum = sum*31 ^ sumOf(f.value)
	}
	if old != nil {
		sum ^= uint64(len(old.fields))
	}
	return sum
}

func parseRecord(line string) *record {
	name, rest, _ := strings.Cut(line, ":")
	r := &record{name: strings.Clone(name)}
	for len(rest) > 0 {
		var pair string
		pair, rest, _ = strings.Cut(rest, ",")
		key, value, _ := strings.Cut(pair, "=")
		r.fields = append(r.fields, &field{strings.Clone(key), strings.Clone(value)})
	}
	return r
}

func newCache() (inputs [][]byte, plain Serve, inArena func(*arena.Arena, []byte) uint64) {
	for i := range 50 {
		var b strings.Builder
		fmt.Fprintf(&b, "record-%d:", i)
		for k := range 12 {
			fmt.Fprintf(&b, "key%d=value-%d,", k, i*k)
		}
		inputs = append(inputs, []byte(b.String()))
	}
	one, two := &cache{ring: make([]*record, keptRecords)}, &cache{ring: make([]*record, keptRecords)}
	return inputs, func(b []byte) uint64 { return one.keep(parseRecord(string(b))) },
		func(a *arena.Arena, b []byte) uint64 {
			return two.keep(parseRecord(a.AllocBytesToString(b))) // keep copies
		}
}
