// Package protobuf has messages that are read into an arena.
package protobuf

import (
	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
)

var pool = arena.NewArenaPool(4096, 0)

type order struct {
	Name  string
	Items []*item
}

type item struct{ Tags []string }

func (o *order) Reset() { *o = order{} } // want Reset:`0 flows, 2 writes`

func name(data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	var o order
	if err := arenapb.Unmarshal(a, data, &o); err != nil {
		return ""
	}
	return o.Name // want `return of memory of arena a, which the deferred Put`
}

func tag(data []byte) string {
	a := pool.Get()
	var o order
	err := arenapb.UnmarshalOptions{Merge: true}.Unmarshal(a, data, &o)
	pool.Put(a)
	if err != nil {
		return ""
	}
	return o.Items[0].Tags[0] // want `memory of arena a, which Put`
}

// A clone is on the heap.
func cloned(data []byte) *order {
	a := pool.Get()
	defer pool.Put(a)
	o := arena.New[order](a)
	if err := arenapb.Unmarshal(a, data, o); err != nil {
		return nil
	}
	return arenapb.Clone(o)
}

func late(data []byte) *order {
	a := pool.Get()
	o := arena.New[order](a)
	err := arenapb.Unmarshal(a, data, o)
	pool.Put(a)
	if err != nil {
		return nil
	}
	return arenapb.Clone(o) // want `memory of arena a, which Put`
}
