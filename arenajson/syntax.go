package arenajson

import (
	"encoding/json"
	"errors"
)

// maxNesting is how deep arrays and objects may be nested, as in encoding/json.
const maxNesting = 10000

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// notJSON is syntaxError for what may be JSON after all. It takes no memory for that.
func notJSON(data []byte) error {
	if json.Valid(data) {
		return nil
	}
	return syntaxError(data)
}

// syntaxError returns encoding/json's error for what is not JSON, whose text only that
// can make.
func syntaxError(data []byte) error {
	var raw json.RawMessage
	return json.Unmarshal(data, &raw)
}

// syntaxErrorIn returns what encoding/json says of a document that is none.
func syntaxErrorIn(doc []byte) error {
	if err := syntaxError(doc); err != nil {
		return err
	}
	return errors.New("arenajson: this is no JSON") // where encoding/json would take it
}
