// Package reader has a type that reads its JSON itself, and keeps what it was given: nothing that is
// read may lie in the arena.
package reader

import "encoding/json"

type word struct{ text string }

var last *word

func (w *word) UnmarshalJSON(data []byte) error {
	w.text, last = string(data), w
	return nil
}

// Read is the root.
func Read(data []byte) (n int) {
	var words []*word
	if json.Unmarshal(data, &words) != nil {
		return -1
	}
	for _, w := range words {
		n += len(w.text)
	}
	return n
}
