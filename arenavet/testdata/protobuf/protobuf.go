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

func written(o *order) []byte {
	a := pool.Get()
	defer pool.Put(a)
	b, err := arenapb.Marshal(a, o)
	if err != nil {
		return nil
	}
	return b // want `memory of arena a, which the deferred Put`
}

func sorted(o *order) byte {
	a := pool.Get()
	b, _ := arenapb.MarshalOptions{Deterministic: true}.Marshal(a, o)
	pool.Put(a)
	return b[0] // want `memory of arena a, which Put`
}

func fineWritten(o *order) int {
	a := pool.Get()
	defer pool.Put(a)
	b, _ := arenapb.Marshal(a, o)
	return len(b)
}

func readOf(data []byte) []byte {
	a := pool.Get()
	var o order
	err := arenapb.Unmarshal(a, data, &o)
	pool.Put(a)
	if err != nil {
		return nil
	}
	b, _ := arenapb.Marshal(nil, &o) // want `memory of arena a, which Put`
	return b
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
