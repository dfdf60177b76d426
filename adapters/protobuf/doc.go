// Package arenapb decodes protobuf messages into an arena: the ordinary generated
// messages of google.golang.org/protobuf, with no other generator and no other types.
//
//	a := pool.Get()
//	defer pool.Put(a)
//	req := arena.New[orderpb.Order](a)
//	if err := arenapb.Unmarshal(a, body, req); err != nil {
//		return err
//	}
//
// What the message leads to lies in the arena, and must not be used after the arena's
// Reset or Put; what is to live longer is copied with Clone. See docs/adapters.md for
// what stays on the heap and for figures.
package arenapb

// The compiler of types here speaks the words of "Compiled types" in
// internal/machine/doc.go.
