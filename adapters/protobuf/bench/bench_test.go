package bench

import (
	"runtime"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/internal/testkit/turns"
)

// All subjects decode, and all writers encode, the same message.
func TestSubjectsAgree(t *testing.T) {
	for _, d := range documents() {
		compare(d, subjects(d))
	}
}

// compare checks that all subjects decode the same message, ignoring the order of fields. It reports whether
// hyperpb's differs: v0.1.3 decodes some lists of strings with one element too many.
func compare(d document, all []subject) (other bool) {
	for _, s := range all {
		b, err := proto.Marshal(s.read())
		must(err)
		s.done()
		got := d.kind.ProtoReflect().New().Interface()
		must(proto.Unmarshal(b, got))
		if !proto.Equal(got, d.kind) {
			if other = s.name == "hyperpb"; other {
				continue
			}
			panic(s.name + " reads another message: " + d.name)
		}
	}
	for _, w := range writers(d) {
		got := d.kind.ProtoReflect().New().Interface()
		must(proto.Unmarshal(w.write(), got))
		if !proto.Equal(got, d.kind) {
			panic(w.name + " writes another message: " + d.name)
		}
	}
	return other
}

// node keeps the collector as busy as in a program with much live memory.
type node struct {
	next *node
	pad  [6]uint64
}

// BenchmarkCodec has a benchmark for each operation, document and codec. It measures processor time of all
// threads, including the collector's.
func BenchmarkCodec(b *testing.B) {
	all := documents()
	for _, d := range all {
		run(b, d, "0")
	}
	// The smallest document, with a pool that has decoded all of them, as vtprotobuf's pools have.
	pool := arena.NewArenaPool(chunkSize, maxRetained)
	for _, d := range all {
		s := warm(d, pool)
		s.read()
		s.done()
	}
	for _, s := range append([]subject{warm(all[0], pool)}, subjects(all[0])[2:]...) {
		measure(b, all[0], "decode, after all others", "0", s.name, func() { s.read(); s.done() })
	}
	for _, d := range []document{all[1], all[len(all)-1]} {
		compare(d, bodies(d))
		for _, s := range bodies(d) {
			measure(b, d, "decode a body", "0", s.name, func() { s.read(); s.done() })
		}
	}
	live := make([]*node, 1_000_000)
	for i := range live {
		live[i] = &node{next: live[max(0, i-1)]}
	}
	for _, d := range all[:2] {
		run(b, d, "1000000")
	}
	runtime.KeepAlive(live)
}

func run(b *testing.B, d document, live string) {
	all := subjects(d)
	other := compare(d, all)
	for _, s := range all {
		if s.name != "hyperpb" || !other {
			measure(b, d, "decode", live, s.name, func() { s.read(); s.done() })
		}
	}
	for _, w := range writers(d) {
		measure(b, d, "encode", live, w.name, func() { w.write() })
	}
}

func measure(b *testing.B, d document, op, live, codec string, do func()) {
	b.Run("op="+op+"/doc="+d.name+"/live="+live+"/codec="+codec, func(b *testing.B) {
		do() // warm up
		b.ReportAllocs()
		runtime.GC()
		begun, n := time.Duration(0), 0
		for b.Loop() {
			if n == 0 {
				begun = turns.ProcessorTime()
			}
			do()
			n++
		}
		spent := float64(turns.ProcessorTime() - begun)
		b.ReportMetric(spent/float64(n), "ns/op")
		b.ReportMetric(float64(len(d.bytes)*n)/spent*1e3, "MB/s")
		if op == "decode" && codec == ours {
			a := arena.NewArena(chunkSize, maxRetained)
			must(arenapb.Unmarshal(a, d.bytes, proto.Clone(d.kind)))
			b.ReportMetric(float64(a.Stats().UsedBytes)/float64(len(d.bytes)), "arena-B/B")
		}
	})
}
