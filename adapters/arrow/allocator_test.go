package arenaarrow_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/ebbpool/arena"
	arenaarrow "github.com/ebbpool/arena/adapters/arrow"
	"github.com/ebbpool/arena/internal/testkit"
)

func Example() {
	arena.NewAutoPool(0).Do(func(a *arena.Arena) {
		mem := arenaarrow.New(a)
		b := array.NewInt64Builder(mem)
		b.AppendValues([]int64{1, 2, 3}, nil)
		numbers := b.NewInt64Array()
		b.Release()
		fmt.Println(numbers)
		fmt.Println(mem.Reset())
		numbers.Release()
		fmt.Println(mem.Reset())
	})
	// Output:
	// [1 2 3]
	// arenaarrow: Reset: 2 live buffers of 128 bytes
	// <nil>
}

func fill(b []byte, with byte) {
	for i := range b {
		b[i] = with
	}
}

func all(b []byte, x byte) bool { return bytes.Count(b, []byte{x}) == len(b) }

// Live buffers never overlap, new bytes are zero, addresses are aligned, and contents stay, for any order of
// calls.
func TestRandomBuffers(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		a := arena.NewArena(1<<12, 0)
		mem := arenaarrow.New(a)
		if seed == 0 {
			mem = arenaarrow.New(nil)
		}
		type buffer struct {
			b    []byte
			fill byte
		}
		var live []buffer
		size := func() int {
			n := rnd.IntN(1 << rnd.IntN(16))
			if rnd.IntN(4) == 0 {
				n = 0
			}
			return n
		}
		check := func(x buffer) {
			if !all(x.b, x.fill) {
				t.Fatalf("seed %d: a buffer of %d bytes was written to by another", seed, len(x.b))
			}
			if len(x.b) > 0 && uintptr(unsafe.Pointer(&x.b[0]))%64 != 0 {
				t.Fatalf("seed %d: %p is no multiple of 64", seed, x.b)
			}
		}
		sum := func() (n, bytes int) {
			for _, x := range live {
				if cap(x.b) > 0 {
					n++
				}
				bytes += len(x.b)
			}
			return n, bytes
		}
		for range 3000 {
			switch i := rnd.IntN(10); {
			case i < 4 || len(live) == 0:
				b := mem.Allocate(size())
				if b == nil || !all(b, 0) {
					t.Fatalf("seed %d: %d new bytes are not zero", seed, len(b))
				}
				x := buffer{b, byte(1 + rnd.IntN(255))}
				fill(x.b, x.fill)
				live = append(live, x)
			case i < 7:
				x := &live[rnd.IntN(len(live))]
				if rnd.IntN(2) == 0 {
					x = &live[len(live)-1]
				}
				check(*x)
				n := size()
				old := min(n, len(x.b))
				x.b = mem.Reallocate(n, x.b)
				if len(x.b) != n || !all(x.b[:old], x.fill) || !all(x.b[old:], 0) {
					t.Fatalf("seed %d: %d bytes of %d", seed, len(x.b), n)
				}
				fill(x.b, x.fill)
			default:
				i := rnd.IntN(len(live))
				check(live[i])
				mem.Free(live[i].b)
				live[i] = live[len(live)-1]
				live = live[:len(live)-1]
			}
			for _, x := range live {
				check(x)
			}
			n, bytes := sum()
			if gotN, gotBytes := mem.Live(); gotN != n || gotBytes != bytes {
				t.Fatalf("seed %d: %d buffers of %d bytes, want %d of %d", seed, gotN, gotBytes, n, bytes)
			}
			if err := mem.Reset(); (err == nil) != (n == 0) {
				t.Fatalf("seed %d: Reset with %d live buffers: %v", seed, n, err)
			} else if err == nil {
				live = live[:0]
			}
			if len(live) > 40 {
				for _, x := range live {
					check(x)
					mem.Free(x.b)
				}
				live = live[:0]
			}
		}
	}
}

