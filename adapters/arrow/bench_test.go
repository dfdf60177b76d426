package arenaarrow_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/ebbpool/arena"
	arenaarrow "github.com/ebbpool/arena/adapters/arrow"
	"github.com/ebbpool/arena/internal/testkit"
)

// BenchmarkBuilder does the work of arrow's own benchmarks of builders, under their names. Each run is a
// builder's life: it is made, filled and released.
func BenchmarkBuilder(b *testing.B) {
	ints := make([]int64, 10000)
	for i := range ints {
		ints[i] = int64(i)
	}
	texts := make([]string, 100)
	for i := range texts {
		texts[i] = strings.Repeat("a", 100)
	}
	short := make([]string, 100)
	for i := range short {
		short[i] = "test_str_x"
	}
	large := make([]byte, 1<<20)
	bools := make([]bool, 65536)
	for _, x := range []struct {
		name string
		run  func(mem memory.Allocator)
	}{
		{"AppendOne_Int64", func(mem memory.Allocator) { int64s(mem, 0, 1, ints[:1], 10000) }},
		{"AppendBulk_Int64", func(mem memory.Allocator) { int64s(mem, 0, 0, ints[:1000], 1000) }},
		{"PreReserved_Int64", func(mem memory.Allocator) { int64s(mem, 1000, 1, ints[:1], 1000) }},
		{"NoReserve_Int64", func(mem memory.Allocator) { int64s(mem, 0, 1, ints[:1], 1000) }},
		{"Batch10_Int64", func(mem memory.Allocator) { int64s(mem, 0, 0, ints[:10], 100) }},
		{"Batch100_Int64", func(mem memory.Allocator) { int64s(mem, 0, 0, ints[:100], 100) }},
		{"Batch1000_Int64", func(mem memory.Allocator) { int64s(mem, 0, 0, ints[:1000], 100) }},
		{"Batch10000_Int64", func(mem memory.Allocator) { int64s(mem, 0, 0, ints, 100) }},
		{"String_VarLength_Small", func(mem memory.Allocator) { stringsOf(mem, false, short, 100) }},
		{"String_WithReserveData", func(mem memory.Allocator) { stringsOf(mem, true, texts, 1) }},
		{"String_NoReserveData", func(mem memory.Allocator) { stringsOf(mem, false, texts, 1) }},
		{"Binary_LargeData", func(mem memory.Allocator) { binaries(mem, false, large, 8) }},
		{"Binary_LargeData_WithReserve", func(mem memory.Allocator) { binaries(mem, true, large, 1) }},
		{"Boolean_AppendValues", func(mem memory.Allocator) {
			bldr := array.NewBooleanBuilder(mem)
			bldr.Reserve(len(bools))
			bldr.AppendValues(bools, nil)
			bldr.Release()
		}},
	} {
		b.Run(x.name, func(b *testing.B) {
			mem := arenaarrow.New(arena.NewArena(1<<16, 1<<26))
			testkit.Duel(b, func() { x.run(memory.NewGoAllocator()) }, func() { x.run(mem) })
			if err := mem.Reset(); err != nil {
				b.Error(err)
			}
		})
	}
}

func int64s(mem memory.Allocator, reserve, single int, data []int64, times int) {
	bldr := array.NewInt64Builder(mem)
	bldr.Reserve(reserve)
	for i := range times {
		if single == 1 {
			bldr.Append(int64(i))
		} else {
			bldr.AppendValues(data, nil)
		}
	}
	bldr.Release()
}

func stringsOf(mem memory.Allocator, reserve bool, data []string, times int) {
	bldr := array.NewStringBuilder(mem)
	if reserve {
		bldr.Reserve(len(data))
		bldr.ReserveData(len(data) * len(data[0]))
	}
	for range times {
		bldr.AppendValues(data, nil)
	}
	bldr.Release()
}

func binaries(mem memory.Allocator, reserve bool, data []byte, times int) {
	bldr := array.NewBinaryBuilder(mem, arrow.BinaryTypes.Binary)
	if reserve {
		bldr.Reserve(times)
		bldr.ReserveData(times * len(data))
	}
	for range times {
		bldr.Append(data)
	}
	bldr.Release()
}
