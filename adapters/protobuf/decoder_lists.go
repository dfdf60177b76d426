package arenapb

import (
	mathbits "math/bits"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// listOf returns the header of f's slice, which is at at or behind the pointer there.
func (d *decoder) listOf(f *field, at xunsafe.Pointer) *machine.Slice {
	if f.list == nil {
		return xunsafe.Cast[machine.Slice](at)
	}
	header := xunsafe.Cast[xunsafe.Pointer](at)
	if *header == nil {
		*header = machine.NewOfType(d.r, f.list)
	}
	return xunsafe.Cast[machine.Slice](*header)
}

// reserve makes room for n more elements in s. A nil slice gets exactly n, because that is usually all of
// them; others are doubled at least.
func (d *decoder) reserve(f *field, s *machine.Slice, n int) {
	switch need := s.Len + n; {
	case need <= s.Cap:
	case s.Cap == 0:
		made := machine.MakeSliceOfType(d.r, f.mem, 0, n)
		s.Data, s.Cap = made.Data, made.Cap
	default:
		length := s.Len
		*s = machine.GrowSliceOfType(d.r, f.mem, *s, need, 0)
		s.Len = length
	}
}

// run returns the number of consecutive length-delimited fields with f's tag. The first one is at i, after
// its tag.
func (d *decoder) run(f *field, i, end int) int {
	n := 1
	for {
		size := uint64(d.at(i))
		if i++; size >= 0x80 {
			if ^d.word(i-1)&0x8080808080808080 == 0 {
				return n // more than eight bytes, or malformed, which reading it will report
			}
			if size, i = d.longNumber(size, i); size > uint64(d.n) {
				return n
			}
		}
		if i += int(size); i >= end || d.word32(i)&f.mask != f.lead || f.tagLen > 4 {
			return n
		}
		i += int(f.tagLen)
		n++
	}
}

// messages reads a run of messages into f's list.
func (d *decoder) messages(f *field, at xunsafe.Pointer, i, end int) int {
	n := d.run(f, i, end)
	s := d.listOf(f, at)
	if s.Cap-s.Len < n {
		d.reserve(f, s, n)
	}
	sub := f.sub
	var m xunsafe.Pointer // the next of the messages that were allocated together, of which have are left
	for have := 0; ; {
		size := int(d.at(i))
		if i++; size >= 0x80 {
			size, i = d.longLength(size, i)
		}
		if size > end-i {
			fail(errDecode)
		}
		if have == 0 {
			m, have = machine.SomeOfType(d.r, sub.mem, n)
		}
		*xunsafe.Cast[xunsafe.Pointer](xunsafe.Add(s.Data, uintptr(s.Len)*pointerSize)) = m
		s.Len++
		i = d.message(sub, m, i, i+size, 0)
		if n--; n == 0 {
			return i
		}
		if have--; have > 0 {
			m = xunsafe.Add(m, sub.mem.Size)
		}
		i += int(f.tagLen)
	}
}

// pointerSize is the size of a pointer in bytes.
const pointerSize = 4 << (^uintptr(0) >> 63)

// list reads a run of strings or bytes, or of unpacked numbers.
func (d *decoder) list(f *field, at xunsafe.Pointer, i, end int) int {
	n := 1
	if f.scalar >= opText {
		n = d.run(f, i, end)
	} else {
		n = d.numbers(f, i, end)
	}
	s := d.listOf(f, at)
	d.reserve(f, s, n)
	for {
		i = d.scalar(f.scalar, xunsafe.Add(s.Data, uintptr(s.Len)*f.mem.Size), i, end, f.elems)
		s.Len++
		if n--; n == 0 {
			return i
		}
		i += int(f.tagLen)
	}
}

// numbers is run for numbers.
func (d *decoder) numbers(f *field, i, end int) int {
	for n := 1; ; n++ {
		switch f.scalar {
		case opFixed64:
			i += 8
		case opFixed32:
			i += 4
		default:
			w := ^d.word(i) & 0x8080808080808080
			if w == 0 {
				return n // count such a long number alone
			}
			i += lastByte(w)
		}
		if i >= end || d.word32(i)&f.mask != f.lead || f.tagLen > 4 {
			return n
		}
		i += int(f.tagLen)
	}
}

// lastByte returns the length of a number whose last byte has its top bit at the lowest bit of w.
func lastByte(w uint64) int { return (mathbits.TrailingZeros64(w) + 1) / 8 }

// packed reads packed numbers.
func (d *decoder) packed(f *field, at xunsafe.Pointer, i, end int) int {
	i, end = d.length(i, end)
	var n int
	switch f.scalar {
	case opFixed64:
		n = (end - i) / 8
	case opFixed32:
		n = (end - i) / 4
	default:
		n = d.count(i, end)
	}
	if n == 0 {
		if i != end {
			fail(errDecode)
		}
		return end
	}
	s := d.listOf(f, at)
	d.reserve(f, s, n)
	first := xunsafe.Add(s.Data, uintptr(s.Len)*f.mem.Size)
	switch f.scalar {
	case opFixed64:
		for k := range n {
			*xunsafe.Cast[uint64](xunsafe.Add(first, uintptr(k)*8)) = d.word(i + 8*k)
		}
		i += 8 * n
	case opFixed32:
		for k := range n {
			*xunsafe.Cast[uint32](xunsafe.Add(first, uintptr(k)*4)) = d.word32(i + 4*k)
		}
		i += 4 * n
	case opInt32:
		for k := range n {
			v := uint64(d.at(i))
			if i++; v >= 0x80 {
				v, i = d.longNumber(v, i)
			}
			*xunsafe.Cast[uint32](xunsafe.Add(first, uintptr(k)*4)) = uint32(v)
		}
	default:
		for k := range n {
			i = d.scalar(f.scalar, xunsafe.Add(first, uintptr(k)*f.mem.Size), i, end, false)
		}
	}
	s.Len += n
	if i != end {
		fail(errDecode)
	}
	return end
}

// count returns the number of varints from i to end, which is the number of bytes below 0x80.
func (d *decoder) count(i, end int) int {
	const tops = 0x8080808080808080
	n := end - i
	for ; end-i >= 8; i += 8 {
		n -= mathbits.OnesCount64(d.word(i) & tops)
	}
	if rest := end - i; rest > 0 {
		n -= mathbits.OnesCount64(d.word(i) << (64 - 8*uint(rest)) & tops)
	}
	return n
}
