package arenafranz_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ebbpool/arena"
	arenafranz "github.com/ebbpool/arena/adapters/franz"
)

var codecs = map[string]kgo.CompressionCodec{
	"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
	"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
}

// encode returns the records as a batch in Kafka's format of version 2.
func encode(t testing.TB, codec kgo.CompressionCodec, records []kgo.Record) kmsg.RecordBatch {
	t.Helper()
	var raw []byte
	for i, r := range records {
		body := []byte{0}
		body = binary.AppendVarint(body, 0)
		body = binary.AppendVarint(body, int64(i))
		field := func(b []byte) {
			body = binary.AppendVarint(body, int64(len(b)))
			body = append(body, b...)
		}
		field(r.Key)
		field(r.Value)
		body = binary.AppendVarint(body, int64(len(r.Headers)))
		for _, h := range r.Headers {
			field([]byte(h.Key))
			field(h.Value)
		}
		raw = binary.AppendVarint(raw, int64(len(body)))
		raw = append(raw, body...)
	}
	compressor, err := kgo.DefaultCompressor(codec)
	if err != nil {
		t.Fatal(err)
	}
	batch := kmsg.RecordBatch{Magic: 2, NumRecords: int32(len(records)), LastOffsetDelta: int32(len(records) - 1), Records: raw}
	if compressor != nil {
		compressed, used := compressor.Compress(new(bytes.Buffer), raw)
		batch.Records, batch.Attributes = bytes.Clone(compressed), int16(used)
	}
	return batch
}

// fetch decodes the batches as a client does with a response.
func fetch(pool *arenafranz.Pool, batches ...kmsg.RecordBatch) kgo.FetchPartition {
	var all []byte
	first := int64(0)
	for _, b := range batches {
		b.FirstOffset = first
		first += int64(b.NumRecords)
		b.Length = int32(49 + len(b.Records))
		at := len(all)
		all = b.AppendTo(all)
		binary.BigEndian.PutUint32(all[at+17:], crc32.Checksum(all[at+21:], crc32.MakeTable(crc32.Castagnoli)))
	}
	pools := []kgo.Pool{pool}
	got, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{Topic: "t", Pools: pools},
		&kmsg.FetchResponseTopicPartition{RecordBatches: all}, kgo.DefaultDecompressor(pools...), nil)
	return got
}

func sample(n int) []kgo.Record {
	records := make([]kgo.Record, n)
	for i := range records {
		records[i].Key = fmt.Appendf(nil, "key%d", i)
		records[i].Value = []byte(strings.Repeat(fmt.Sprint("value", rand.Uint64()), 1+i%5))
		for h := range i % 3 {
			records[i].Headers = append(records[i].Headers, kgo.RecordHeader{Key: fmt.Sprint("h", h), Value: []byte{byte(i)}})
		}
	}
	return records
}

func compare(t testing.TB, got []*kgo.Record, want []kgo.Record) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d records, want %d", len(got), len(want))
	}
	for i, r := range got {
		w := want[i]
		if !bytes.Equal(r.Key, w.Key) || !bytes.Equal(r.Value, w.Value) || fmt.Sprint(r.Headers) != fmt.Sprint(w.Headers) {
			t.Fatalf("record %d: %q %q %v, want %q %q %v", i, r.Key, r.Value, r.Headers, w.Key, w.Value, w.Headers)
		}
	}
}

func inUse(p *arena.ArenaPool) int {
	s := p.Stats()
	return int(s.Gets - s.Puts - s.Leaked - s.Abandoned)
}

func TestBatchHasOneArenaUntilItsLastRecycle(t *testing.T) {
	for name, codec := range codecs {
		t.Run(name, func(t *testing.T) {
			arenas := arena.NewAutoPool(0)
			pool := arenafranz.NewPool(arenas)
			for range 20 {
				want := sample(100)
				got := fetch(pool, encode(t, codec, want))
				if got.Err != nil {
					t.Fatal(got.Err)
				}
				compare(t, got.Records, want)
				if n := inUse(arenas); n != 1 {
					t.Fatalf("%d arenas in use for one batch", n)
				}
				for i, r := range got.Records {
					if n := inUse(arenas); n != 1 {
						t.Fatalf("%d arenas in use after %d of 100 Recycles", n, i)
					}
					r.Recycle()
					r.Recycle() // does nothing
				}
				if n := inUse(arenas); n != 0 {
					t.Fatalf("%d arenas in use after the last Recycle", n)
				}
			}
		})
	}
}

