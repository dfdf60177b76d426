// Package arenapb stands in for the real one, whose dependencies the analyzer's tests
// would have to read each time.
package arenapb

import "github.com/ebbpool/arena"

type Message interface{ Reset() }

func Unmarshal(a *arena.Arena, data []byte, m Message) error {
	return UnmarshalOptions{}.Unmarshal(a, data, m)
}

type UnmarshalOptions struct{ Merge bool }

func (o UnmarshalOptions) Unmarshal(a *arena.Arena, data []byte, m Message) error {
	if len(data) != 0 {
		m.Reset()
	}
	return nil
}

func Marshal(a *arena.Arena, m Message) ([]byte, error) { return MarshalOptions{}.Marshal(a, m) }

type MarshalOptions struct{ Deterministic bool }

func (o MarshalOptions) Marshal(a *arena.Arena, m Message) ([]byte, error) {
	return a.AllocBytes(8), nil
}

func Clone[M Message](m M) M { return m }
