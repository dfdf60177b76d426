// Package arenapb decodes protobuf messages into an arena. It works with the ordinary generated messages of
// google.golang.org/protobuf, without another generator or other types.
//
//	a := pool.Get()
//	defer pool.Put(a)
//	req := arena.New[orderpb.Order](a)
//	if err := arenapb.Unmarshal(a, body, req); err != nil {
//		return err
//	}
//
// The memory of the message is in the arena and must not be used after the arena's Reset or Put. Copy
// messages that must live longer with Clone. See docs/adapters.md for what stays on the heap and for
// benchmarks.
package arenapb

// The compiler of types uses the terms of "Compiled types" in internal/machine/doc.go.
