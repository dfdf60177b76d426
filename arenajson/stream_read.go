package arenajson

import (
	"io"
	"strconv"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// UnmarshalRead reads all of r into a, and the document in it as Unmarshal does, without
// another copy. What is too long for the arena's limit is not read to its end.
func UnmarshalRead(a *arena.Arena, r io.Reader, v any, opts ...Option) error {
	d := decoder{a: a}
	d.set(opts)
	data, err := d.readAll(r)
	if err != nil {
		return err
	}
	return d.unmarshal(data, v)
}

// readAll reads all of r to where the document is then read.
func (d *decoder) readAll(r io.Reader) (data []byte, err error) {
	defer catchLimit(&err)
	b := d.growText(nil, sizeHint(r)+1+docSlack) // with a byte in which to see the end
	for {
		if cap(b)-len(b) <= docSlack {
			b = d.growText(b, nextCap(r, b))
		}
		n, err := readSome(r, b[len(b):cap(b)-docSlack])
		b = b[:len(b)+n]
		if err == io.EOF {
			d.here = d.trim(b)
			return d.here, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// sizeHint is how many bytes r says it has.
func sizeHint(r io.Reader) int {
	most := int64(1 << 30)
	for {
		l, ok := r.(*io.LimitedReader)
		if !ok {
			break
		}
		r, most = l.R, min(most, max(l.N, 0))
	}
	if r, ok := r.(interface{ Len() int }); ok {
		return int(min(most, int64(r.Len())))
	}
	return int(min(most, leastAhead-1-docSlack))
}

// nextCap is the capacity that b shall have, which is full, to read on: for what r says it
// has now, but a quarter more at least, and twice as much where it says nothing.
func nextCap(r io.Reader, b []byte) int {
	if r, ok := r.(interface{ Len() int }); ok {
		return max(leastAhead, cap(b)+cap(b)/4, len(b)+min(r.Len(), 1<<30)+1+docSlack)
	}
	return max(leastAhead, 2*cap(b))
}

// readSome reads something, or says why not.
func readSome(r io.Reader, b []byte) (int, error) {
	for range 100 {
		n, err := r.Read(b)
		if uint(n) > uint(len(b)) {
			panic("arenajson: a Reader says that it read " + strconv.Itoa(n) + " of " + strconv.Itoa(len(b)) + " bytes")
		}
		if n != 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// growText returns b with room for n bytes in all, in the arena if there is one.
func (d *decoder) growText(b []byte, n int) []byte {
	if d.a == nil {
		return append(make([]byte, 0, n), b...)
	}
	r := machine.Enter(d.a, "arenajson.Unmarshal")
	defer r.Leave()
	if b == nil {
		return machine.ReserveText(r, n, align)[:0]
	}
	bigger := machine.GrowBytes(r, b, n)[:len(b)]
	if xunsafe.DataOf(bigger) != xunsafe.DataOf(b) {
		copy(bigger, b)
	}
	return bigger
}

// trim gives back what growText gave beyond b and the zeros that belong behind it.
func (d *decoder) trim(b []byte) []byte {
	n := len(b)
	b = b[: n+docSlack : cap(b)]
	clear(b[n:])
	if d.a != nil {
		r := machine.Enter(d.a, "arenajson.Unmarshal")
		defer r.Leave()
		b = machine.TrimBytes(r, b)
	}
	return b[:n]
}

// catchLimit makes an error of the panic of an arena whose limit is reached.
func catchLimit(err *error) {
	switch x := recover().(type) {
	case nil:
	case *arena.LimitError:
		*err = x
	default:
		panic(x)
	}
}

// A Decoder's memory for reading ahead begins with leastAhead bytes and has mostAhead at
// most; what is longer is read into the arena at once.
const (
	leastAhead  = 512
	mostAhead   = 64 << 10
	longestLine = 16 << 10
)
