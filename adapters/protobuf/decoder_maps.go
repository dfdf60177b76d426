package arenapb

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Builtin maps are those that the arena owns, taken by the number of entries of the run. A map is filled and
// iterated as a map of another type whose keys have the same kind and whose values have the same size and
// pointer layout: a map of strings to any messages as a map[string]pointer.

// mapRun reads a run of entries into f's map.
func (d *decoder) mapRun(f *field, at xunsafe.Pointer, i, end int) int {
	switch f.key {
	case opText, opString:
		return mapOf[string](d, f, at, i, end)
	case opBool:
		return mapOf[bool](d, f, at, i, end)
	case opInt32, opSint32, opFixed32:
		return mapOf[uint32](d, f, at, i, end)
	}
	return mapOf[uint64](d, f, at, i, end)
}

// mapOf is mapRun for maps with keys of type K.
func mapOf[K comparable](d *decoder, f *field, at xunsafe.Pointer, i, end int) int {
	switch f.scalar {
	case opMessage:
		return entries[K, xunsafe.Pointer](d, f, at, i, end)
	case opText, opString:
		return entries[K, string](d, f, at, i, end)
	case opBytes:
		return entries[K, []byte](d, f, at, i, end)
	case opBool:
		return entries[K, bool](d, f, at, i, end)
	case opInt32, opSint32, opFixed32:
		return entries[K, uint32](d, f, at, i, end)
	}
	return entries[K, uint64](d, f, at, i, end)
}

// entries reads a run of entries into the map at at.
func entries[K comparable, V any](d *decoder, f *field, at xunsafe.Pointer, i, end int) int {
	n := d.run(f, i, end)
	m := *xunsafe.Cast[map[K]V](at)
	if d.maps == nil {
		d.maps = machine.Maps(d.r)
	}
	if m == nil {
		made := d.maps.Take(f.maps, n)
		*xunsafe.Cast[xunsafe.Pointer](at) = made
		m = *xunsafe.Cast[map[K]V](at)
	} else {
		d.maps.Grow(f.maps, len(m), len(m)+n)
	}
	for {
		if mapsNest {
			if d.depth--; d.depth < 0 {
				fail(errRecursion)
			}
		}
		from, until := d.length(i, end)
		k, v := entry[K, V](d, f, from, until)
		m[k] = v
		i = until
		if mapsNest {
			d.depth++
		}
		if n--; n == 0 {
			return i
		}
		i += int(f.tagLen)
	}
}

// entry reads the map entry from i to end.
func entry[K comparable, V any](d *decoder, f *field, i, end int) (k K, v V) {
	var kept struct {
		k K
		v V
	}
	whole, partial := false, d.partial
	switch { // a missing value is an empty message; in structs with tags, as in gogo's code, it is nil, or non-nil empty bytes
	case f.scalar == opMessage && f.desc != nil:
		*xunsafe.Cast[xunsafe.Pointer](xunsafe.PointerTo(&kept.v)) = machine.NewOfType(d.r, f.sub.mem)
	case f.scalar == opBytes && f.desc == nil:
		*xunsafe.Cast[[]byte](xunsafe.PointerTo(&kept.v)) = d.view(i, i)
	}
	for i < end {
		tag, next := uint64(d.at(i)), i+1
		if tag >= 0x80 {
			tag, next = d.longNumber(tag, next)
		}
		num, wire := tag>>3, protowire.Type(tag&7)
		if next > end || num == 0 || num > uint64(protowire.MaxValidNumber) {
			fail(errDecode)
		}
		switch {
		case num == 1 && wire == f.keyWire:
			i = d.scalar(f.key, xunsafe.PointerTo(&kept.k), next, end, false)
		case num == 2 && wire == f.valueWire:
			if f.scalar != opMessage {
				i = d.scalar(f.scalar, xunsafe.PointerTo(&kept.v), next, end, f.elems)
				break
			}
			d.partial = false
			from, until := d.length(next, end)
			m := xunsafe.Cast[xunsafe.Pointer](xunsafe.PointerTo(&kept.v))
			if *m == nil {
				*m = machine.NewOfType(d.r, f.sub.mem)
			}
			i = d.message(f.sub, *m, from, until, 0)
			whole = whole || !d.partial
		default:
			n := protowire.ConsumeFieldValue(protowire.Number(num), wire, d.view(next, end))
			if n < 0 {
				fail(errDecode)
			}
			i = next + n
		}
	}
	if f.scalar == opMessage {
		missing := *xunsafe.Cast[xunsafe.Pointer](xunsafe.PointerTo(&kept.v)) == nil
		d.partial = partial || !whole && !missing
	}
	return kept.k, kept.v
}
