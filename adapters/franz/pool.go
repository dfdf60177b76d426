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
	"encoding/binary"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/goroutine"
)

// A Pool allocates fetched records, and the bytes of compressed batches, from the arenas of an [arena.ArenaPool]. It is
// an argument of [kgo.WithPools].
//
// Each record must be recycled once, by [kgo.Record.Recycle], from any goroutine. The last Recycle of a batch puts its
// arena back. After its own Recycle a record must not be used. After the last Recycle of the batch, neither must copies
// of its records' keys, values and headers.
//
// A batch with a record that is never recycled belongs to the collector, and [arena.PoolStats] counts its arena as
// leaked. This includes batches that the client drops after a rebalance or Close.
//
// If a limit of the arenas refuses memory, the client allocates that part of the batch on the heap. No record is lost.
type Pool struct {
	arenas *arena.ArenaPool

	mu   sync.Mutex
	open map[uint64]*batch // decompressed and without records yet, by goroutine
}

var _ interface {
	kgo.PoolDecompressBytes
	kgo.PoolRecords
} = (*Pool)(nil)

// NewPool returns a Pool that takes its arenas from arenas. If arenas is nil, records are allocated on the heap.
func NewPool(arenas *arena.ArenaPool) *Pool {
	return &Pool{arenas: arenas, open: map[uint64]*batch{}}
}

// A batch is the context of a record behind the records of a batch, which the client never sees. It keeps the arena
// reachable as long as one of the records is, and leads PutRecords to it.
type batch struct {
	context.Context
	arena *arena.Arena
	bytes []byte // for the decompressed records
}

// maxOpen bounds the batches in Pool.open. The client abandons a batch whose header is wrong, and message sets.
const maxOpen = 256

// GetDecompressBytes returns memory for a compressed batch, from a new arena. The client calls it.
func (p *Pool) GetDecompressBytes(compressed []byte, codec kgo.CompressionCodecType) []byte {
	b := &batch{Context: context.Background(), arena: p.arenas.Get()}
	withinLimit(func() { b.bytes = b.arena.AllocBytes(decompressedSize(compressed, codec)) })
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.open) >= maxOpen {
		clear(p.open)
	}
	p.open[goroutine.Self()] = b // replaces an abandoned batch, whose records may be in use
	return b.bytes
}

// PutDecompressBytes puts back the arena of a batch that could not be decompressed. For other batches PutRecords
// does. The client calls it.
func (p *Pool) PutDecompressBytes(bytes []byte) {
	p.mu.Lock()
	self := goroutine.Self()
	b := p.open[self]
	if b == nil || cap(b.bytes) == 0 || cap(bytes) == 0 || &b.bytes[:1][0] != &bytes[:1][0] {
		p.mu.Unlock()
		return
	}
	delete(p.open, self)
	p.mu.Unlock()
	p.arenas.Put(b.arena)
}

// GetRecords returns memory for n records, from the arena of the batch that the same goroutine has decompressed, or a
// new one. The client calls it.
func (p *Pool) GetRecords(n int) []kgo.Record {
	p.mu.Lock()
	self := goroutine.Self()
	b := p.open[self]
	delete(p.open, self)
	p.mu.Unlock()
	if b != nil && isMessageSet(b.bytes) {
		b = nil
	}
	if n == 0 { // the client will put back nothing
		if b != nil {
			p.arenas.Put(b.arena)
		}
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

// isMessageSet reports whether the client has decompressed messages of the formats before Kafka 0.11 into b, which it
// neither stores in pooled records nor puts back. They begin with an eight-byte offset and a length. Records of later
// formats begin with a length in one to five bytes, which is not zero.
func isMessageSet(b []byte) bool {
	return len(b) >= 12 && b[0] == 0 && binary.BigEndian.Uint32(b[8:]) != 0
}

// PutRecords puts back the arena of records, which are all that GetRecords returned. The client calls it.
func (p *Pool) PutRecords(records []kgo.Record) {
	records = records[:cap(records)]
	if len(records) == 0 {
		return
	}
	if b, ok := records[len(records)-1].Context.(*batch); ok {
		p.arenas.Put(b.arena)
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
