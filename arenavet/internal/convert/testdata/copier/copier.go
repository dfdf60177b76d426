// Package copier copies by package bytes, by conversions, in hexadecimal and in base64: its copies lie in the
// arena, and so does that of a parameter whose address is returned. What a regular expression reads it does not keep.
package copier

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"regexp"
)

// Word is one of the list.
type Word struct {
	Text  []byte
	Upper []byte
	Code  []byte
	At    *Position
	Mark  *Word
	Next  *Word
}

// Position is where a word begins.
type Position struct{ Line, Column int }

var number = regexp.MustCompile(`^[0-9]+$`)

var errEmpty = errors.New("a word is empty")

// Parse is the root.
func Parse(text []byte) (first *Word, err error) {
	text = bytes.ReplaceAll(text, []byte{0}, []byte("\ufffd"))
	for line, words := range bytes.Split(text, []byte("\n")) {
		at, err := place(Position{Line: line}, words)
		if err != nil {
			return nil, err
		}
		w := &Word{Text: bytes.ToLower(words), Upper: bytes.ToUpper(words), At: at, Next: first}
		w.Code = []byte(hex.EncodeToString(words) + base64.RawStdEncoding.EncodeToString(words))
		if number.Match(w.Text) {
			w.Upper = bytes.ToUpper(nil)
		}
		w.Mark = named([]byte("a mark"))
		first = w
	}
	return first, nil
}

func named(text []byte) *Word { return &Word{Text: text} }

func place(at Position, word []byte) (*Position, error) {
	if len(word) == 0 {
		return nil, errEmpty
	}
	at.Column = bytes.IndexFunc(word, func(r rune) bool { return r != ' ' })
	return &at, nil
}
