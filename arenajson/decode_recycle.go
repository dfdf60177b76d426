package arenajson

import (
	"reflect"
	"slices"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// How many maps of a type an arena keeps for RecycleMaps, and of how many entries at
// most: a request that was larger than others should not be paid for by all that come.
const (
	mostMaps    = 4096 // those beyond mostLarge of no more than smallMap entries
	mostLarge   = 256
	mostEntries = 1024
	smallMap    = 8 // entries, which a map has room for before it grows for the first time
)

// keeps reports whether a map of n entries may be the i-th that is kept. Maps go to lower
// numbers only, so that the one that is there has never been larger.
func keeps(i, n int) bool { return n <= smallMap || n <= mostEntries && i < mostLarge }

// shelf holds the maps that RecycleMaps keeps with an arena, through its epochs.
type shelf struct {
	epoch uint64 // the region's resets, when maps were last taken
	anys  mapsTo[any]
	texts mapsTo[string]
	rest  map[reflect.Type]*mapsOf
	used  []*mapsOf // those of rest that are in use in this epoch
}

// mapsTo are the maps from strings to values of one type.
type mapsTo[V any] struct {
	all []map[string]V
	out int // how many of all are in use in this epoch
}

// mapsOf are the maps of another type.
type mapsOf struct {
	all []reflect.Value
	out int
}

// shelfOf returns r's shelf, with the maps of epochs that have ended cleared.
func shelfOf(r *machine.Region) *shelf {
	s := machine.State[shelf](r)
	if epoch := r.Resets(); s.epoch != epoch {
		s.epoch = epoch
		s.anys.reclaim()
		s.texts.reclaim()
		for _, m := range s.used {
			m.reclaim()
		}
		s.used = s.used[:0]
	}
	return s
}

// reclaim clears the maps that were in use, and leaves out those that are too large to be
// cleared each time.
func (s *mapsTo[V]) reclaim() {
	kept := 0
	for _, m := range s.all[:s.out] {
		if keeps(kept, len(m)) {
			clear(m)
			s.all[kept] = m
			kept++
		}
	}
	s.all, s.out = slices.Delete(s.all, kept, s.out), 0
}

func (m *mapsOf) reclaim() {
	kept := 0
	for _, v := range m.all[:m.out] {
		if keeps(kept, v.Len()) {
			v.Clear()
			m.all[kept] = v
			kept++
		}
	}
	m.all, m.out = slices.Delete(m.all, kept, m.out), 0
}

// take returns the next map, a new one where there is none.
func (s *mapsTo[V]) take() map[string]V {
	if s.out < len(s.all) {
		s.out++
		return s.all[s.out-1]
	}
	m := map[string]V{}
	if len(s.all) < mostMaps {
		s.all = append(s.all, m)
		s.out++
	}
	return m
}

// setShelf gives d the maps to use again, if it has the option. In checked builds all
// are new: whoever uses one too late finds memory there that tells.
func (d *decoder) setShelf() {
	if d.recycles && d.r != nil && !check.On && !d.r.Isolates() {
		d.shelf = shelfOf(d.r)
	}
}

func (d *decoder) newMap(t reflect.Type) reflect.Value {
	if d.shelf == nil {
		return reflect.MakeMap(t)
	}
	m := d.shelf.rest[t]
	if m == nil {
		if d.shelf.rest == nil {
			d.shelf.rest = map[reflect.Type]*mapsOf{}
		}
		m = new(mapsOf)
		d.shelf.rest[t] = m
	}
	if m.out == 0 {
		d.shelf.used = append(d.shelf.used, m)
	}
	if m.out < len(m.all) {
		m.out++
		return m.all[m.out-1]
	}
	v := reflect.MakeMap(t)
	if len(m.all) < mostMaps {
		m.all = append(m.all, v)
		m.out++
	}
	return v
}
