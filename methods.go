//go:build go1.27

package arena

import "iter"

// The package's generic functions as methods, which Go 1.27 added. Each inlines to the code of its
// function. NewOf, Append and Escape repeat the function's body, because a call of an
// inlined function would exceed the compiler's budget.

// New is the function [New] as a method.
func (a *Arena) New[T any]() *T { return New[T](a) }

// NewOf is the function [NewOf] as a method.
func (a *Arena) NewOf[T any](v T) *T {
	p := newToWrite[T](a)
	*p = v
	return p
}

// BoxOf is the function [BoxOf] as a method.
func (a *Arena) BoxOf[T any](v T) any { return BoxOf(a, v) }

// MakeSlice is the function [MakeSlice] as a method.
func (a *Arena) MakeSlice[T any](len, cap int) []T { return MakeSlice[T](a, len, cap) }

// MakeSliceUninit is the function [MakeSliceUninit] as a method.
func (a *Arena) MakeSliceUninit[T any](len, cap int) []T { return MakeSliceUninit[T](a, len, cap) }

// Append is the function [Append] as a method.
func (a *Arena) Append[T any](s []T, items ...T) []T {
	if len(s)+len(items) > cap(s) {
		return appendSlow(a, s, items)
	}
	return append(s, items...)
}

// SliceOf is the function [SliceOf] as a method.
func (a *Arena) SliceOf[T any](items ...T) []T { return SliceOf(a, items...) }

// CloneSlice is the function [CloneSlice] as a method.
func (a *Arena) CloneSlice[T any](s []T) []T { return CloneSlice(a, s) }

// Collect is the function [Collect] as a method.
func (a *Arena) Collect[T any](seq iter.Seq[T]) []T { return Collect(a, seq) }

// Escape is the function [Escape] as a method.
func (a *Arena) Escape[T any](v T) T {
	if a == nil {
		return v
	}
	return escapeFrom(a, v)
}

// NewMap is the function [NewMap] as a method.
func (a *Arena) NewMap[K comparable, V any](hint int) *Map[K, V] { return NewMap[K, V](a, hint) }

// AllocatorFor is the function [AllocatorFor] as a method.
func (a *Arena) AllocatorFor[T any]() Allocator[T] { return AllocatorFor[T](a) }
