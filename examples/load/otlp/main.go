//go:build linux

// Command otlp measures examples/otlp with and without arenas: go run ./otlp.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/examples/otlp/batch"
	"github.com/ebbpool/arena/examples/otlp/receiver"
	"github.com/ebbpool/arena/lab/load"
)

var spans = flag.Int("spans", 375, "spans of a request: 375 are 90 KB, 1 is 457 B")

var sides = []string{"plain", "arena"}

var measured = load.Service{Name: "otlp", Sides: sides, Open: []int{33}, Steady: sides, Serve: serve, Senders: senders,
	Begin: func(context.Context, string) (string, error) { return "", nil }}

func main() { measured.Main() }

func serve(ctx context.Context, side, _ string, l net.Listener) error {
	var pool *arena.ArenaPool
	switch side {
	case "arena":
		pool = arena.NewAutoPool(0)
		pool.SetLimit(64<<20, 512<<20)
	case "plain":
	default:
		return fmt.Errorf("-serve %s; plain or arena", side)
	}
	s := receiver.Server(receiver.New(), pool)
	context.AfterFunc(ctx, s.Stop)
	if err := s.Serve(l); err != nil && ctx.Err() == nil {
		return err
	}
	if pool != nil {
		if s := pool.Stats(); s.Gets != s.Puts {
			return fmt.Errorf("%d arenas are still out", s.Gets-s.Puts)
		}
	}
	return nil
}

// export is the method to call.
const export = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

// ready is a codec for encoded requests, so that the client's work is small and the same for both servers.
type ready struct{}

func (ready) Name() string { return "proto" }
func (ready) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}
func (ready) Unmarshal(data mem.BufferSlice, v any) error {
	if n := data.Len(); n != 0 { // the encoding of an empty reply
		return fmt.Errorf("the server rejects what it was sent: %d bytes", n)
	}
	return nil
}

type sender struct {
	conn *grpc.ClientConn
	data []byte
}

func (s *sender) Prepare(int) {}

func (s *sender) Send(int) ([]byte, error) {
	return nil, s.conn.Invoke(context.Background(), export, s.data, nil)
}

func senders(addr string, workers, _ int, _ uint64) (all []load.Sender, end func(), err error) {
	data, err := proto.Marshal(batch.Traces("orders", *spans))
	if err != nil {
		return nil, nil, err
	}
	var conns []*grpc.ClientConn
	for range 4 {
		conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.ForceCodecV2(ready{})))
		if err != nil {
			return nil, nil, err
		}
		conns = append(conns, conn)
	}
	for i := range workers {
		all = append(all, &sender{conns[i%len(conns)], data})
	}
	return all, func() {
		for _, c := range conns {
			c.Close()
		}
	}, nil
}
