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
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ebbpool/arena"
	arenafranz "github.com/ebbpool/arena/adapters/franz"
	"github.com/ebbpool/arena/internal/check"
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

// appendBatch appends b, with the offset, as a broker sends it.
func appendBatch(dst []byte, b kmsg.RecordBatch, offset int64) []byte {
	b.FirstOffset = offset
	b.Length = int32(49 + len(b.Records))
	at := len(dst)
	dst = b.AppendTo(dst)
	binary.BigEndian.PutUint32(dst[at+17:], crc32.Checksum(dst[at+21:], crc32.MakeTable(crc32.Castagnoli)))
	return dst
}

// fetch decodes the batches as a client does with a response.
func fetch(pool *arenafranz.Pool, batches ...kmsg.RecordBatch) kgo.FetchPartition {
	var all []byte
	offset := int64(0)
	for _, b := range batches {
		all = appendBatch(all, b, offset)
		offset += int64(max(b.NumRecords, 0))
	}
	return fetchRaw(pool, all)
}

func fetchRaw(pool *arenafranz.Pool, batches []byte) kgo.FetchPartition {
	pools := []kgo.Pool{pool}
	got, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{Topic: "t", Pools: pools},
		&kmsg.FetchResponseTopicPartition{RecordBatches: batches}, kgo.DefaultDecompressor(pools...), nil)
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
					if i < 99 {
						r.Recycle() // does nothing, until the arena is back
					}
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
			for _, limit := range []int{0, 1000} { // the client decompresses into the arena, or the heap
				arenas.SetLimit(limit, 0)
				if got := fetch(pool, broken); got.Err == nil {
					t.Errorf("%s: half a batch was decompressed", name)
				}
			}
			arenas.SetLimit(0, 0)
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

// messageSet returns messages with the values in the format of version magic, which is 0 or 1. The offset of the first
// one is first.
func messageSet(codec kgo.CompressionCodec, magic int8, first int64, values ...string) []byte {
	compressor, _ := kgo.DefaultCompressor(codec)
	append := appendMessage
	if magic == 0 {
		append = appendOldMessage
	}
	var inner []byte
	for i, v := range values {
		inner = append(inner, first+int64(i), 0, []byte(v))
	}
	compressed, used := compressor.Compress(new(bytes.Buffer), inner)
	return append(nil, first+int64(len(values)-1), int8(used), bytes.Clone(compressed))
}

// Message sets have no Recycle. Memory of one must not be used again, by whatever batch follows, whatever the offsets are,
// and also if the batch is handled on the goroutine that decompressed the set.
func TestMessageSetIsLeftToTheCollector(t *testing.T) {
	offsets := []int64{0, 1, 1 << 40, 1 << 56, 3 << 60}
	if testing.Short() {
		offsets = []int64{0, 1 << 56}
	}
	for _, magic := range []int8{0, 1} {
		for _, name := range []string{"gzip", "snappy", "lz4"} {
			for _, first := range offsets {
				for follower, following := range codecs {
					t.Run(fmt.Sprintf("magic %d, %s, offset %d, then %s", magic, name, first, follower), func(t *testing.T) {
						arenas := arena.NewAutoPool(0)
						pool := arenafranz.NewPool(arenas)
						set := messageSet(codecs[name], magic, first, "first value", "second value", "third value")
						next := sample(30)
						got := fetchRaw(pool, append(set, appendBatch(nil, encode(t, following, next), first+3)...))
						if got.Err != nil || len(got.Records) != 33 {
							t.Fatal(got.Err, len(got.Records))
						}
						compare(t, got.Records[3:], next)
						for _, r := range got.Records {
							if r.Context != nil { // records of message sets have none
								r.Recycle()
							}
						}
						for range 3 {
							for _, codec := range codecs {
								for _, r := range fetch(pool, encode(t, codec, sample(30))).Records {
									r.Recycle()
								}
							}
						}
						for i, want := range []string{"first value", "second value", "third value"} {
							if v := string(got.Records[i].Value); v != want {
								t.Errorf("a message's value became %q, want %q", v, want)
							}
						}
						if s := arenas.Stats(); inUse(arenas) != 0 || s.Abandoned != 1 || s.Leaked != 0 {
							t.Errorf("%d arenas in use, %d abandoned, %d leaked, want 0, 1, 0", inUse(arenas), s.Abandoned, s.Leaked)
						}
					})
				}
			}
		}
	}
}

