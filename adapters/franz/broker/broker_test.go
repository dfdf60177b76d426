package broker

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ebbpool/arena"
	arenafranz "github.com/ebbpool/arena/adapters/franz"
)

// connect returns the addresses of a broker with the topic, whose name is made unique on a real one.
func connect(t testing.TB, topic string, partitions int32) (brokers []string, unique string) {
	t.Helper()
	if broker := os.Getenv("EBBPOOL_KAFKA"); broker != "" {
		return []string{broker}, fmt.Sprintf("%s-%d", topic, time.Now().UnixNano())
	}
	cluster, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(partitions, topic))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster.ListenAddrs(), topic
}

func client(t testing.TB, brokers []string, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	c, err := kgo.NewClient(append(opts, kgo.SeedBrokers(brokers...), kgo.AllowAutoTopicCreation())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

var codecs = []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()}

// record returns a record with the number i. Its key has the number and the checksum of all the rest.
func record(i int) *kgo.Record {
	r := &kgo.Record{Value: make([]byte, 20+i%300)}
	rng := rand.New(rand.NewPCG(uint64(i), 1))
	for j := range r.Value {
		r.Value[j] = "abcdefgh"[rng.IntN(8)]
	}
	if i%4 == 0 {
		r.Headers = []kgo.RecordHeader{{Key: fmt.Sprint("h", i%10), Value: r.Value[:5]}}
	}
	r.Key = binary.BigEndian.AppendUint64(nil, uint64(i))
	r.Key = binary.BigEndian.AppendUint32(r.Key, sum(r))
	return r
}

func sum(r *kgo.Record) uint32 {
	s := crc32.ChecksumIEEE(r.Value)
	for _, h := range r.Headers {
		key := unsafe.Slice(unsafe.StringData(h.Key), len(h.Key)) // without an allocation, for TestFigures
		s = crc32.Update(crc32.Update(s, crc32.IEEETable, key), crc32.IEEETable, h.Value)
	}
	return s
}

// number returns the number of r, and reports whether r is unchanged.
func number(r *kgo.Record) (n int, ok bool) {
	if len(r.Key) != 12 {
		return 0, false
	}
	return int(binary.BigEndian.Uint64(r.Key)), binary.BigEndian.Uint32(r.Key[8:]) == sum(r)
}

// produce produces n records, in batches of all codecs.
func produce(t testing.TB, brokers []string, topic string, n int) {
	t.Helper()
	var wg sync.WaitGroup
	for c, codec := range codecs {
		wg.Go(func() {
			p := client(t, brokers, kgo.DefaultProduceTopic(topic), kgo.ProducerBatchCompression(codec),
				kgo.RecordPartitioner(kgo.RoundRobinPartitioner()), kgo.MaxBufferedRecords(20_000))
			for i := c; i < n; i += len(codecs) {
				p.Produce(context.Background(), record(i), func(_ *kgo.Record, err error) {
					if err != nil {
						t.Error(err)
					}
				})
			}
			if err := p.Flush(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func inUse(p *arena.ArenaPool) int {
	s := p.Stats()
	return int(s.Gets - s.Puts - s.Leaked - s.Abandoned)
}

// seen counts how often each record was consumed.
type seen struct {
	t  testing.TB
	mu sync.Mutex
	of []int
}

func (s *seen) add(r *kgo.Record) {
	n, ok := number(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !ok || n >= len(s.of) {
		s.t.Errorf("record %d of partition %d is changed: number %d", r.Offset, r.Partition, n)
		return
	}
	s.of[n]++
}

func (s *seen) all() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !slices.Contains(s.of, 0)
}

// Nothing is lost or changed, and all arenas come back, if several goroutines handle and recycle the records.
func TestConsume(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 100_000
	}
	brokers, topic := connect(t, "consume", 6)
	produce(t, brokers, topic, n)
	arenas := arena.NewAutoPool(0)
	c := client(t, brokers, kgo.ConsumeTopics(topic), kgo.WithPools(arenafranz.NewPool(arenas)))
	got := &seen{t: t, of: make([]int, n)}
	work := make(chan *kgo.Record, 1000)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for r := range work {
				got.add(r)
				r.Recycle()
			}
		})
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	for total := 0; total < n; {
		fetches := c.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("after %d records: %v", total, err)
		}
		total += fetches.NumRecords()
		fetches.EachRecord(func(r *kgo.Record) { work <- r })
	}
	close(work)
	workers.Wait()
	for i, times := range got.of {
		if times != 1 {
			t.Fatalf("record %d was consumed %d times", i, times)
		}
	}
	if n := inUse(arenas); n != 0 {
		t.Errorf("%d arenas in use", n)
	}
	if s := arenas.Stats(); s.Gets == 0 {
		t.Error("no arena was used")
	}
}

// Members of a group come and go, and polls are cancelled. All records arrive unchanged, also those that are recycled
// after Close.
func TestRebalancesAndCancels(t *testing.T) {
	const n = 30_000
	brokers, topic := connect(t, "rebalance", 8)
	produce(t, brokers, topic, n)
	arenas := arena.NewAutoPool(0)
	pool := arenafranz.NewPool(arenas)
	got := &seen{t: t, of: make([]int, n)}
	until := time.Now().Add(2 * time.Minute)
	var members sync.WaitGroup
	for m := range 3 {
		members.Go(func() {
			for round := 0; !got.all() && time.Now().Before(until); round++ {
				c, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumeTopics(topic), kgo.ConsumerGroup("group-"+topic),
					kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.WithPools(pool), kgo.DisableAutoCommit())
				if err != nil {
					t.Error(err)
					return
				}
				var kept []*kgo.Record
				for range 40 {
					if got.all() {
						break
					}
					// Of the first polls most are cancelled before there are records.
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+100*rand.IntN(4))*time.Millisecond)
					records := c.PollRecords(ctx, 500).Records()
					cancel()
					for _, r := range records {
						got.add(r)
					}
					if len(records) > 0 {
						commit, cancel := context.WithTimeout(context.Background(), 5*time.Second)
						c.CommitRecords(commit, records...) // fails if the partition has moved, and records come twice
						cancel()
					}
					for i, r := range records {
						if i%10 == m {
							kept = append(kept, r)
						} else {
							r.Recycle()
						}
					}
				}
				c.Close()
				for _, r := range kept {
					if n, ok := number(r); !ok {
						t.Errorf("record %d has changed since it was polled", n)
					}
					r.Recycle()
				}
			}
		})
	}
	members.Wait()
	if !got.all() {
		t.Error("records are missing")
	}
	// Records that clients dropped have no Recycle: the collector takes them.
	for time.Now().Before(until) && inUse(arenas) > 0 {
		runtime.GC()
		time.Sleep(20 * time.Millisecond)
	}
	if n := inUse(arenas); n != 0 {
		t.Errorf("%d arenas in use", n)
	}
}
