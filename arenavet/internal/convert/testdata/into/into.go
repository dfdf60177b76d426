// Package into has a root that fills what it is given, as decoders do.
package into

type Message struct {
	Parts []*Part
	Notes map[string]string
}

type Part struct{ Text string }

var seen []*Part

type short struct{ text string }

func (s *short) Error() string { return s.text }

// Fill is the root: to ends with the arena, but not seen.
func Fill(to *Message, data []byte) error {
	for len(data) > 0 {
		n := int(data[0])
		if n >= len(data) {
			return &short{"short: " + string(data)}
		}
		to.add(part(data[1 : n+1]))
		data = data[n+1:]
	}
	keep(to)
	return nil
}

func part(data []byte) *Part { return &Part{Text: string(data)} }

func (m *Message) add(p *Part) { m.Parts = append(m.Parts, p) }

func keep(m *Message) {
	for range m.Parts[:1] {
		seen = append(seen, part([]byte("kept")))
	}
}
