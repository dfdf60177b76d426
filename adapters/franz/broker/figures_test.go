package broker

import (
	"bufio"
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

// syncPool implements franz-go's pools without arenas.
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

// TestServe runs the broker of TestFigures in a separate process.
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
	allocs, bytes, cpu float64 // per record
	p99                float64 // ms, of a PollFetches with the handling of its records
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

// TestFigures compares consumers with arenas, without pools and with sync.Pool.
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
	measure := make([]func() float64, len(consumers))
	for i := range consumers {
		c := &consumers[i]
		measure[i] = func() float64 {
			f := consume(t, brokers, c.opts...)
			c.all = append(c.all, f)
			return f.cpu
		}
	}
	cpu := turns.Run(7, measure...)
	table := "| consumer | allocations of a record | heap bytes of a record | CPU of a record, ns | CPU beside no pools | p99 of a poll, ms |\n| --- | ---: | ---: | ---: | ---: | ---: |\n"
	for i, c := range consumers {
		median := func(of func(figures) float64) float64 {
			var all []float64
			for _, f := range c.all {
				all = append(all, of(f))
			}
			return turns.Of(all).Median
		}
		ratio := turns.Ratio(cpu[i], cpu[0])
		table += fmt.Sprintf("| %s | %.3f | %.0f | %.0f | %.2f (%.2f–%.2f) | %.1f |\n", c.name, median(func(f figures) float64 { return f.allocs }),
			median(func(f figures) float64 { return f.bytes }), turns.Of(cpu[i]).Median, ratio.Median, ratio.Least, ratio.Most,
			median(func(f figures) float64 { return f.p99 }))
	}
	t.Log("\n" + table)
	testkit.Table(t, "../../../docs/generated/kafka.md", "kafka", table, true)
}
