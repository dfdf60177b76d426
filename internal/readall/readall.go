// Package readall reads an io.Reader to its end into memory of an arena or of the heap.
//
// The result is one slice, and an arena can't free the former memory of a slice that has grown. So bytes are
// collected in pieces outside of the arena until the reader ends, or states a size that is credible. Then the
// memory for the result is allocated. Until then the bytes are reserved in the arena's limits.
package readall

import (
	"io"
	"io/fs"
	"math"
	"strconv"
	"sync"

	"github.com/ebbpool/arena/internal/machine"
)

const (
	// A stated size is credible up to trusted bytes, or factor times the bytes received, because a client can
	// claim any size. A connection uses about as much memory by itself.
	trusted = 16 << 10
	factor  = 16

	// patience is the number of Reads without a byte or an error before io.ErrNoProgress.
	patience = 100
)

// Memory describes the memory for the result of Read.
type Memory struct {
	Region *machine.Region // nil: the heap
	Does   string          // the calling function, for panics
	Slack  int             // zero bytes after the result, within its capacity
}

// Read appends the bytes of from to b, using the capacity of b beyond Slack, until io.EOF. If from fails,
// Read returns its error and, if partial is set, the bytes until then. If a limit of the region is
// exceeded, Read panics as an allocation does. If b is nil, the result begins at a multiple of 8 and has no
// capacity beyond Slack.
func (m Memory) Read(b []byte, from io.Reader, partial bool) (_ []byte, err error) {
	c := collector{m: m, b: b}
	defer c.free()
	size := Size(from)
	for err == nil {
		switch {
		case cap(c.b)-len(c.b) > m.Slack:
			var n int
			n, err = Some(from, c.b[len(c.b):cap(c.b)-m.Slack])
			c.b = c.b[:len(c.b)+n]
			size -= min(size, int64(n))
		case c.credible(size):
			c.flush(int(size) + 1) // one more byte, to see the end
		default:
			var n int
			n, err = c.collect(from)
			size -= min(size, int64(n))
		}
	}
	if err == io.EOF {
		err = nil
	}
	if err != nil && !partial {
		return nil, err
	}
	c.flush(0)
	n := len(c.b)
	clear(c.b[n : n+m.Slack])
	if b == nil {
		c.b = m.trim(c.b[:n+m.Slack])[:n]
	}
	return c.b, err
}

// Size returns the size that r states, or 0 if it states none.
func Size(r io.Reader) int64 {
	limit := int64(-1)
	for {
		l, ok := r.(*io.LimitedReader)
		if !ok {
			break
		}
		if limit < 0 || l.N < limit {
			limit = max(l.N, 0)
		}
		r = l.R
	}
	size := int64(0)
	switch r := r.(type) {
	case interface{ Len() int }:
		size = int64(r.Len())
	case fs.File:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
			if s, ok := r.(io.Seeker); ok {
				if at, err := s.Seek(0, io.SeekCurrent); err == nil {
					size -= at
				}
			}
		}
	}
	if limit >= 0 {
		size = min(size, limit)
	}
	return max(size, 0)
}

// Some reads at least one byte, or returns an error.
func Some(r io.Reader, b []byte) (int, error) {
	for range patience {
		n, err := r.Read(b)
		if uint(n) > uint(len(b)) {
			panic("arena: Reader returned " + strconv.Itoa(n) + " for " + strconv.Itoa(len(b)) + " bytes")
		}
		if n != 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// piece is a buffer from the pool, in the list of one collector.
type piece struct {
	next *piece
	n    int
	data [16<<10 - 16]byte
}

var pieces = sync.Pool{New: func() any { return new(piece) }}

// collector is the state of a Read. The bytes read are b followed by the pieces.
type collector struct {
	m           Memory
	b           []byte
	first, last *piece
	n           int // bytes in pieces, which are reserved
}

// credible reports whether to allocate memory for size more bytes. The size may overflow an int, because files
// state an int64.
func (c *collector) credible(size int64) bool {
	return size > 0 && size <= max(trusted, factor*int64(c.n)) && size < int64(math.MaxInt-c.m.Slack-len(c.b)-c.n)
}

// collect reads into the last piece.
func (c *collector) collect(from io.Reader) (int, error) {
	if c.last == nil || c.last.n == len(c.last.data) {
		p := pieces.Get().(*piece)
		p.next, p.n = nil, 0
		if c.last == nil {
			c.first = p
		} else {
			c.last.next = p
		}
		c.last = p
	}
	p := c.last
	n, err := Some(from, p.data[p.n:])
	c.m.reserve(n)
	p.n, c.n = p.n+n, c.n+n
	return n, err
}

// flush moves the pieces to b, and reserves capacity for more bytes.
func (c *collector) flush(more int) {
	first, n := c.first, c.n
	c.m.cancel(n)
	c.n = 0
	c.b = c.m.grow(c.b, len(c.b)+n+more)
	for p := first; p != nil; p = p.next {
		c.b = append(c.b, p.data[:p.n]...)
	}
	c.free()
}

// free returns the pieces to the pool.
func (c *collector) free() {
	c.m.cancel(c.n)
	for p := c.first; p != nil; {
		next := p.next
		pieces.Put(p)
		p = next
	}
	c.first, c.last, c.n = nil, nil, 0
}

func (m Memory) reserve(n int) {
	if m.Region != nil && n != 0 {
		m.Region.Enter(m.Does)
		defer m.Region.Leave()
		m.Region.Reserve(uintptr(n))
	}
}

func (m Memory) cancel(n int) {
	if m.Region != nil && n != 0 {
		m.Region.Cancel(uintptr(n))
	}
}

// grow returns b with a capacity of at least n bytes and Slack.
func (m Memory) grow(b []byte, n int) []byte {
	n += m.Slack
	if n <= cap(b) && b != nil {
		return b
	}
	if m.Region == nil {
		return append(make([]byte, 0, n), b...)
	}
	m.Region.Enter(m.Does)
	m.Region.Prepare()
	defer m.Region.Leave()
	if b == nil && n == 0 {
		return []byte{}
	}
	if b == nil {
		return machine.ReserveText(m.Region, n, 8)[:0]
	}
	bigger := machine.GrowBytes(m.Region, b, n)[:len(b)]
	if len(b) > 0 && &bigger[0] != &b[0] {
		copy(bigger, b)
	}
	return bigger
}

// trim frees the capacity of b beyond its length.
func (m Memory) trim(b []byte) []byte {
	if m.Region == nil {
		return b[:len(b):len(b)]
	}
	m.Region.Enter(m.Does)
	defer m.Region.Leave()
	return machine.TrimBytes(m.Region, b)
}