func TestConcurrentBatches(t *testing.T) {
	arenas := arena.NewAutoPool(0)
	pool := arenafranz.NewPool(arenas)
	var wg sync.WaitGroup
	for name, codec := range codecs {
		for range 2 {
			wg.Go(func() {
				for range 30 {
					a, b := sample(40), sample(7)
					got := fetch(pool, encode(t, codec, a), encode(t, kgo.NoCompression(), b), encode(t, codec, b))
					if got.Err != nil {
						t.Error(name, got.Err)
						return
					}
					compare(t, got.Records[:40], a)
					compare(t, got.Records[40:47], b)
					compare(t, got.Records[47:], b)
					done := make(chan bool)
					go func() {
						defer close(done)
						for i := range got.Records {
							got.Records[len(got.Records)-1-i].Recycle()
						}
					}()
					<-done
				}
			})
		}
	}
	wg.Wait()
	if n := inUse(arenas); n != 0 {
		t.Errorf("%d arenas in use", n)
	}
}

// A batch that can't be decompressed, has no records, or of which none is kept gives back its arena.
func TestArenaOfBatchWithoutRecords(t *testing.T) {
	for name, codec := range codecs {
		arenas := arena.NewAutoPool(0)
		pool := arenafranz.NewPool(arenas)
		if name != "none" {
			broken := encode(t, codec, sample(50))
			broken.Records = broken.Records[:len(broken.Records)/2]
			if got := fetch(pool, broken); got.Err == nil {
				t.Errorf("%s: half a batch was decompressed", name)
			}
		}
		empty := encode(t, codec, nil)
		fetch(pool, empty)
		control := encode(t, codec, sample(1))
		control.Attributes |= 0x20 // which clients don't keep
		if got := fetch(pool, control); len(got.Records) != 0 {
			t.Errorf("%s: a control record was kept", name)
		}
		if n := inUse(arenas); n != 0 {
			t.Errorf("%s: %d arenas in use", name, n)
		}
		want := sample(3)
		compare(t, fetch(pool, encode(t, codec, want)).Records, want)
	}
}

// Message sets have no Recycle. Memory of one must not be used again by the batch that follows.
func TestMessageSetIsLeftToTheCollector(t *testing.T) {
	arenas := arena.NewAutoPool(0)
	pool := arenafranz.NewPool(arenas)
	var inner []byte
	for i := range 3 {
		m := kmsg.MessageV1{Offset: int64(i), Magic: 1, Value: []byte("value of a message")}
		inner = appendMessage(inner, m)
	}
	compressor, _ := kgo.DefaultCompressor(kgo.GzipCompression())
	compressed, used := compressor.Compress(new(bytes.Buffer), inner)
	set := appendMessage(nil, kmsg.MessageV1{Offset: 2, Magic: 1, Attributes: int8(used), Value: bytes.Clone(compressed)})
	pools := []kgo.Pool{pool}
	got, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{Topic: "t", Pools: pools},
		&kmsg.FetchResponseTopicPartition{RecordBatches: set}, kgo.DefaultDecompressor(pools...), nil)
	if got.Err != nil || len(got.Records) != 3 {
		t.Fatal(got.Err, len(got.Records))
	}
	for range 5 {
		for _, codec := range codecs {
			next := fetch(pool, encode(t, codec, sample(30)))
			for _, r := range next.Records {
				r.Recycle()
			}
		}
	}
	for _, r := range got.Records {
		if string(r.Value) != "value of a message" {
			t.Errorf("a message's value became %q", r.Value)
		}
	}
}

func appendMessage(dst []byte, m kmsg.MessageV1) []byte {
	m.MessageSize = int32(22 + len(m.Key) + len(m.Value))
	b := m.AppendTo(nil)
	binary.BigEndian.PutUint32(b[12:], crc32.ChecksumIEEE(b[16:]))
	return append(dst, b...)
}

// A limit moves batches to the heap, and loses none.
func TestLimit(t *testing.T) {
	for name, codec := range codecs {
		for _, limit := range []int{1 << 10, 10 << 10, 30 << 10, 100 << 10} {
			arenas := arena.NewAutoPool(0)
			arenas.SetLimit(limit, 0)
			pool := arenafranz.NewPool(arenas)
			want := sample(500)
			got := fetch(pool, encode(t, codec, want))
			if got.Err != nil {
				t.Fatal(name, limit, got.Err)
			}
			compare(t, got.Records, want)
			for _, r := range got.Records {
				r.Recycle()
			}
			if n := inUse(arenas); n != 0 {
				t.Errorf("%s, %d bytes: %d arenas in use", name, limit, n)
			}
			if arenas.Stats().Refused == 0 && limit < 100<<10 {
				t.Errorf("%s, %d bytes: no limit was exceeded", name, limit)
			}
		}
	}
}

