package corpora

import (
	"bytes"
	"encoding/json"
	"testing"
)

// The types have a field for each member of their document, and encode to the same document.
func TestTypesHoldAll(t *testing.T) {
	for _, c := range All {
		doc, err := c.Read()
		if err != nil {
			t.Fatal(err)
		}
		v := c.New()
		d := json.NewDecoder(bytes.NewReader(doc))
		d.DisallowUnknownFields()
		if err := d.Decode(v); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes, %d again", c.Name, len(doc), len(again))
	}
}