// A message set with no batch after it holds its arena for a minute.
func TestLastMessageSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		arenas := arena.NewAutoPool(0)
		pool := arenafranz.NewPool(arenas)
		for range 3 {
			done := make(chan bool)
			go func() {
				defer close(done)
				if got := fetchRaw(pool, messageSet(kgo.GzipCompression(), 1, 0, "value")); len(got.Records) != 1 {
					t.Errorf("%d records, want 1", len(got.Records))
				}
			}()
			<-done
		}
		time.Sleep(61 * time.Second)
		fetch(pool, encode(t, kgo.NoCompression(), sample(1))).Records[0].Recycle()
		if n := inUse(arenas); n != 0 || pool.Steps() != 0 {
			t.Errorf("%d arenas in use, %d steps", n, pool.Steps())
		}
	})
}

// Batches whose header is refused after they were decompressed are abandoned, also beside good ones.
func TestBatchWithWrongCount(t *testing.T) {
	for name, codec := range codecs {
		arenas := arena.NewAutoPool(0)
		pool := arenafranz.NewPool(arenas)
		for range 10 {
			wrong := encode(t, codec, sample(20))
			wrong.NumRecords = -1
			if got := fetch(pool, wrong); got.Err == nil {
				t.Errorf("%s: a negative number of records was accepted", name)
			}
			for _, r := range fetch(pool, encode(t, kgo.NoCompression(), sample(20))).Records {
				r.Recycle()
			}
		}
		if n := inUse(arenas); n != 0 {
			t.Errorf("%s: %d arenas in use", name, n)
		}
	}
}

// Each goroutine gets the arena of its own batch, also if many decompress at the same time.
func TestManyGoroutinesDecompress(t *testing.T) {
	const n = 1000
	arenas := arena.NewAutoPool(0)
	pool := arenafranz.NewPool(arenas)
	var decompressed, all sync.WaitGroup
	decompressed.Add(n)
	for range n {
		all.Go(func() {
			b := pool.GetDecompressBytes(make([]byte, 100), kgo.CodecLz4)
			decompressed.Done()
			decompressed.Wait()
			records := pool.GetRecords(10)
			done := make(chan bool)
			go func() { // Recycle is called elsewhere
				defer close(done)
				pool.PutDecompressBytes(b)
				pool.PutRecords(records)
			}()
			<-done
		})
	}
	all.Wait()
	if s := arenas.Stats(); s.Gets != n || s.Puts != n || s.Abandoned != 0 {
		t.Errorf("%d Gets, %d Puts, %d abandoned, want %d, %[4]d, 0", s.Gets, s.Puts, s.Abandoned, n)
	}
}

