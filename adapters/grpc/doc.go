// Package arenagrpc gives each gRPC call an arena of its own: the request is decoded
// into it, the handler may allocate in it, and it goes back to its pool when the reply
// has been marshalled.
//
//	pool := arena.NewAutoPool(0)
//	pool.SetLimit(8<<20, 256<<20)
//	server := grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()))
//	orderpb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), &orders{})
//
// Generated code and stats handlers stay as they are. Handlers and interceptors stay as they
// are if they keep nothing of a request. A request belongs to the call, as a pooled buffer
// does: what stays after it is copied, with arenapb.Clone, arena.Escape or strings.Clone, or
// the arena is taken over with Keep. That includes strings for metric labels, span
// attributes, keys of caches, and loggers that write later. Of services that can't be
// changed, HeapFor leaves the messages on the heap.
//
// # How the codec finds the call
//
// Wrap registers each service with handlers of its own, which run the generated ones
// with a context that leads to the call and with a dec that first notes, in a sync.Map,
// which call the message is for: a sync.Map locks one node of its tree for a write and
// nothing for a read, so calls don't wait for each other. The codec, which gRPC hands
// nothing but the bytes and that very message, takes the note out by the message's
// address, and only then, with the whole message there, takes an arena from the pool:
// a stream that waits for its peer holds none. A message without a note, as of a client
// or of a service that was registered plainly, is decoded on the heap as by gRPC's own
// codec. When all interceptors have returned, the wrapped handler marshals the reply
// itself, gives the arena back in a deferred call, whatever has happened, and hands gRPC
// the bytes in an envelope that the codec opens. Where the server has a stats handler,
// which is shown the reply after it was sent, gRPC is handed a copy of the reply on the
// heap in place of the envelope.
package arenagrpc
