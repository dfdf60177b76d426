// Package arenajson is encoding/json with its memory in an arena: what it reads,
// writes and returns is what encoding/json does, and nothing is left for the collector.
//
//	var order Order
//	err := arenajson.Unmarshal(a, body, &order)
//	reply, err := arenajson.Marshal(a, &answer)
//
// Values and documents lie in the arena that is passed, and end with its epoch. A
// nil arena stands for the heap.
//
// What differs from encoding/json is a table in docs/generated/json.md, each line run by a test.
// Builtin maps that are read belong to the arena, which clears and reuses them. On the heap stay
// errors, what is passed to Marshal by value, and what methods such as UnmarshalJSON make.
package arenajson

// Both compilers of types here, dec... and enc..., speak the words of "Compiled types" in
// internal/machine/doc.go.