// Memory that the client does not hand back is not used again.
func TestHalfABatchComesBack(t *testing.T) {
	compressed := make([]byte, 100)
	for name, putBytes := range map[string]func(pool *arenafranz.Pool, b []byte){
		"no bytes":            func(*arenafranz.Pool, []byte) {},
		"empty bytes":         func(pool *arenafranz.Pool, b []byte) { pool.PutDecompressBytes(nil) },
		"other bytes":         func(pool *arenafranz.Pool, b []byte) { pool.PutDecompressBytes(make([]byte, 10)) },
		"as many other bytes": func(pool *arenafranz.Pool, b []byte) { pool.PutDecompressBytes(make([]byte, cap(b))) },
		"a tail":              func(pool *arenafranz.Pool, b []byte) { pool.PutDecompressBytes(b[1:]) },
		"bytes on another goroutine": func(pool *arenafranz.Pool, b []byte) {
			done := make(chan bool)
			go func() { pool.PutDecompressBytes(b); close(done) }()
			<-done
		},
		"bytes before another batch": func(pool *arenafranz.Pool, b []byte) {
			pool.PutDecompressBytes(b)
			pool.PutRecords(pool.GetRecords(1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			arenas := arena.NewAutoPool(0)
			pool := arenafranz.NewPool(arenas)
			b := pool.GetDecompressBytes(compressed, kgo.CodecLz4)
			records := pool.GetRecords(10)
			putBytes(pool, b)
			pool.PutRecords(records)
			if s := arenas.Stats(); s.Abandoned != 1 {
				t.Errorf("%d arenas were abandoned, want 1", s.Abandoned)
			}
			if next := pool.GetDecompressBytes(compressed, kgo.CodecLz4); cap(next) != cap(b) {
				t.Errorf("%d bytes for the next batch, want %d", cap(next), cap(b))
			}
		})
	}
}

// Memory of GetDecompressBytes belongs to the next call on the goroutine, or to the collector.
func TestBytesWithoutRecords(t *testing.T) {
	for name, next := range map[string]func(pool *arenafranz.Pool, other []kgo.Record){
		"other bytes":   func(pool *arenafranz.Pool, _ []kgo.Record) { pool.PutDecompressBytes(make([]byte, 10)) },
		"no records":    func(pool *arenafranz.Pool, _ []kgo.Record) { pool.GetRecords(0) },
		"other records": func(pool *arenafranz.Pool, other []kgo.Record) { pool.PutRecords(other) },
		"empty records": func(pool *arenafranz.Pool, _ []kgo.Record) { pool.PutRecords(nil) },
		"another batch": func(pool *arenafranz.Pool, _ []kgo.Record) {
			pool.PutDecompressBytes(pool.GetDecompressBytes(make([]byte, 10), kgo.CodecLz4))
		},
	} {
		t.Run(name, func(t *testing.T) {
			arenas := arena.NewAutoPool(0)
			pool := arenafranz.NewPool(arenas)
			other := pool.GetRecords(1)
			pool.GetDecompressBytes(make([]byte, 100), kgo.CodecLz4)
			next(pool, other)
			if name != "other records" {
				pool.PutRecords(other)
			}
			if s := arenas.Stats(); s.Abandoned != 1 || inUse(arenas) != 0 {
				t.Errorf("%d arenas were abandoned, %d in use, want 1, 0", s.Abandoned, inUse(arenas))
			}
		})
	}
}

// Batches that outgrow their memory are whole, and later ones get more.
func TestBatchOutgrowsItsMemory(t *testing.T) {
	arenas := arena.NewAutoPool(0)
	pool := arenafranz.NewPool(arenas)
	want := make([]kgo.Record, 200)
	for i := range want {
		want[i].Value = fmt.Appendf(nil, "%064d level=info msg=%q", i, "the same text in each record")
	}
	for range 5 {
		got := fetch(pool, encode(t, kgo.Lz4Compression(), want))
		compare(t, got.Records, want)
		for _, r := range got.Records {
			r.Recycle()
		}
	}
	if s := arenas.Stats(); s.Abandoned == 0 || s.Puts < 3 || inUse(arenas) != 0 {
		t.Errorf("%d abandoned, %d put, %d in use", s.Abandoned, s.Puts, inUse(arenas))
	}
}

func appendOldMessage(dst []byte, offset int64, attributes int8, value []byte) []byte {
	m := kmsg.MessageV0{Offset: offset, MessageSize: int32(14 + len(value)), Attributes: attributes, Value: value}
	b := m.AppendTo(nil)
	binary.BigEndian.PutUint32(b[12:], crc32.ChecksumIEEE(b[16:]))
	return append(dst, b...)
}

func appendMessage(dst []byte, offset int64, attributes int8, value []byte) []byte {
	m := kmsg.MessageV1{Offset: offset, MessageSize: int32(22 + len(value)), Magic: 1, Attributes: attributes, Value: value}
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
	if check.ASan {
		t.Skip("the address sanitizer ends the program first")
	}
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
	if check.On {
		t.Skip("checked builds use no memory again")
	}
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
