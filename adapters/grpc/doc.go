// Package arenagrpc gives each gRPC call an arena: the request is decoded into it, the handler may allocate
// from it, and it goes back to its pool when the reply has been marshaled.
//
//	pool := arena.NewAutoPool(0)
//	pool.SetLimit(8<<20, 256<<20)
//	server := grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()))
//	orderpb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), &orders{})
//
// Generated code and stats handlers do not change. Handlers and interceptors do not change if they keep
// nothing of a request. A request belongs to the call, like a pooled buffer: copy what must outlive it, with
// arenapb.Clone, arena.Escape or strings.Clone, or take the arena over with [Keep]. This includes strings for
// metric labels, span attributes, cache keys, and loggers that write later. [HeapFor] leaves the messages of
// services that cannot be changed on the heap.
//
// # How the codec finds the call
//
// Wrap registers each service with its own handlers. They run the generated ones with a context that leads to
// the call, and with a dec function that first records in a sync.Map to which call the message belongs. gRPC
// passes only the bytes and this message to the codec, which removes the record by the message's address.
// Only then, with the whole message received, it takes an arena from the pool: a stream that waits for its
// peer holds none. A message without a record, as of a client or of a service registered without Wrap, is
// decoded on the heap as by gRPC's own codec.
//
// When all interceptors have returned, the wrapped handler marshals the reply, puts the arena back in a
// deferred call, and passes the bytes to gRPC in an envelope that the codec opens. If the server has a stats
// handler, which is shown the reply after it was sent, gRPC gets a copy of the reply on the heap instead.
package arenagrpc
