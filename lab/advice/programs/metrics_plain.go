package programs

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ReadMetrics reads a scrape's lines, and sums up each family's samples by all
// labels but the last.
func ReadMetrics(scrape []byte) (uint64, error) {
	m := &metrics{families: map[string]*family{}, sums: map[string]float64{}}
	for at := 0; at < len(scrape); {
		text, _, _ := bytes.Cut(scrape[at:], []byte("\n"))
		if err := m.line(at, text); err != nil {
			return 0, err
		}
		at += len(text) + 1
	}
	return m.digest(), nil
}

type family struct {
	name, kind, help string
	samples          []*sample
}

type sample struct {
	labels map[string]string
	value  float64
	time   int64
}

type metrics struct {
	families map[string]*family
	sums     map[string]float64
}

func (m *metrics) family(name string) *family {
	f := m.families[name]
	if f == nil {
		f = &family{name: name}
		m.families[name] = f
	}
	return f
}

func (m *metrics) line(at int, text []byte) error {
	l := line{text}
	if l.take('#') {
		l.take(' ')
		what, name := string(l.word()), string(l.word())
		switch what {
		case "HELP":
			m.family(name).help = string(l.rest)
		case "TYPE":
			m.family(name).kind = strings.ToLower(string(l.rest))
		}
		return nil
	}
	name := string(l.name())
	if name == "" {
		return &SyntaxError{at, "a name is wanted"}
	}
	s := &sample{labels: map[string]string{}}
	if l.take('{') {
		for !l.take('}') {
			key := string(l.name())
			if key == "" || !l.take('=') {
				return &SyntaxError{at, "a label is wanted"}
			}
			value, escaped, ok := l.quoted()
			if !ok {
				return &SyntaxError{at, "a label's value is wanted"}
			}
			text := string(value)
			if escaped {
				text = unescaped(text)
			}
			s.labels[key] = text
			l.take(',')
		}
	}
	l.take(' ')
	var err error
	if s.value, err = strconv.ParseFloat(string(l.word()), 64); err != nil {
		return &SyntaxError{at, "a number is wanted"}
	}
	if len(l.rest) > 0 {
		if s.time, err = strconv.ParseInt(string(l.rest), 10, 64); err != nil {
			return &SyntaxError{at, "a time is wanted"}
		}
	}
	f := m.family(name)
	f.samples = append(f.samples, s)
	m.sums[key(name, s.labels)] += s.value
	return nil
}

// key is what samples have in common that are summed up.
func key(name string, labels map[string]string) string {
	names := slices.Sorted(maps.Keys(labels))
	if len(names) > 0 {
		names = names[:len(names)-1]
	}
	var b strings.Builder
	b.WriteString(name)
	for _, n := range names {
		b.WriteString("," + n + "=" + labels[n])
	}
	return b.String()
}

func (m *metrics) digest() uint64 {
	var d digest
	for _, name := range slices.Sorted(maps.Keys(m.families)) {
		f := m.families[name]
		d.text(f.name)
		d.text(f.kind)
		d.text(f.help)
		for _, s := range f.samples {
			d.number(uint64(s.time))
			var labels digest // the same in every order
			for k, v := range s.labels {
				var one digest
				one.text(k)
				one.text(v)
				labels += one
			}
			d.number(uint64(labels))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(m.sums)) {
		d.text(k)
		d.text(strconv.FormatFloat(m.sums[k], 'g', -1, 64))
	}
	return uint64(d)
}
