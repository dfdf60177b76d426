package jsonbench

import "github.com/ebbpool/arena"

// decode is arenajson's, which can't decode yet.
var decode func(a *arena.Arena, doc []byte, v any) error
