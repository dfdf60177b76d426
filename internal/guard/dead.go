package guard

import (
	"reflect"
	"sync"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// word is a word of a type that gets a dead value: a pointer if number is 0, else number.
type word struct{ off, number uintptr }

// DeadLen is the value of dead lengths, capacities and other integers of word size. Slices with large elements have
// smaller lengths, because their elements must be inside the cycle's slot: the memory after the last slot may be in
// use.
const DeadLen = 0xDEAD

// DeadFiller returns a function that fills memory of a type with dead values: the pointer dead for pointers, and DeadLen
// for integers.
func DeadFiller(t reflect.Type) func(base xunsafe.Pointer, from, to uintptr, dead xunsafe.Pointer) {
	if fillDead, ok := deadFillers.Load(t); ok {
		return fillDead.(func(xunsafe.Pointer, uintptr, uintptr, xunsafe.Pointer))
	}
	words := wordsOf(t, 0, nil)
	fillDead := func(base xunsafe.Pointer, from, to uintptr, dead xunsafe.Pointer) {
		if from == to {
			return
		}
		for _, w := range words {
			if w.number == 0 {
				*xunsafe.At[xunsafe.Pointer](base, from+w.off) = dead
			} else {
				*xunsafe.At[uintptr](base, from+w.off) = w.number
			}
		}
		all := reflect.SliceAt(t, xunsafe.Add(base, from), int((to-from)/t.Size()))
		for done := 1; done < all.Len(); done *= 2 {
			reflect.Copy(all.Slice(done, all.Len()), all.Slice(0, done))
		}
	}
	deadFillers.Store(t, fillDead)
	return fillDead
}

// deadFillers caches the results of DeadFiller.
var deadFillers sync.Map // of reflect.Type to func(xunsafe.Pointer, uintptr, uintptr, xunsafe.Pointer)

// mostWords is the most words that are filled in a large array.
const mostWords = 1024

// wordsOf appends the words of a t at offset off that get dead values: pointers, lengths, capacities, and integers of
// word size. It skips pointers to types that are larger than a slot, and slices of them.
func wordsOf(t reflect.Type, off uintptr, words []word) []word {
	const size = 4 << (^uintptr(0) >> 63) // of a word
	switch t.Kind() {
	case reflect.Pointer:
		if t.Elem().Size() > quarantineSlot {
			return words
		}
		return append(words, word{off: off})
	case reflect.UnsafePointer, reflect.Map, reflect.Chan, reflect.Func:
		return append(words, word{off: off})
	case reflect.Interface:
		return append(words, word{off: off}, word{off: off + size})
	case reflect.String:
		return append(words, word{off: off}, word{off + size, DeadLen})
	case reflect.Slice:
		n := min(DeadLen, quarantineSlot/max(t.Elem().Size(), 1))
		if n == 0 {
			return words
		}
		return append(words, word{off: off}, word{off + size, n}, word{off + 2*size, n})
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			words = wordsOf(f.Type, off+f.Offset, words)
		}
	case reflect.Array:
		if len(wordsOf(t.Elem(), 0, nil)) == 0 {
			return words // do not visit each byte of a large buffer
		}
		for i := 0; i < t.Len() && len(words) < mostWords; i++ {
			words = wordsOf(t.Elem(), off+uintptr(i)*t.Elem().Size(), words)
		}
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return append(words, word{off, DeadLen})
	}
	return words
}
