package shop

import "testing"

var sink []any

func TestFind(t *testing.T) {
	for range 100 {
		sink = append(sink[:0], find("x"))
	}
	sink = nil
}

func TestKeep(t *testing.T) {
	for range 50 {
		keep("x")
	}
}
