package bench

import (
	"reflect"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenareflect"
)

// BenchmarkReflectNew allocates values of 64 bytes, one per operation: how=new by a type parameter,
// how=reflect by a reflect.Type, how=heap by reflect.New. Values from reflection are converted to pointers,
// as in a decoder.
func BenchmarkReflectNew(b *testing.B) {
	b.Run("type=flat64", func(b *testing.B) {
		t := reflect.TypeFor[flat64]()
		b.Run("how=new", func(b *testing.B) {
			a := arena.NewArena(256<<10, 0)
			for range cycles(b) {
				a.Reset()
				for range cycleLen {
					p := arena.New[flat64](a)
					p.a = 1
					sinkFlat = p
				}
			}
		})
		b.Run("how=reflect", func(b *testing.B) {
			a := arena.NewArena(256<<10, 0)
			for range cycles(b) {
				a.Reset()
				for range cycleLen {
					p := (*flat64)(arenareflect.New(a, t).UnsafePointer())
					p.a = 1
					sinkFlat = p
				}
			}
		})
		b.Run("how=heap", func(b *testing.B) {
			for range cycles(b) {
				for range cycleLen {
					p := (*flat64)(reflect.New(t).UnsafePointer())
					p.a = 1
					sinkFlat = p
				}
			}
		})
	})
	b.Run("type=ptr64", func(b *testing.B) {
		t := reflect.TypeFor[ptr64]()
		b.Run("how=new", func(b *testing.B) {
			a := arena.NewArena(256<<10, 0)
			for range cycles(b) {
				a.Reset()
				for range cycleLen {
					p := arena.New[ptr64](a)
					p.a = 1
					sinkPtr = p
				}
			}
		})
		b.Run("how=reflect", func(b *testing.B) {
			a := arena.NewArena(256<<10, 0)
			for range cycles(b) {
				a.Reset()
				for range cycleLen {
					p := (*ptr64)(arenareflect.New(a, t).UnsafePointer())
					p.a = 1
					sinkPtr = p
				}
			}
		})
		b.Run("how=heap", func(b *testing.B) {
			for range cycles(b) {
				for range cycleLen {
					p := (*ptr64)(reflect.New(t).UnsafePointer())
					p.a = 1
					sinkPtr = p
				}
			}
		})
	})
}

// BenchmarkReflectMakeSlice allocates slices of ten values of 64 bytes with pointers; an operation is one
// slice.
func BenchmarkReflectMakeSlice(b *testing.B) {
	const many = 10
	t := reflect.TypeFor[[]ptr64]()
	b.Run("how=makeslice", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for range cycles(b) {
			a.Reset()
			for range cycleLen {
				s := arena.MakeSlice[ptr64](a, many, many)
				s[0].a = 1
				sinkPtr = &s[0]
			}
		}
	})
	b.Run("how=reflect", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for range cycles(b) {
			a.Reset()
			for range cycleLen {
				p := (*ptr64)(arenareflect.MakeSlice(a, t, many, many).UnsafePointer())
				p.a = 1
				sinkPtr = p
			}
		}
	})
}
