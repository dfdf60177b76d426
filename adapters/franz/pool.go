// Package arenafranz allocates the records that a franz-go client fetches from arenas, one for each batch:
//
//	client, err := kgo.NewClient(kgo.WithPools(arenafranz.NewPool(pool)), ...)
//	...
//	client.PollFetches(ctx).EachRecord(func(r *kgo.Record) {
//		handle(r)
//		r.Recycle()
//	})
package arenafranz

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/goroutine"
	"github.com/ebbpool/arena/internal/machine"
)

// A Pool allocates fetched records, and the bytes of compressed batches, from the arenas of an [arena.ArenaPool]. It is
// an argument of [kgo.WithPools].
//
// Each record must be recycled once, by [kgo.Record.Recycle], from any goroutine. The last Recycle of a batch puts its
// arena back. After its own Recycle a record must not be used. After the last Recycle of the batch, neither must copies
// of its records' keys, values and headers.
//
// A batch with a record that is never recycled belongs to the collector, and [arena.PoolStats] counts its arena as
// leaked. This includes batches that the client drops after a rebalance or Close. An arena also belongs to the
// collector, and counts as abandoned, if the client does not hand back the memory that it was given: messages in formats
// before Kafka 0.11, and batches that outgrew their memory.
//
// If a limit of the arenas refuses memory, the client allocates that part of the batch on the heap. No record is lost.
type Pool struct {
	arenas *arena.ArenaPool
	grown  [8]atomic.Uint32 // by codec, how often a batch outgrew its memory

	mu    sync.Mutex
	steps map[uint64]step // by goroutine
}

var _ interface {
	kgo.PoolDecompressBytes
	kgo.PoolRecords
} = (*Pool)(nil)

// NewPool returns a Pool that takes its arenas from arenas. If arenas is nil, records are allocated on the heap.
func NewPool(arenas *arena.ArenaPool) *Pool {
	return &Pool{arenas: arenas, steps: map[uint64]step{}}
}

// A batch is the Context of a hidden last element of the records that GetRecords returns. It keeps the arena reachable
// as long as one of the records is, and leads PutRecords to it.
type batch struct {
	context.Context
	arena *arena.Arena
	bytes []byte // to decompress into, or nil
	codec kgo.CompressionCodecType
}

// A step is the last call of the client on a goroutine, for the next call there:
//   - GetRecords uses the arena of the GetDecompressBytes before it.
//   - PutRecords puts the arena back only if the PutDecompressBytes before it had the very bytes of that arena.
//
// The bytes of GetDecompressBytes may have become messages in formats before Kafka 0.11, whose records are neither
// pooled nor recycled. GetRecords then belongs to a later batch that was not compressed. It makes the arena's end
// later, and PutRecords, without the bytes, leaves the arena to the collector.
type step struct {
	got      *batch // by GetDecompressBytes
	returned []byte // to PutDecompressBytes
	at       time.Time
}

// A step without a next one, as after the last message of an old format, is dropped after this time. A batch that takes
// longer to decompress only loses the reuse of its arena.
const stepAge = time.Minute

// next records a step of the calling goroutine, and returns the step before it.
func (p *Pool) next(s step) (last step) {
	self := goroutine.Self()
	s.at = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for g, old := range p.steps {
		if g == self {
			last = old
		} else if s.at.Sub(old.at) > stepAge {
			delete(p.steps, g)
			old.got.abandon()
		}
	}
	if s.got == nil && s.returned == nil {
		delete(p.steps, self)
	} else {
		p.steps[self] = s
	}
	return last
}

// abandon leaves the arena of b, which may be nil, to the collector.
func (b *batch) abandon() {
	if b != nil {
		machine.Abandon(b.arena)
	}
}

// holds reports whether b is not nil and bytes are in the memory of GetDecompressBytes.
func (b *batch) holds(bytes []byte) bool {
	return b != nil && cap(bytes) > 0 && &b.bytes[:1][0] == &bytes[:1][0]
}

// GetDecompressBytes returns memory for a compressed batch, from a new arena. The client calls it.
func (p *Pool) GetDecompressBytes(compressed []byte, codec kgo.CompressionCodecType) []byte {
	var b *batch
	if size := decompressedSize(compressed, codec, p.grown[codec&7].Load()); size > 0 {
		a := p.arenas.Get()
		var bytes []byte
		if withinLimit(func() { bytes = arena.MakeSliceUninit[byte](a, size, size) }) {
			b = &batch{context.Background(), a, bytes, codec}
		} else {
			p.arenas.Put(a)
		}
	}
	p.next(step{got: b}).got.abandon()
	if b == nil {
		return nil
	}
	return b.bytes
}

// PutDecompressBytes puts back the arena of a batch that could not be decompressed. For other batches PutRecords
// does. The client calls it.
func (p *Pool) PutDecompressBytes(bytes []byte) {
	last := p.next(step{}).got
	if last.holds(bytes) {
		p.arenas.Put(last.arena)
		return
	}
	last.abandon()
	p.next(step{returned: bytes})
}

// GetRecords returns memory for n records, from the arena of the batch that the same goroutine has decompressed, or a
// new one. The client calls it.
func (p *Pool) GetRecords(n int) []kgo.Record {
	b := p.next(step{}).got
	if n == 0 { // the client will put back nothing
		b.abandon()
		return nil
	}
	if b == nil {
		b = &batch{Context: context.Background(), arena: p.arenas.Get()}
	}
	var records []kgo.Record
	if !withinLimit(func() { records = arena.MakeSlice[kgo.Record](b.arena, n, n+1) }) {
		records = make([]kgo.Record, n, n+1)
	}
	records[:n+1][n].Context = b
	return records
}

// PutRecords puts back the arena of records, which are all that GetRecords returned. The client calls it.
func (p *Pool) PutRecords(records []kgo.Record) {
	last := p.next(step{})
	last.got.abandon()
	records = records[:cap(records)]
	if len(records) == 0 {
		return
	}
	b, ok := records[len(records)-1].Context.(*batch)
	switch {
	case !ok:
	case b.bytes == nil || b.holds(last.returned):
		p.arenas.Put(b.arena)
	default:
		b.abandon()
		if cap(last.returned) > cap(b.bytes) {
			p.grown[b.codec&7].Add(1)
		}
	}
}

// withinLimit calls f, which allocates from an arena, and reports whether no limit was exceeded.
func withinLimit(f func()) (ok bool) {
	defer func() {
		if ok {
			return
		}
		v := recover()
		if _, limit := v.(*arena.LimitError); !limit {
			panic(v)
		}
	}()
	f()
	return true
}