func TestNilPool(t *testing.T) {
	pool := arenafranz.NewPool(nil)
	for _, codec := range codecs {
		want := sample(30)
		got := fetch(pool, encode(t, codec, want))
		compare(t, got.Records, want)
		for _, r := range got.Records {
			r.Recycle()
		}
	}
}

// Records without a Recycle are found, with the place that their arena comes from, and their memory is freed.
func TestLeak(t *testing.T) {
	arenas := arena.NewAutoPool(0)
	arenas.SetLeakSampling(1)
	pool := arenafranz.NewPool(arenas)
	for _, codec := range codecs {
		got := fetch(pool, encode(t, codec, sample(30)))
		for _, r := range got.Records[1:] {
			r.Recycle()
		}
	}
	for until := time.Now().Add(20 * time.Second); arenas.Stats().Leaked < uint64(len(codecs)); {
		if time.Now().After(until) {
			t.Fatalf("%d leaks, want %d", arenas.Stats().Leaked, len(codecs))
		}
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	if leaks := arenas.Leaks(); len(leaks) == 0 {
		t.Error("no leak has a stack")
	}
}

// Records in use are not taken for leaked ones.
func TestCollectionWithRecordsInUse(t *testing.T) {
	arenas := arena.NewAutoPool(0)
	pool := arenafranz.NewPool(arenas)
	want := sample(100)
	got := fetch(pool, encode(t, kgo.ZstdCompression(), want))
	for range 3 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	compare(t, got.Records, want)
	if s := arenas.Stats(); s.Leaked != 0 || inUse(arenas) != 1 {
		t.Errorf("%d leaked, %d in use", s.Leaked, inUse(arenas))
	}
	for _, r := range got.Records {
		r.Recycle()
	}
}

// A value that is used after the last Recycle is reported.
func TestMisuseIsReported(t *testing.T) {
	arenas := arena.NewAutoPool(0)
	reports := make(chan *arena.MisuseReport, 10)
	arenas.SetMisuseSampling(1, func(r *arena.MisuseReport) { reports <- r })
	pool := arenafranz.NewPool(arenas)
	got := fetch(pool, encode(t, kgo.SnappyCompression(), sample(10)))
	kept := got.Records[3].Value
	for _, r := range got.Records {
		r.Recycle()
	}
	err := func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err, _ = v.(error)
			}
		}()
		defer arena.ExplainFaults()
		if kept[0] != 0 {
			t.Error("the value is unchanged")
		}
		return nil
	}()
	var fault *arena.FaultError
	if !errors.As(err, &fault) {
		t.Skipf("no fault on this system or in this build: %v", err)
	}
}

func TestBatchesUseLessHeap(t *testing.T) {
	for name, codec := range codecs {
		want := sample(1000)
		for i := range want {
			want[i].Headers = nil
		}
		batch := encode(t, codec, want)
		cycle := func(pools ...kgo.Pool) func() {
			d := kgo.DefaultDecompressor(pools...)
			batch.Length = int32(49 + len(batch.Records))
			all := batch.AppendTo(nil)
			return func() {
				got, _ := kgo.ProcessFetchPartition(
					kgo.ProcessFetchPartitionOpts{Topic: "t", Pools: pools, DisableCRCValidation: true},
					&kmsg.FetchResponseTopicPartition{RecordBatches: all}, d, nil)
				for _, r := range got.Records {
					r.Recycle()
				}
			}
		}
		ours := cycle(arenafranz.NewPool(arena.NewAutoPool(0)))
		for range 300 {
			ours()
		}
		bytesOf := func(f func()) uint64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 50 {
				f()
			}
			runtime.ReadMemStats(&after)
			return (after.TotalAlloc - before.TotalAlloc) / 50
		}
		with, without := bytesOf(ours), bytesOf(cycle())
		t.Logf("%s: %d bytes of the heap for a batch of 1000 records, %d without", name, with, without)
		// What remains is the client's: a slice of pointers, and before 1.22 one of kmsg.Record.
		if with > without-140_000 {
			t.Errorf("%s: %d bytes of the heap for a batch of 1000 records, %d without", name, with, without)
		}
	}
}
