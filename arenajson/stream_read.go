package arenajson

import (
	"io"
	"strconv"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/readall"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// UnmarshalRead reads r to its end into a, and parses the document there like [Unmarshal], without another
// copy. A size that r states is used as [arena.ReadAll] does. If a limit of a is exceeded, UnmarshalRead
// stops reading and returns a [*arena.LimitError].
func UnmarshalRead(a *arena.Arena, r io.Reader, v any, opts ...Option) error {
	d := decoder{a: a}
	d.set(opts)
	data, err := d.readAll(r)
	if err != nil {
		return err
	}
	return d.unmarshal(data, v)
}

// readAll reads r to where the document is then parsed.
func (d *decoder) readAll(r io.Reader) (data []byte, err error) {
	defer catchLimit(&err)
	m := readall.Memory{Does: "arenajson.Unmarshal", Slack: docSlack}
	if d.a != nil {
		m.Region = machine.RegionOf(d.a)
	}
	d.here, err = m.Read(nil, r, false)
	return d.here, err
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
