package arenapb

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// Maps are accessed as maps of other types, as in the decoder.

// mapRun encodes f's map so that it ends at i, and returns where it begins. While sizes are computed it
// returns the size.
func (e *encoder) mapRun(f *outField, at xunsafe.Pointer, i int) int {
	switch f.key {
	case opText, opString:
		return outOf[string](e, f, at, i)
	case opBool:
		return outOf[bool](e, f, at, i)
	case opInt32, opSint32, opFixed32:
		return outOf[uint32](e, f, at, i)
	}
	return outOf[uint64](e, f, at, i)
}

// outOf is mapRun for maps with keys of type K.
func outOf[K comparable](e *encoder, f *outField, at xunsafe.Pointer, i int) int {
	switch f.scalar {
	case opMessage:
		return outEntries[K, xunsafe.Pointer](e, f, at, i)
	case opText, opString:
		return outEntries[K, string](e, f, at, i)
	case opBytes:
		return outEntries[K, []byte](e, f, at, i)
	case opBool:
		return outEntries[K, bool](e, f, at, i)
	case opInt32, opSint32, opFixed32:
		return outEntries[K, uint32](e, f, at, i)
	}
	return outEntries[K, uint64](e, f, at, i)
}

func outEntries[K comparable, V any](e *encoder, f *outField, at xunsafe.Pointer, i int) int {
	m := *xunsafe.Cast[map[K]V](at)
	switch {
	case len(m) == 0:
		return i
	case e.b == nil:
		n := 0
		for k, v := range m {
			n += int(f.tagLen) + protowire.SizeBytes(e.entrySize(f, xunsafe.PointerTo(&k), xunsafe.PointerTo(&v)))
		}
		return n
	case !e.deterministic:
		for k, v := range m {
			i = e.entry(f, xunsafe.PointerTo(&k), xunsafe.PointerTo(&v), i)
		}
		return i
	}
	var few [8]K
	keys := few[:0]
	if len(m) > len(few) {
		keys = make([]K, 0, len(m))
	}
	for k := range m {
		keys = append(keys, k)
	}
	f.sort(xunsafe.PointerTo(&keys))
	for n := len(keys) - 1; n >= 0; n-- {
		v := m[keys[n]]
		i = e.entry(f, xunsafe.PointerTo(&keys[n]), xunsafe.PointerTo(&v), i)
	}
	return i
}

// sort sorts the slice of keys at at like package proto.
func (f *outField) sort(at xunsafe.Pointer) {
	switch f.key {
	case opText, opString:
		slices.Sort(*xunsafe.Cast[[]string](at))
	case opBool:
		slices.Sort(*xunsafe.Cast[[]uint8](at))
	case opInt32, opSint32, opFixed32:
		if f.keySigns {
			slices.Sort(*xunsafe.Cast[[]int32](at))
		} else {
			slices.Sort(*xunsafe.Cast[[]uint32](at))
		}
	default:
		if f.keySigns {
			slices.Sort(*xunsafe.Cast[[]int64](at))
		} else {
			slices.Sort(*xunsafe.Cast[[]uint64](at))
		}
	}
}

// omitsValue reports whether an entry with the value at v is encoded without a value.
func (f *outField) omitsValue(v xunsafe.Pointer) bool {
	return f.omits && (f.scalar == opMessage && *xunsafe.Cast[xunsafe.Pointer](v) == nil || f.scalar == opBytes && len(*xunsafe.Cast[[]byte](v)) == 0)
}

// entrySize returns the size of an entry, without its length.
func (e *encoder) entrySize(f *outField, k, v xunsafe.Pointer) int {
	n := e.valueSize(f.key, f.keySigns, k)
	if f.omitsValue(v) {
		return 1 + n
	}
	if f.scalar == opMessage {
		return 2 + n + protowire.SizeBytes(e.size(f.sub, *xunsafe.Cast[xunsafe.Pointer](v)))
	}
	return 2 + n + e.valueSize(f.scalar, f.signed, v)
}

// entry encodes an entry, with the field's tag, so that it ends at i.
func (e *encoder) entry(f *outField, k, v xunsafe.Pointer, i int) int {
	end := i
	if !f.omitsValue(v) {
		if f.scalar == opMessage {
			i = e.message(f.sub, *xunsafe.Cast[xunsafe.Pointer](v), i)
			i = e.varint(uint64(end-i), i)
		} else {
			i = e.value(f.scalar, f.signed, v, i)
		}
		i--
		e.b[i] = f.valueTag
	}
	i = e.value(f.key, f.keySigns, k, i)
	i--
	e.b[i] = f.keyTag
	return e.tag(f, e.varint(uint64(end-i), i))
}
