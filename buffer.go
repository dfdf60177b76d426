package arena

import (
	"io"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/readall"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// A Buffer is a text that grows in an arena, or on the heap. It implements io.Writer, so fmt.Fprintf and json.NewEncoder can write to it. Writing
// never fails; beyond a limit it panics.
//
// While a Buffer is the newest of the arena's values without pointers and its chunk has room, it grows in place; strings may be allocated in between.
// Otherwise it moves to twice the capacity, and its former memory is free again only when the arena is reset.
//
// A Buffer must not be used after its arena's Reset, nor after a Rewind to a Mark that was taken before it last grew. It must not be copied. The
// zero Buffer is empty and on the heap.
type Buffer struct {
	_      noCopy
	arena  *Arena
	buf    []byte
	shared int // strings were made of buf[:shared]
}

// NewBuffer returns an empty Buffer in a, or on the heap if a is nil, with room for size bytes. With a size of 0 it allocates on the first write. It
// panics if size is negative.
func NewBuffer(a *Arena, size int) *Buffer {
	if a == nil && size >= 0 {
		return &Buffer{buf: make([]byte, 0, size)} // on the stack if it stays, since this is inlined
	}
	return newBuffer(a, size)
}

func newBuffer(a *Arena, size int) *Buffer {
	if size < 0 {
		panic("arena: NewBuffer: negative size " + itoa(size))
	}
	b := New[Buffer](a)
	b.arena = a
	if size != 0 {
		b.Grow(size)
	}
	return b
}

// copied makes b, a copy of a Buffer and its text by Escape, a buffer on the heap.
func (b *Buffer) copied() { b.arena = nil }

// Len returns the number of bytes in the buffer.
func (b *Buffer) Len() int { return len(b.buf) }

// Cap returns the capacity of the buffer in bytes.
func (b *Buffer) Cap() int { return cap(b.buf) }

// Available returns the number of bytes that can be written without growing.
func (b *Buffer) Available() int { return cap(b.buf) - len(b.buf) }

// Bytes returns the contents without copying them. The slice is valid until the next change of the buffer, its capacity is its length, and writing to
// it changes strings that String returned.
func (b *Buffer) Bytes() []byte { return b.buf[:len(b.buf):len(b.buf)] }

// String returns the contents without copying them. Later writes, Truncate and Reset never change the string. It must not be used after the arena's
// Reset.
func (b *Buffer) String() string {
	b.shared = len(b.buf)
	return xunsafe.ViewString(b.buf)
}

// Reset empties the buffer. It keeps its memory, unless String has shared it.
func (b *Buffer) Reset() { b.Truncate(0) }

// Truncate drops all but the first n bytes. If String has shared the dropped bytes, the next write moves the n bytes to other memory. Truncate panics
// if n is negative or greater than Len.
func (b *Buffer) Truncate(n int) {
	if uint(n) > uint(len(b.buf)) {
		panic("arena: Buffer.Truncate: " + itoa(n) + " bytes of " + itoa(len(b.buf)))
	}
	if n < b.shared {
		b.buf, b.shared = b.buf[:n:n], n
		return
	}
	b.buf = b.buf[:n]
}

// Grow ensures room for n more bytes. It panics if n is negative or more than can be allocated.
func (b *Buffer) Grow(n int) {
	if n < 0 {
		panicGrow(n)
	}
	if b.arena == nil {
		b.buf = slices.Grow(b.buf, n)
	} else if n > cap(b.buf)-len(b.buf) {
		b.grow(n)
	}
}

//go:noinline
func panicGrow(n int) { panic("arena: Buffer.Grow: " + itoa(n) + " bytes") }

// grow ensures room for n more bytes in an arena. On the heap, the append that follows grows the buffer.
//
//go:noinline
func (b *Buffer) grow(n int) {
	was := len(b.buf)
	if was+n < 0 || uintptr(was+n) > machine.MaxAlloc {
		panic("arena: Buffer.Grow: " + itoa(was) + " + " + itoa(n) + " bytes are more than can be allocated")
	}
	if b.arena == nil {
		return
	}
	t := machine.GrowBytes(&b.arena.region, b.buf, was+n)
	if xunsafe.DataOf(t) != xunsafe.DataOf(b.buf) {
		copy(t, b.buf)
		b.shared = 0
	}
	b.buf = t[:was]
}

// Write appends p to the buffer. The returned error is always nil.
func (b *Buffer) Write(p []byte) (n int, err error) {
	if n = len(p); n > cap(b.buf)-len(b.buf) {
		b.grow(n)
	}
	b.buf = append(b.buf, p...)
	return
}

// WriteString appends s to the buffer. The returned error is always nil.
func (b *Buffer) WriteString(s string) (n int, err error) {
	if n = len(s); n > cap(b.buf)-len(b.buf) {
		b.grow(n)
	}
	b.buf = append(b.buf, s...)
	return
}

// WriteByte appends c to the buffer. The returned error is always nil.
func (b *Buffer) WriteByte(c byte) error {
	if len(b.buf) == cap(b.buf) {
		b.grow(1)
	}
	b.buf = append(b.buf, c)
	return nil
}

// WriteRune appends r as UTF-8, and returns the number of bytes. The returned error is always nil.
func (b *Buffer) WriteRune(r rune) (n int, err error) {
	b.Grow(utf8.UTFMax)
	was := len(b.buf)
	b.buf = utf8.AppendRune(b.buf, r)
	return len(b.buf) - was, nil
}

// AppendInt appends i in the given base, like [strconv.AppendInt].
func (b *Buffer) AppendInt(i int64, base int) {
	b.Grow(intDigits(base))
	b.took(strconv.AppendInt(b.buf, i, base))
}

// AppendUint appends u in the given base, like [strconv.AppendUint].
func (b *Buffer) AppendUint(u uint64, base int) {
	b.Grow(intDigits(base))
	b.took(strconv.AppendUint(b.buf, u, base))
}

// intDigits returns an upper bound of the length of an integer in the given base.
func intDigits(base int) int {
	if base < 10 {
		return 65
	}
	return 20
}

// AppendFloat appends f, like [strconv.AppendFloat].
func (b *Buffer) AppendFloat(f float64, fmt byte, prec, bitSize int) {
	b.Grow(32 + max(prec, 0))
	b.took(strconv.AppendFloat(b.buf, f, fmt, prec, bitSize))
}

// AppendBool appends "true" or "false".
func (b *Buffer) AppendBool(v bool) { b.WriteString(strconv.FormatBool(v)) }

// AppendQuote appends s in double quotes, like [strconv.AppendQuote].
func (b *Buffer) AppendQuote(s string) {
	b.Grow(min(4*len(s), len(s)+len(s)/4+64) + 2)
	b.took(strconv.AppendQuote(b.buf, s))
}

// AppendTime appends t in the given layout, like [time.Time.AppendFormat].
func (b *Buffer) AppendTime(t time.Time, layout string) {
	b.Grow(len(layout) + 32)
	b.took(t.AppendFormat(b.buf, layout))
}

// took sets the contents to s, to which an append function has added bytes. If its guess of the capacity was too small, s is on the heap.
func (b *Buffer) took(s []byte) {
	if cap(s) == cap(b.buf) || b.arena == nil {
		b.buf = s
		return
	}
	b.Write(s[len(b.buf):])
}

// WriteTo writes the contents to w, and keeps them.
func (b *Buffer) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(b.Bytes())
	if err == nil && n < len(b.buf) {
		err = io.ErrShortWrite
	}
	return int64(n), err
}

