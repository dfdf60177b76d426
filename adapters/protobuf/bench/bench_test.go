package main

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/internal/testkit"
)

// All subjects read the same from each document, or their times mean nothing.
func TestSubjectsAgree(t *testing.T) {
	for _, d := range documents() {
		compare(d, subjects(d))
	}
}

// BenchmarkMarshal is proto.Marshal beside arenapb.Marshal, which saves only the memory.
func BenchmarkMarshal(b *testing.B) {
	for _, d := range documents() {
		a := arena.NewArena(chunkSize, maxRetained)
		b.Run(d.name, func(b *testing.B) {
			testkit.Duel(b, func() {
				_, err := proto.Marshal(d.kind)
				must(err)
			}, func() {
				_, err := arenapb.Marshal(a, d.kind)
				must(err)
				a.Reset()
			})
		})
	}
}
