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

// BenchmarkMarshal is proto.Marshal beside arenapb.Marshal, and with the tag vt vtprotobuf's
// MarshalVT of the same message beside it.
func BenchmarkMarshal(b *testing.B) {
	for _, d := range documents() {
		a := arena.NewArena(chunkSize, maxRetained)
		ours := func() {
			_, err := arenapb.Marshal(a, d.kind)
			must(err)
			a.Reset()
		}
		b.Run(d.name, func(b *testing.B) {
			testkit.Duel(b, func() {
				_, err := proto.Marshal(d.kind)
				must(err)
			}, ours)
		})
		if s, ok := pooled(d); ok {
			m := s.read().(interface{ MarshalVT() ([]byte, error) })
			b.Run(d.name+"/vtprotobuf", func(b *testing.B) {
				testkit.Duel(b, func() {
					_, err := m.MarshalVT()
					must(err)
				}, ours)
			})
		}
	}
}