// A buffer that grows alone stays in place, and shrinking never moves a buffer.
func TestGrowsInPlace(t *testing.T) {
	mem := arenaarrow.New(arena.NewArena(1<<16, 0))
	other := mem.Allocate(2000)
	b := mem.Allocate(1100)
	at := &b[0]
	for n := 1200; n < 2000; n += 100 {
		if b = mem.Reallocate(n, b); &b[0] != at {
			t.Fatalf("at %d bytes it has moved", n)
		}
	}
	b = mem.Reallocate(64, b)
	if &b[0] != at {
		t.Error("it has moved as it shrank")
	}
	c := mem.Allocate(1100)
	moved := mem.Reallocate(3000, b)
	if &moved[0] == at || &c[0] == &moved[0] {
		t.Error("it has grown over its neighbour")
	}
	for _, x := range [][]byte{other, moved, c} {
		mem.Free(x)
	}
	if again := mem.Allocate(2000); mem.Reset() == nil || len(again) != 2000 {
		t.Error("Reset with a live buffer")
	}
}

// Builders that are made and released in turn must not use more and more of the arena.
func TestReleasedMemoryIsUsedAgain(t *testing.T) {
	a := arena.NewArena(1<<12, 0)
	mem := arenaarrow.New(a)
	used := 0
	for round := range 10 {
		records(mem, 5000).Release()
		if round == 1 {
			used = a.Stats().UsedBytes
		}
	}
	if n := a.Stats().UsedBytes; n != used || n == 0 {
		t.Errorf("%d bytes after 2 records, %d after 10", used, n)
	}
}

func TestResetIsRefused(t *testing.T) {
	a := arena.NewArena(1<<12, 0)
	mem := arenaarrow.New(a)
	b := mem.Allocate(100)
	fill(b, 7)
	used := a.Stats().UsedBytes
	err := mem.Reset()
	if err == nil || !strings.Contains(err.Error(), "1 live buffers of 100 bytes") {
		t.Error(err)
	}
	if n, size := mem.Live(); n != 1 || size != 100 || a.Stats().UsedBytes != used || !all(b, 7) {
		t.Error("the refusal has changed something")
	}
	mem.Free(b)
	if err := mem.Reset(); err != nil || a.Stats().UsedBytes != 0 {
		t.Error(err, a.Stats().UsedBytes)
	}
	if b := mem.Allocate(100); !all(b, 0) {
		t.Error("what a Reset has taken back is not zero")
	}
}

func panics(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if s := fmt.Sprint(recover()); !strings.Contains(s, want) {
			t.Errorf("panic %q lacks %q", s, want)
		}
	}()
	f()
}

func TestMisuse(t *testing.T) {
	mem := arenaarrow.New(arena.NewArena(1<<12, 0))
	b := mem.Allocate(10)
	panics(t, "Allocate: size -1 not in", func() { mem.Allocate(-1) })
	panics(t, "Reallocate: size -1 not in", func() { mem.Reallocate(-1, b) })
	// Sizes for which a block for two buffers would overflow.
	for _, n := range []int{math.MaxInt, math.MaxInt/2 + 1, math.MaxInt / 2, math.MaxInt/4 + 1} {
		panics(t, fmt.Sprintf("Allocate: size %d not in", n), func() { mem.Allocate(n) })
		panics(t, fmt.Sprintf("Reallocate: size %d not in", n), func() { mem.Reallocate(n, b) })
	}
	mem.Free(nil)
	mem.Free(mem.Allocate(0))
	if n, _ := mem.Live(); n != 1 {
		t.Errorf("%d live", n)
	}
	mem.Free(b)
	panics(t, "Free: 10 bytes that are no live buffer", func() { mem.Free(b) })
}

