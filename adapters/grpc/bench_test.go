package arenagrpc_test

import (
	"context"
	"fmt"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// raw is a codec of bytes, so that the client costs as little as it can.
type raw struct{}

func (raw) Name() string { return "proto" }
func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}
func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*int) = data.Len()
	return nil
}

// BenchmarkUnary is a unary call of a stock server beside one with arenas, both in memory
// with the client: the request comes back as the reply, or its first message does.
func BenchmarkUnary(b *testing.B) {
	desc := grpc.ServiceDesc{ServiceName: "bench.Echo", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{
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
	pool := arena.NewAutoPool(0)
	ours := serve(b, pool, withCodec(), func(_, wrapped grpc.ServiceRegistrar) { wrapped.RegisterService(&desc, nil) })
	stock := serve(b, pool, nil, func(plain, _ grpc.ServiceRegistrar) { plain.RegisterService(&desc, nil) })
	for _, n := range []int{1, 5, 600} {
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
		for _, method := range []string{"Echo", "First"} {
			call := func(conn *grpc.ClientConn) func() {
				return func() {
					var got int
					if err := conn.Invoke(b.Context(), "/bench.Echo/"+method, doc, &got, grpc.ForceCodecV2(raw{})); err != nil || method == "Echo" && got != len(doc) {
						b.Fatal(got, err)
					}
				}
			}
			b.Run(fmt.Sprintf("%s/%d_bytes", method, len(doc)), func(b *testing.B) { testkit.Duel(b, call(stock), call(ours)) })
		}
	}
}
