package broker

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ebbpool/arena"
	arenafranz "github.com/ebbpool/arena/adapters/franz"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/ebbpool/arena/internal/testkit/turns"
)

var update = flag.Bool("update", false, "measure, and write the figures to docs/generated/kafka.md")

// syncPool is what a program without arenas would use.
type syncPool struct{ records, bytes sync.Pool }

func (p *syncPool) GetRecords(n int) []kgo.Record {
	if r, ok := p.records.Get().(*[]kgo.Record); ok && cap(*r) >= n {
		return *r
	}
	return make([]kgo.Record, n)
}

func (p *syncPool) PutRecords(r []kgo.Record) { p.records.Put(&r) }

func (p *syncPool) GetDecompressBytes(compressed []byte, _ kgo.CompressionCodecType) []byte {
	if b, ok := p.bytes.Get().(*[]byte); ok {
		return *b
	}
	return make([]byte, 4*len(compressed))
}

func (p *syncPool) PutDecompressBytes(b []byte) { p.bytes.Put(&b) }

const figureRecords = 1_000_000

// TestServe is the broker of TestFigures, in a process of its own.
func TestServe(t *testing.T) {
	if os.Getenv("EBBPOOL_KFAKE") == "" {
		t.Skip("only TestFigures starts it")
	}
	cluster, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(6, "figures"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	produce(t, cluster.ListenAddrs(), "figures", figureRecords)
	fmt.Println("brokers", strings.Join(cluster.ListenAddrs(), ","))
	bufio.NewReader(os.Stdin).ReadString('\n')
}

type figures struct {
	allocs, bytes, cpu, p99 float64 // of a record, the last of a poll with the handling of its records
}

// consume consumes all records once, and checks each.
func consume(t *testing.T, brokers []string, opts ...kgo.Opt) (f figures) {
	seen := make([]bool, figureRecords)
	var polls []time.Duration
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu := turns.ProcessorTime()
	c, err := kgo.NewClient(append(opts, kgo.SeedBrokers(brokers...), kgo.ConsumeTopics("figures"))...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for total := 0; total < figureRecords; {
		start := time.Now()
		fetches := c.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("after %d records: %v", total, err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			n, ok := number(r)
			if !ok || seen[n] {
				t.Fatalf("record %d of partition %d is changed, or comes twice", r.Offset, r.Partition)
			}
			seen[n] = true
			total++
			r.Recycle()
		})
		polls = append(polls, time.Since(start))
	}
	c.Close()
	f.cpu = float64(turns.ProcessorTime()-cpu) / figureRecords
	runtime.ReadMemStats(&after)
	slices.Sort(polls)
	f.p99 = float64(polls[len(polls)*99/100].Microseconds()) / 1e3
	f.allocs = float64(after.Mallocs-before.Mallocs) / figureRecords
	f.bytes = float64(after.TotalAlloc-before.TotalAlloc) / figureRecords
	return f
}

// TestFigures writes a table of a consumer with arenas beside consumers without pools, and with sync.Pool.
func TestFigures(t *testing.T) {
	if !*update {
		t.Skip("without -update")
	}
	broker := exec.Command(os.Args[0], "-test.run=^TestServe$")
	broker.Env = append(os.Environ(), "EBBPOOL_KFAKE=1")
	in, _ := broker.StdinPipe()
	out, _ := broker.StdoutPipe()
	if err := broker.Start(); err != nil {
		t.Fatal(err)
	}
	defer broker.Wait()
	defer in.Close()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	brokers := strings.Split(strings.TrimSpace(strings.TrimPrefix(line, "brokers ")), ",")
	pool := arena.NewArenaPool(64<<10, 8<<20) // a batch has up to 10,000 records
	pool.SetMaxIdleBytes(128 << 20)
	shared, arenas := new(syncPool), arenafranz.NewPool(pool)
	defer func() { t.Logf("%+v", pool.Stats()) }()
	consumers := []struct {
		name string
		opts []kgo.Opt
		all  []figures
	}{{name: "no pools"}, {name: "sync.Pool", opts: []kgo.Opt{kgo.WithPools(shared)}}, {name: "arenas", opts: []kgo.Opt{kgo.WithPools(arenas)}}}
	for range 5 {
		for i := range consumers {
			c := &consumers[i]
			c.all = append(c.all, consume(t, brokers, c.opts...))
		}
	}
	median := func(all []figures, of func(figures) float64) float64 {
		sorted := slices.SortedFunc(slices.Values(all), func(x, y figures) int { return cmp.Compare(of(x), of(y)) })
		return of(sorted[len(sorted)/2])
	}
	table := "| consumer | allocations of a record | heap bytes of a record | CPU of a record, ns | p99 of a poll, ms |\n| --- | ---: | ---: | ---: | ---: |\n"
	for _, c := range consumers {
		table += fmt.Sprintf("| %s | %.3f | %.0f | %.0f | %.1f |\n", c.name,
			median(c.all, func(f figures) float64 { return f.allocs }), median(c.all, func(f figures) float64 { return f.bytes }),
			median(c.all, func(f figures) float64 { return f.cpu }), median(c.all, func(f figures) float64 { return f.p99 }))
	}
	t.Log("\n" + table)
	testkit.Table(t, "../../../docs/generated/kafka.md", "kafka", table, true)
}
