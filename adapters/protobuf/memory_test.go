package arenapb_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/allopaquepb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/allopenpb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/lazypb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/openpb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/setpb"
	"github.com/ebbpool/arena/arenareflect"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// Without an arena the message is on the heap, as from package proto.
func TestNilArena(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, m := range kinds {
		for range 10 {
			doc := oracle.Document(t, r, m)
			if err := oracle.Differ(nil, m, doc, doc); err != nil {
				t.Errorf("%s: %v", oracle.NameOf(m), err)
			}
			if err := oracle.Differ(nil, m, oracle.Mutate(r, doc), doc); err != nil {
				t.Errorf("%s: %v", oracle.NameOf(m), err)
			}
		}
	}
}

// wrapped implements a message by the methods of another.
type wrapped struct{ *openpb.Scalars }

// Unsupported messages are decoded by package proto, are correct, and are counted by name.
func TestFallbacks(t *testing.T) {
	if !machine.LayoutOK {
		t.Skip("all are")
	}
	a := arena.NewArena(4<<10, 0)
	counts := func() map[string]uint64 {
		n := map[string]uint64{}
		for _, f := range arenapb.Fallbacks() {
			n[f.Message] += f.Count
			if f.Why == "" {
				t.Errorf("%s: no reason", f.Message)
			}
		}
		return n
	}
	before := counts()
	r := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		if err := oracle.Differ(a, (*setpb.Set)(nil), []byte{0x0b, 0x10, 0xe8, 7, 0x1a, 0, 0x0c}, nil); err != nil {
			t.Error(err)
		}
		for _, m := range []proto.Message{(*lazypb.Lazy)(nil), (*lazypb.Outer)(nil)} {
			doc := oracle.Document(t, r, m)
			if err := oracle.Differ(a, m, doc, doc); err != nil {
				t.Error(err)
			}
		}
	}
	doc := oracle.Document(t, r, (*openpb.Scalars)(nil))
	for _, m := range []proto.Message{dynamicpb.NewMessage((*openpb.Scalars)(nil).ProtoReflect().Descriptor()), wrapped{new(openpb.Scalars)}} {
		if err := arenapb.Unmarshal(a, doc, m); err != nil {
			t.Error(err)
		}
		want := new(openpb.Scalars)
		if err := proto.Unmarshal(doc, want); err != nil || !proto.Equal(m, want) {
			t.Errorf("%T is %v, want %v (%v)", m, m, want, err)
		}
	}
	after := counts()
	for name, least := range map[string]uint64{"arenapb.test.lazy.Lazy": 20, "arenapb.test.set.Set": 20, "*dynamicpb.Message": 1, "arenapb_test.wrapped": 1} {
		if n := after[name] - before[name]; n < least {
			t.Errorf("%s was counted %d times, want at least %d: %v", name, n, least, after)
		}
	}
	before = counts()
	outer := oracle.Fresh(a, (*lazypb.Outer)(nil))
	if err := arenapb.Unmarshal(a, []byte{0x0a, 0}, outer); err != nil {
		t.Error(err)
	}
	if n := counts()["arenapb.test.lazy.Lazy"] - before["arenapb.test.lazy.Lazy"]; n != 1 {
		t.Errorf("a message in another one was counted %d times", n)
	}
	if after["arenapb.test.lazy.Outer"] != 0 {
		t.Error("a message that can be read was left to package proto because of one in it")
	}
}

// A warm arena allocates nothing on the heap, except for maps and extensions.
func TestAllocatesNothing(t *testing.T) {
	if check.On || check.Race || !machine.LayoutOK {
		t.Skip("these builds allocate")
	}
	r := rand.New(rand.NewPCG(9, 10))
	for _, m := range []proto.Message{
		(*openpb.Scalars)(nil), (*openpb.Optional)(nil), (*openpb.Lists)(nil), (*openpb.Choice)(nil), (*allopaquepb.All)(nil), (*allopenpb.All)(nil),
	} {
		x := oracle.Fresh(nil, m)
		oracle.Fill(r, x.ProtoReflect(), 2)
		for _, name := range []string{"named", "texts"} { // maps
			if fd := x.ProtoReflect().Descriptor().Fields().ByTextName(name); fd != nil {
				clearMaps(x)
			}
		}
		doc, err := proto.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		a := arena.NewArena(64<<10, 1<<20)
		typ := reflect.TypeOf(m).Elem()
		read := func() {
			if err := arenapb.Unmarshal(a, doc, arenareflect.New(a, typ).Interface().(proto.Message)); err != nil {
				t.Fatal(err)
			}
			a.Reset()
		}
		for range 300 {
			read()
		}
		if n := testing.AllocsPerRun(100, read); n != 0 {
			t.Errorf("%s: %v allocations", oracle.NameOf(m), n)
		}
	}
}

