package oracle

import "math/rand/v2"

// Choices decide for a generator: random numbers, or bytes that a fuzzer has.
type Choices struct {
	r *rand.Rand
	b []byte
}

// Random are choices without an end.
func Random(r *rand.Rand) *Choices { return &Choices{r: r} }

// Given are the choices that b makes. When b is used up, all choices are 0, which every
// generator here takes as the least that it can do.
func Given(b []byte) *Choices { return &Choices{b: b} }

// n chooses one of n numbers from 0 on.
func (c *Choices) n(n int) int {
	if c.r != nil {
		return c.r.IntN(n)
	}
	v := int(c.byte())
	if n > 256 {
		v |= int(c.byte()) << 8
	}
	return v % n
}

// one reports whether one of n comes up, but 0.
func (c *Choices) one(n int) bool { return c.n(n) == 1 }

func (c *Choices) byte() byte {
	if c.r != nil {
		return byte(c.r.Uint32())
	}
	if len(c.b) == 0 {
		return 0
	}
	b := c.b[0]
	c.b = c.b[1:]
	return b
}

// number is any number of up to 64 bits, the ends of what types can hold more often.
func (c *Choices) number() (n uint64) {
	switch c.n(8) {
	case 0, 1:
		return uint64(c.n(4))
	case 2, 3:
		return uint64(c.n(400))
	case 4:
		return uint64(1)<<c.n(64) - uint64(c.n(2))
	case 5:
		return -uint64(c.n(130)) // as negative numbers come
	}
	for range 1 + c.n(8) {
		n = n<<8 | uint64(c.byte())
	}
	return n
}
