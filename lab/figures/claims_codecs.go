package figures

import "slices"

// Protobuf lists the comparisons of arenapb with other protobuf codecs.
var Protobuf = protobuf()

func protobuf() (all []Claim) {
	for _, doc := range []struct {
		name string
		vt   bool // vtprotobuf has generated code for it
	}{
		{"otlp_trace_small", true}, {"otlp_traces", true}, {"otlp_logs", true}, {"otlp_metrics", true}, {"file_descriptor_set", false},
		{"deep_tree", true}, {"struct", false}, {"maps_of_text_and_bytes", true}, {"entries_with_bytes", true},
	} {
		in, out := "protobuf/Codec/op=decode/doc="+doc.name+"/live=0/codec=", "protobuf/Codec/op=encode/doc="+doc.name+"/live=0/codec="
		read, written := []Claim{
			{"protobuf, decode: " + doc.name, "times as fast as `proto.Unmarshal`", in + "proto.Unmarshal", in + "arenapb"},
		}, []Claim{
			{"protobuf, encode: " + doc.name, "allocations", out + "arenapb@allocs/op", ""},
		}
		if doc.vt {
			read = append(read, Claim{"", "times as fast as vtprotobuf's pools", in + "vtprotobuf", in + "arenapb"})
			written = append(written, Claim{"", "times as fast as `MarshalVT`", out + "MarshalVT", out + "arenapb"})
		}
		all = slices.Concat(all, read, written)
	}
	// With a pool that has decoded all of the documents, as the pools of vtprotobuf have.
	const mixed = "protobuf/Codec/op=decode,_after_all_others/doc=otlp_trace_small/live=0/codec="
	// The body is first read into the arena or a buffer, which the message shares.
	const body = "protobuf/Codec/op=decode_a_body/doc="
	return append(all,
		Claim{"protobuf, decode, after all others: otlp_trace_small", "times as fast as `proto.Unmarshal`", mixed + "proto.Unmarshal", mixed + "arenapb"},
		Claim{"", "times as fast as vtprotobuf's pools", mixed + "vtprotobuf", mixed + "arenapb"},
		Claim{"protobuf, decode a body: otlp_traces", "times as fast as vtprotobuf's pools", body + "otlp_traces/live=0/codec=vtprotobuf", body + "otlp_traces/live=0/codec=arenapb"},
		Claim{"protobuf, decode a body: entries_with_bytes", "times as fast as vtprotobuf's pools", body + "entries_with_bytes/live=0/codec=vtprotobuf", body + "entries_with_bytes/live=0/codec=arenapb"},
	)
}

// duel is a claim from the result of testkit.Duel: how many times as fast as the other side.
func duel(work, measure, name string) Claim {
	return Claim{work, measure, name + "@times", ""}
}

const (
	stock       = "times the processor time of a stock server, client included"
	collectRows = "times as fast as `pgx.CollectRows`, over the socket"
	decoding    = "the same without the server"
	handlerOnly = "times as fast as without `Handler`, which it costs"
	stockConn   = "times as fast as a stock handler, without the network"
)

// Adapters lists the claims from the benchmarks of the other adapters.
var Adapters = []Claim{
	{"gRPC, 124 B, the request comes back", stock, "grpc/Unary/Echo/maps=1@of-theirs", ""},
	{"", "allocations of the server alone", "grpc/Alone/maps=1/side=arena@allocs/op", ""},
	{"", "allocations of a stock server alone", "grpc/Alone/maps=1/side=stock@allocs/op", ""},
	{"", "times the processor time of a stock server, both alone", "grpc/Alone/maps=1/side=arena", "grpc/Alone/maps=1/side=stock"},
	{"gRPC, 124 B, its first message comes back", stock, "grpc/Unary/First/maps=1@of-theirs", ""},
	{"gRPC, 620 B, the request comes back", stock, "grpc/Unary/Echo/maps=5@of-theirs", ""},
	{"", "allocations of the server alone", "grpc/Alone/maps=5/side=arena@allocs/op", ""},
	{"", "allocations of a stock server alone", "grpc/Alone/maps=5/side=stock@allocs/op", ""},
	{"", "times the processor time of a stock server, both alone", "grpc/Alone/maps=5/side=arena", "grpc/Alone/maps=5/side=stock"},
	{"gRPC, 620 B, its first message comes back", stock, "grpc/Unary/First/maps=5@of-theirs", ""},
	{"gRPC, 75 KB with 600 maps, the request comes back", stock, "grpc/Unary/Echo/maps=600@of-theirs", ""},
	{"gRPC, 75 KB with 600 maps, its first message comes back", stock, "grpc/Unary/First/maps=600@of-theirs", ""},
	{"gRPC, 124 B, one in 16 of 75 KB, the requests come back", stock, "grpc/Unary/Echo/maps=1,_one_in_16_of_600@of-theirs", ""},
	duel("connect, an empty request", stockConn, "connect/Unary/messages=0"),
	duel("connect, 1.2 KB, 20 messages", stockConn, "connect/Unary/messages=20"),
	duel("connect, 9.5 KB, 160 messages", stockConn, "connect/Unary/messages=160"),
	duel("connect, 90 KB, 1,500 messages", stockConn, "connect/Unary/messages=1500"),
	duel("connect, 1.2 KB, one in 16 of 90 KB", stockConn, "connect/Unary/messages=20,_one_in_16_of_1500"),
	duel("pgx, 1 row", collectRows, "pgx/CollectRows/socket/rows=1"),
	duel("", decoding, "pgx/CollectRows/decode/rows=1"),
	duel("pgx, 10 rows", collectRows, "pgx/CollectRows/socket/rows=10"),
	duel("", decoding, "pgx/CollectRows/decode/rows=10"),
	duel("pgx, 100 rows", collectRows, "pgx/CollectRows/socket/rows=100"),
	duel("", decoding, "pgx/CollectRows/decode/rows=100"),
	duel("pgx, 1 row, one in 16 of 100 rows", collectRows, "pgx/CollectRows/socket/rows=1,_one_in_16_of_100"),
	duel("", decoding, "pgx/CollectRows/decode/rows=1,_one_in_16_of_100"),
	duel("pgx, 10,000 rows", collectRows, "pgx/CollectRows/socket/rows=10000"),
	duel("", decoding, "pgx/CollectRows/decode/rows=10000"),
	duel("fasthttp, a GET with a fixed answer", handlerOnly, "fasthttp/Server/Get10ReqPerConn"),
	duel("fasthttp, a POST with a fixed answer", handlerOnly, "fasthttp/Server/Post10ReqPerConn"),
	duel("fasthttp, a POST of JSON, read and written", "times as fast as with `encoding/json`", "fasthttp/Server/JSON10ReqPerConn"),
}
