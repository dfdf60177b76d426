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
)

// keeps reports whether a map of n entries may be the i-th that is kept. Maps go to lower
// numbers only, so that the one that is there has never been larger.
func keeps(i, n int) bool { return n <= smallMap || n <= mostEntries && i < mostLarge }

// shelf holds the maps that RecycleMaps keeps with an arena, through its epochs.
type shelf struct {
	epoch uint64 // the region's resets, when maps were last taken
	anys  []map[string]any
	texts []map[string]string
	rest  map[reflect.Type]*mapsOf
	used  []*mapsOf // those of rest that are in use in this epoch
	outA  int       // how many of anys are in use in this epoch
	outT  int
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
		s.anys = reclaim(s.anys, s.outA)
		s.texts = reclaim(s.texts, s.outT)
		s.outA, s.outT = 0, 0
		for _, m := range s.used {
			m.reclaim()
		}
		s.used = s.used[:0]
	}
	return s
}

// reclaim clears the first out of all, and leaves out those that are too large to be
// cleared each time.
func reclaim[M ~map[string]V, V any](all []M, out int) []M {
	kept := 0
	for _, m := range all[:out] {
		if keeps(kept, len(m)) {
			clear(m)
			all[kept] = m
			kept++
		}
	}
	return slices.Delete(all, kept, out)
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

// take returns the next of all, a new map where there is none.
func take[M ~map[string]V, V any](all *[]M, out *int) M {
	if *out < len(*all) {
		*out++
		return (*all)[*out-1]
	}
	m := M{}
	if len(*all) < mostMaps {
		*all = append(*all, m)
		*out++
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

func (d *decoder) newAnyMap() map[string]any {
	if d.shelf == nil {
		return map[string]any{}
	}
	return take(&d.shelf.anys, &d.shelf.outA)
}

func (d *decoder) newTextMap() map[string]string {
	if d.shelf == nil {
		return map[string]string{}
	}
	return take(&d.shelf.texts, &d.shelf.outT)
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
