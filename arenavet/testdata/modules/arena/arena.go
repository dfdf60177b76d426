// Package arena is a stand-in for the real one that also has the methods of
// bytebufferpool's ByteBuffer: with it, programs that were written for that
// pool compile as users of an arena pool, so that arenavet can be run over
// large modules that nobody wrote for it.
package arena

import "io"

type Arena struct{ B []byte }

type ArenaPool struct{}

func (p *ArenaPool) Get() *Arena  { return new(Arena) }
func (p *ArenaPool) Put(a *Arena) {}

func MakeSlice[T any](a *Arena, len, cap int) []T { return make([]T, len, cap) }

func (a *Arena) AllocString(s string) string { return s }

func (a *Arena) Reset() { a.B = a.B[:0] }

// Bytes and String are memory of the arena: arenavet learns that from what
// they call.
func (a *Arena) Bytes() []byte { return MakeSlice[byte](a, len(a.B), len(a.B)) }

// A ByteBuffer's String copies, as this does.
func (a *Arena) String() string { return string(a.B) }

func (a *Arena) Len() int { return len(a.B) }

func (a *Arena) Write(p []byte) (int, error) {
	a.B = append(a.B, p...)
	return len(p), nil
}

func (a *Arena) WriteByte(c byte) error {
	a.B = append(a.B, c)
	return nil
}

func (a *Arena) WriteString(s string) (int, error) {
	a.B = append(a.B, s...)
	return len(s), nil
}

func (a *Arena) Set(p []byte)       { a.B = append(a.B[:0], p...) }
func (a *Arena) SetString(s string) { a.B = append(a.B[:0], s...) }

func (a *Arena) ReadFrom(r io.Reader) (int64, error) {
	p, err := io.ReadAll(r)
	a.B = append(a.B, p...)
	return int64(len(p)), err
}

func (a *Arena) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(a.B)
	return int64(n), err
}
