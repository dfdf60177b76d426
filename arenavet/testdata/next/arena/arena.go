// Package arena has the signatures that the rules about forks, copies to the heap
// and codecs look for.
package arena

import "reflect"

type Arena struct{ used int }

type ArenaPool struct{ idle *Arena }

func NewArenaPool(chunkSize, maxRetained int) *ArenaPool { return &ArenaPool{&Arena{}} }

func (p *ArenaPool) Get() *Arena { return p.idle }

func (p *ArenaPool) Put(a *Arena) {}

func (p *ArenaPool) Do(f func(*Arena)) { f(p.idle) }

func (a *Arena) Fork() *Arena { return &Arena{} }

func (a *Arena) Reset() {}

func (a *Arena) AllocString(s string) string { return string([]byte(s)) }

func New[T any](a *Arena) *T { return new(T) }

func MakeSlice[T any](a *Arena, len, cap int) []T { return make([]T, len, cap) }

func Escape[T any](a *Arena, v T) T { return v }

func NewType(a *Arena, t reflect.Type) reflect.Value { return reflect.New(t) }

func MakeSliceType(a *Arena, t reflect.Type, len, cap int) reflect.Value {
	return reflect.MakeSlice(reflect.SliceOf(t), len, cap)
}
