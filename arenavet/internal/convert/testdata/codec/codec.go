// Package codec has a handler that reads and writes JSON: what it reads for the request and what it
// reads for the program.
package codec

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

type line struct {
	Name string
	Tags []string
}

type order struct {
	ID    string
	Lines []*line
}

type settings struct {
	Name string
	Max  int
}

var (
	current settings
	seen    = map[string]bool{}
	kept    []string
	decoder *json.Decoder
	shared  line
	reply   []byte
)

func read(r io.Reader, v any) error { return json.NewDecoder(r).Decode(v) }

func parse(data []byte) any {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return nil
	}
	return v
}

// strict has options, which are arguments there.
func strict(r io.Reader) (*order, error) {
	var o order
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	d.UseNumber()
	for d.More() {
		if err := d.Decode(&o); err != nil {
			return nil, err
		}
	}
	return &o, nil
}

// note keeps one text of what it reads, and so all of it.
func note(data []byte) {
	var s settings
	if json.Unmarshal(data, &s) == nil {
		seen[s.Name] = true
	}
}

// refresh reads into what its variable led to before.
func refresh(data []byte) {
	var s = struct{ Current *settings }{&current}
	_ = json.Unmarshal(data, &s)
}

// fill does so for its caller, who alone knows.
func fill(o *order, data []byte) { _ = json.Unmarshal(data, o) }

// later sets an option where it is too late for an argument.
func later(r io.Reader) (l line) {
	d := json.NewDecoder(r)
	if d.More() {
		d.UseNumber()
	}
	_ = d.Decode(&l)
	return l
}

func tokens(r io.Reader) (n int) {
	d := json.NewDecoder(r)
	for {
		if _, err := d.Token(); err != nil {
			return n
		}
		n++
	}
}

func indented(o *order) []byte {
	text, _ := json.MarshalIndent(o, "", "\t")
	return text
}

// Serve is the root.
func Serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var first line
	if read(bytes.NewReader(body), &first) != nil || read(bytes.NewReader(body), &current) != nil {
		return
	}
	o, err := strict(bytes.NewReader(body))
	if err != nil {
		return
	}
	note(body)
	refresh(body)
	fill(&order{Lines: []*line{&shared}}, body)
	fill(o, body)
	m, _ := parse(body).(map[string]any)
	if id, ok := m["ID"].(string); ok {
		kept = append(kept, id)
	}
	decoder = json.NewDecoder(bytes.NewReader(body))
	l := later(bytes.NewReader(body))
	o.Lines = append(o.Lines, &first, &l, &line{Name: string(rune('a' + tokens(bytes.NewReader(body))))})
	text, err := json.Marshal(o)
	if err != nil {
		return
	}
	w.Write(text)
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	_ = e.Encode(&line{Name: string(indented(o))})
	reply, _ = json.Marshal(o) // it leads to nothing of o
}
