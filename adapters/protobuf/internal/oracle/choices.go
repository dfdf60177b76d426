package oracle

import "math/rand/v2"

// Choices makes the choices of a generator: at random, or from the bytes of a fuzzer.
type Choices struct {
	r *rand.Rand
	b []byte
}

// Random returns unlimited random choices.
func Random(r *rand.Rand) *Choices { return &Choices{r: r} }

// Given returns the choices determined by b. When b is used up, all choices are 0, for which every generator
// here does the least.
func Given(b []byte) *Choices { return &Choices{b: b} }

// n returns a number from 0 to n-1.
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

// one reports whether n chooses 1.
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

// number returns a number of up to 64 bits, often at the limits of a type.
func (c *Choices) number() (n uint64) {
	switch c.n(8) {
	case 0, 1:
		return uint64(c.n(4))
	case 2, 3:
		return uint64(c.n(400))
	case 4:
		return uint64(1)<<c.n(64) - uint64(c.n(2))
	case 5:
		return -uint64(c.n(130)) // like negative numbers
	}
	for range 1 + c.n(8) {
		n = n<<8 | uint64(c.byte())
	}
	return n
}