// clearMaps drops the maps of an All and of its nested messages.
func clearMaps(m proto.Message) {
	switch m := m.(type) {
	case *allopenpb.All:
		m.Named, m.Texts = nil, nil
		for _, c := range append(m.Many, m.Child, m.GetCm()) {
			if c != nil {
				clearMaps(c)
			}
		}
	case *allopaquepb.All:
		m.SetNamed(nil)
		m.SetTexts(nil)
		for _, c := range append(m.GetMany(), m.GetChild(), m.GetCm()) {
			if c != nil {
				clearMaps(c)
			}
		}
	}
}

// An exceeded limit is an error, and the arena stays usable.
func TestLimit(t *testing.T) {
	if !machine.LayoutOK {
		t.Skip("messages are on the heap")
	}
	doc := nest(nil, 17<<3|2, 1)
	for len(doc) < 1<<20 {
		doc = append(doc, doc...)
	}
	a := arena.NewArena(4<<10, 0)
	a.SetLimit(8 << 20)
	for range 3 {
		m := arena.New[openpb.Lists](a)
		err := arenapb.Unmarshal(a, doc, m)
		var limit *arena.LimitError
		if !errors.As(err, &limit) || limit.Limit != 8<<20 || !strings.Contains(err.Error(), "arenapb") {
			t.Fatalf("a megabyte of empty messages: %v", err)
		}
		a.Reset()
		m = arena.New[openpb.Lists](a)
		if err := arenapb.Unmarshal(a, doc[:999], m); err != nil || len(m.GetChild()) != 333 {
			t.Fatalf("after a limit: %v, %d messages", err, len(m.GetChild()))
		}
		a.Reset()
	}
	a.SetLimit(1 << 10)
	if err := arenapb.Unmarshal(a, make([]byte, 1<<20), arena.New[openpb.Scalars](a)); !errors.As(err, new(*arena.LimitError)) {
		t.Errorf("a document beyond the limit: %v", err)
	}
}

// tortured is set in the process that TestTorture starts.
const tortured = "ARENAPB_TORTURED"

// Decoded messages survive a collector that runs all the time and overwrites freed memory. If it missed a
// pointer, the message would change.
func TestTorture(t *testing.T) {
	if os.Getenv(tortured) == "" {
		rounds := "-test.short=false"
		if testing.Short() {
			rounds = "-test.short"
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestTorture$", "-test.v", rounds)
		cmd.Env = append(os.Environ(), tortured+"=1", "GODEBUG=clobberfree=1,gccheckmark=0")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
			if err != nil && (strings.Contains(err.Error(), "not supported") || strings.Contains(err.Error(), "not implemented")) {
				t.Skip(err)
			}
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	debug.SetGCPercent(1)
	done := make(chan bool)
	go func() {
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	}()
	defer close(done)
	r := rand.New(rand.NewPCG(11, 12))
	pool := arena.NewAutoPool(0)
	rounds := 60
	if testing.Short() {
		rounds = 5
	}
	type (
		tree   struct{ got, want proto.Message }
		copied struct{ clone, want proto.Message }
	)
	for range rounds {
		var trees []tree
		var clones []copied
		a := pool.Get()
		for _, m := range kinds {
			doc := oracle.Document(t, r, m)
			x := tree{oracle.Fresh(a, m), oracle.Fresh(nil, m)}
			if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(doc, x.want); err != nil {
				t.Fatal(err)
			}
			if err := (arenapb.UnmarshalOptions{AllowPartial: true}).Unmarshal(a, doc, x.got); err != nil {
				t.Fatal(err)
			}
			clones = append(clones, copied{arenapb.Clone(x.got), x.want})
			trees = append(trees, x)
		}
		c := oracle.Random(r)
		for _, m := range both { // and generated documents, merged twice
			x := tree{oracle.Fresh(a, m), oracle.Fresh(nil, m)}
			o, p := arenapb.UnmarshalOptions{AllowPartial: true, Merge: true}, proto.UnmarshalOptions{AllowPartial: true, Merge: true}
			good := true
			for i := 0; good && i < 2; i++ {
				doc := oracle.Wire(c, m.ProtoReflect().Descriptor())
				wantErr, err := p.Unmarshal(doc, x.want), o.Unmarshal(a, doc, x.got)
				if (err == nil) != (wantErr == nil) {
					t.Fatalf("%v, package proto has %v", err, wantErr)
				}
				good = err == nil
			}
			if good {
				clones = append(clones, copied{arenapb.Clone(x.got), proto.Clone(x.want)})
				trees = append(trees, x)
			}
		}
		runtime.GC()
		for _, x := range trees {
			if err := oracle.Unlike(x.got, x.want); err != nil {
				t.Error(err)
			}
		}
		pool.Put(a)
		pool.Do(func(a *arena.Arena) { // overwrites the old memory
			for _, m := range kinds {
				_ = arenapb.Unmarshal(a, oracle.Document(t, r, m), oracle.Fresh(a, m))
			}
			for _, m := range both {
				_ = arenapb.Unmarshal(a, oracle.Wire(c, m.ProtoReflect().Descriptor()), oracle.Fresh(a, m))
			}
		})
		for _, x := range clones {
			if err := oracle.Unlike(x.clone, x.want); err != nil {
				t.Errorf("a clone: %v", err)
			}
		}
	}
}
