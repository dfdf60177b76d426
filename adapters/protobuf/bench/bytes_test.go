package bench

import (
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/arenareflect"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// laid returns the size of the structs and lists reachable from v, without strings.
func laid(v reflect.Value) int {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return 0
		}
		return int(v.Type().Elem().Size()) + laid(v.Elem())
	case reflect.Interface:
		if v.IsNil() {
			return 0
		}
		return laid(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return 0
		}
		n := v.Len() * int(v.Type().Elem().Size())
		for i := range v.Len() {
			n += laid(v.Index(i))
		}
		return n
	case reflect.Struct:
		n := 0
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "state" { // refers to memory of package proto
				n += laid(v.Field(i))
			}
		}
		return n
	}
	return 0
}

// A message uses exactly the sizes of its structs and lists and one copy of the document.
func TestArenaBytes(t *testing.T) {
	if check.Watched || !machine.LayoutOK {
		t.Skip("these builds need more")
	}
	for _, d := range documents()[:4] {
		a := arena.NewArena(chunkSize, maxRetained)
		m := arenareflect.New(a, reflect.TypeOf(d.kind).Elem()).Interface().(proto.Message)
		must(arenapb.Unmarshal(a, d.bytes, m))
		structs := laid(reflect.ValueOf(m))
		t.Logf("%s: of each byte of the document %.1f in structs and lists", d.name, float64(structs)/float64(len(d.bytes)))
		if lost := a.Stats().UsedBytes - structs - len(d.bytes); lost < 0 || lost > 32+len(d.bytes)/1000 {
			t.Errorf("%s: %d bytes of the arena are neither", d.name, lost)
		}
	}
}
