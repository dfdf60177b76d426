// Package arenajson is encoding/json with its memory in an arena: what it reads,
// writes and returns is what encoding/json does, and nothing is left for the collector.
//
//	var order Order
//	err := arenajson.Unmarshal(a, body, &order)
//	reply, err := arenajson.Marshal(a, &answer)
//
// Values and documents lie in the arena that is passed, and end with its life. A
// nil arena stands for the heap. docs/json.md says what stays on the heap in any case,
// and what it is worth.
package arenajson