// Random buffers of all sizes are allocated, resized and freed, with mistakes in between: parts of buffers,
// freed buffers, and foreign memory. Each mistake panics and changes nothing, Live is correct, and buffers
// keep their contents.
func TestWrongFrees(t *testing.T) {
	type buffer struct {
		b    []byte
		with byte
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, a := range []*arena.Arena{nil, arena.NewArena(1<<12, 0)} {
		mem := arenaarrow.New(a)
		var live []buffer
		var freed [][]byte
		for step := range 20_000 {
			switch n := random.IntN(10); {
			case n < 3 || len(live) == 0:
				b := buffer{mem.Allocate(1 + random.IntN(1<<random.IntN(16))), byte(step)}
				fill(b.b, b.with)
				live = append(live, b)
			case n < 5:
				x := &live[random.IntN(len(live))]
				if x.b = mem.Reallocate(1+random.IntN(1<<random.IntN(16)), x.b); cap(x.b) > 0 {
					fill(x.b, x.with)
				}
			case n < 8:
				i := random.IntN(len(live))
				if x := live[i]; !all(x.b, x.with) {
					t.Fatal("a buffer has other values")
				}
				b := live[i].b
				if random.IntN(2) == 0 {
					b = b[:random.IntN(len(b)+1)] // the same buffer
				}
				mem.Free(b)
				freed = append(freed, live[i].b)
				live = append(live[:i], live[i+1:]...)
			default:
				b := live[random.IntN(len(live))].b
				wrong := make([]byte, 64)
				if k := random.IntN(3); k == 0 && len(b) > 1 {
					wrong = b[1+random.IntN(len(b)-1):]
				} else if k == 1 && len(b) > 64 {
					wrong = b[64:]
				} else if k == 2 && len(freed) > 0 {
					wrong = freed[len(freed)-1]
				}
				for _, x := range live { // memory of a freed buffer may have been reused
					if &x.b[:1][0] == &wrong[:1][0] {
						wrong = make([]byte, 64)
					}
				}
				panics(t, "no live buffer", func() { mem.Free(wrong) })
				panics(t, "no live buffer", func() { mem.Reallocate(2*cap(wrong), wrong) })
			}
			bytes := 0
			for _, x := range live {
				bytes += len(x.b)
			}
			if n, size := mem.Live(); n != len(live) || size != bytes {
				t.Fatalf("step %d: %d buffers of %d bytes, want %d of %d", step, n, size, len(live), bytes)
			}
		}
		for _, x := range live {
			mem.Free(x.b)
		}
		if err := mem.Reset(); err != nil {
			t.Error(err)
		}
	}
}

// A refusal by a limit leaves the allocator unchanged.
func TestLimit(t *testing.T) {
	a := arena.NewArena(1<<12, 0)
	a.SetLimit(64 << 10)
	mem := arenaarrow.New(a)
	b := mem.Allocate(1000)
	fill(b, 7)
	for _, f := range []func(){func() { mem.Allocate(1 << 20) }, func() { mem.Reallocate(1<<20, b) }} {
		func() {
			defer func() {
				err, _ := recover().(error)
				var over *arena.LimitError
				if !errors.As(err, &over) {
					t.Error("no *arena.LimitError")
				}
			}()
			f()
		}()
	}
	if n, size := mem.Live(); n != 1 || size != 1000 || !all(b, 7) {
		t.Errorf("%d buffers of %d bytes", n, size)
	}
	mem.Free(b)
	if err := mem.Reset(); err != nil {
		t.Error(err)
	}
}

// Records of every kind of array equal those made with arrow's own allocator, and all of their buffers are
// released, as arrow's CheckedAllocator verifies.
func TestRecords(t *testing.T) {
	a := arena.NewArena(1<<12, 0)
	mem := arenaarrow.New(a)
	checked := memory.NewCheckedAllocator(mem)
	for round := range 3 {
		want := records(memory.NewGoAllocator(), 100*round*round+10)
		got := records(checked, 100*round*round+10)
		testkit.Collect(1)
		if !array.RecordEqual(got, want) || got.NumRows() == 0 {
			t.Fatalf("%v\nwant %v", got, want)
		}
		part := got.NewSlice(3, 7)
		got.Release()
		if mem.Reset() == nil {
			t.Fatal("Reset although a slice of the record is live")
		}
		if !array.RecordEqual(part, want.NewSlice(3, 7)) {
			t.Fatal("a slice does not survive its record")
		}
		part.Release()
		checked.AssertSize(t, 0)
		if err := mem.Reset(); err != nil {
			t.Fatal(err)
		}
	}
}

func records(mem memory.Allocator, n int) arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "ok", Type: arrow.FixedWidthTypes.Boolean}, {Name: "mean", Type: arrow.PrimitiveTypes.Float32},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int16)},
		{Name: "word", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
	}, nil)
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		if i%3 == 0 {
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.StringBuilder).Append(strings.Repeat("text ", i%20))
		}
		b.Field(2).(*array.BooleanBuilder).Append(i%2 == 0)
		b.Field(3).(*array.Float32Builder).Append(float32(i) / 2)
		list := b.Field(4).(*array.ListBuilder)
		list.Append(true)
		for j := range i % 5 {
			list.ValueBuilder().(*array.Int16Builder).Append(int16(j))
		}
		b.Field(5).(*array.BinaryDictionaryBuilder).AppendString(fmt.Sprint("word", i%7))
	}
	return b.NewRecordBatch()
}