// ReadFrom appends the bytes of r to the buffer until io.EOF. It returns the number of bytes, and an error
// of r other than io.EOF. It uses sizes that r states as [ReadAll] does.
func (b *Buffer) ReadFrom(r io.Reader) (int64, error) {
	was := len(b.buf)
	m := readall.Memory{Does: "Buffer.ReadFrom"}
	if b.arena != nil {
		m.Region = &b.arena.region
	}
	buf, err := m.Read(b.buf, r, true)
	if xunsafe.DataOf(buf) != xunsafe.DataOf(b.buf) {
		b.shared = 0
	}
	b.buf = buf
	return int64(len(buf) - was), err
}

// ReadAll reads r until io.EOF into a, or onto the heap if a is nil. Like [io.ReadAll], it returns the bytes
// that were read before an error of r, and that error. The result is not nil.
//
// If r states its size, by a method Len() int or as a regular file, by itself or below an
// [io.LimitedReader], ReadAll allocates that much, up to the larger of 16 KB and 16 times the bytes read so
// far. Otherwise it collects the bytes outside of a, in memory that the limit of a counts, and allocates
// once. If a limit is exceeded, ReadAll panics with a [*LimitError].
func ReadAll(a *Arena, r io.Reader) ([]byte, error) {
	if a == nil {
		return io.ReadAll(r)
	}
	return readall.Memory{Region: &a.region, Does: "ReadAll"}.Read(nil, r, true)
}
