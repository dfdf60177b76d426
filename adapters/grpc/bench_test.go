package arenagrpc_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
	"github.com/ebbpool/arena/internal/testkit"
)

// raw is a codec of bytes, so that the client costs little.
type raw struct{}

func (raw) Name() string { return "proto" }
func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}
func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*int) = data.Len()
	return nil
}

// lists responds with the request, or with its first message.
var lists = grpc.ServiceDesc{ServiceName: "bench.Echo", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{
	MethodName: "Echo",
	Handler: func(_ any, _ context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		in := new(structpb.ListValue)
		return in, dec(in)
	},
}, {
	MethodName: "First",
	Handler: func(_ any, _ context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		in := new(structpb.ListValue)
		if err := dec(in); err != nil {
			return nil, err
		}
		return in.Values[0], nil
	},
}}}

// list returns a message with n maps.
func list(b *testing.B, n int) []byte {
	list := &structpb.ListValue{}
	for i := range n {
		s, err := structpb.NewStruct(map[string]any{"id": i, "name": "a name of some length", "state": "running", "image": fmt.Sprint("registry.example/image/", i), "ready": true})
		if err != nil {
			b.Fatal(err)
		}
		list.Values = append(list.Values, structpb.NewStructValue(s))
	}
	doc, err := proto.Marshal(list)
	if err != nil {
		b.Fatal(err)
	}
	return doc
}

// call returns a function that sends messages with the given numbers of maps, in turn.
func call(b *testing.B, conn *grpc.ClientConn, method string, maps ...int) func() {
	docs := make([][]byte, len(maps))
	for i, n := range maps {
		docs[i] = list(b, n)
	}
	return func() {
		for _, doc := range docs {
			var got int
			if err := conn.Invoke(b.Context(), "/bench.Echo/"+method, doc, &got, grpc.ForceCodecV2(raw{})); err != nil || method == "Echo" && got != len(doc) {
				b.Fatal(got, err)
			}
		}
	}
}

// BenchmarkUnary compares a unary call of a stock server with one with arenas, both in memory with the
// client. The reply is the request, or its first message.
func BenchmarkUnary(b *testing.B) {
	pool := arena.NewAutoPool(0)
	ours := serve(b, pool, withCodec(), func(_, wrapped grpc.ServiceRegistrar) { wrapped.RegisterService(&lists, nil) })
	stock := serve(b, pool, nil, func(plain, _ grpc.ServiceRegistrar) { plain.RegisterService(&lists, nil) })
	for _, n := range []int{1, 5, 600} {
		for _, method := range []string{"Echo", "First"} {
			b.Run(fmt.Sprintf("%s/maps=%d", method, n), func(b *testing.B) { testkit.Duel(b, call(b, stock, method, n), call(b, ours, method, n)) })
		}
	}
	mixed := append(slices.Repeat([]int{1}, 15), 600)
	b.Run("Echo/maps=1,_one_in_16_of_600", func(b *testing.B) { testkit.Duel(b, call(b, stock, "Echo", mixed...), call(b, ours, "Echo", mixed...)) })
}

// BenchmarkAlone measures a unary call in the server alone: the client is another process, this program with
// BenchmarkClient. The cost of a connection is the same in two runs of different length and cancels out.
func BenchmarkAlone(b *testing.B) {
	for _, side := range []string{"stock", "arena"} {
		var options []grpc.ServerOption
		if side == "arena" {
			options = withCodec()
		}
		server := grpc.NewServer(options...)
		if side == "arena" {
			arenagrpc.Wrap(server, arena.NewAutoPool(0)).RegisterService(&lists, nil)
		} else {
			server.RegisterService(&lists, nil)
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		go server.Serve(l)
		b.Cleanup(server.Stop)
		for _, n := range []int{1, 5} {
			took := func(calls int) (allocations, bytes, ns float64) {
				cmd := exec.Command(os.Args[0], "-test.run=^$", "-test.bench=^BenchmarkClient$", fmt.Sprintf("-test.benchtime=%dx", calls))
				cmd.Env = append(os.Environ(), "BENCH_SERVER="+l.Addr().String(), fmt.Sprint("BENCH_MAPS=", n))
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				begun := testkit.ProcessorTime()
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
				spent := testkit.ProcessorTime() - begun
				runtime.ReadMemStats(&after)
				return float64(after.Mallocs - before.Mallocs), float64(after.TotalAlloc - before.TotalAlloc), float64(spent)
			}
			b.Run(fmt.Sprintf("maps=%d/side=%s", n, side), func(b *testing.B) {
				const few, many = 500, 4500
				took(few) // warm up
				allocations, bytes, ns := took(few)
				a, by, t := took(many)
				b.ReportAllocs() // otherwise testing does not print them
				b.ReportMetric((a-allocations)/(many-few), "allocs/op")
				b.ReportMetric((by-bytes)/(many-few), "B/op")
				b.ReportMetric((t-ns)/(many-few), "ns/op")
			})
		}
	}
}

// BenchmarkClient is the client of BenchmarkAlone.
func BenchmarkClient(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("BENCH_MAPS"))
	if err != nil {
		b.Skip("only BenchmarkAlone runs it")
	}
	conn, err := grpc.NewClient(os.Getenv("BENCH_SERVER"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	send := call(b, conn, "Echo", n)
	for range b.N {
		send()
	}
}
