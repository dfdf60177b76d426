package jsonbench

import (
	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
)

// decode is arenajson's.
func decode(a *arena.Arena, doc []byte, v any) error { return arenajson.Unmarshal(a, doc, v) }
