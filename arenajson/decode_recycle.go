package arenajson

import (
	"reflect"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// How many maps of a type an arena keeps for RecycleMaps, and of how many entries at
// most: a request that was larger than others should not be paid for by all that come.
const (
	mostMaps    = 256
	mostEntries = 1024
)

// shelf holds the maps that RecycleMaps keeps with an arena, through its epochs.
type shelf struct {
	epoch uint64 // the region's resets, when maps were last taken
	anys  []map[string]any
	texts []map[string]string
	rest  map[reflect.Type]*mapsOf
	outA  int // how many of anys are in use in this epoch
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
		for _, m := range s.rest {
			m.reclaim()
		}
	}
	return s
}

// reclaim clears the first out of all, and leaves out those that are too large to be
// cleared each time.
func reclaim[M ~map[string]V, V any](all []M, out int) []M {
	kept := all[:0]
	for i, m := range all {
		if i < out {
			if len(m) > mostEntries {
				continue
			}
			clear(m)
		}
		kept = append(kept, m)
	}
	clear(all[len(kept):])
	return kept
}

func (m *mapsOf) reclaim() {
	kept := m.all[:0]
	for i, v := range m.all {
		if i < m.out {
			if v.Len() > mostEntries {
				continue
			}
			v.Clear()
		}
		kept = append(kept, v)
	}
	clear(m.all[len(kept):])
	m.all, m.out = kept, 0
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
