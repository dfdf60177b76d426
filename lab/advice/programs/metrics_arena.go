package programs

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/ebbpool/arena"
)

// ReadMetricsIn is ReadMetrics in an arena.
func ReadMetricsIn(a *arena.Arena, scrape []byte) (uint64, error) {
	m := arena.NewOf(a, arenaMetrics{a, arena.NewMap[string, *arenaFamily](a, 0), arena.NewMap[string, float64](a, 0)})
	for at := 0; at < len(scrape); {
		text, _, _ := bytes.Cut(scrape[at:], []byte("\n"))
		if err := m.line(at, text); err != nil {
			return 0, err
		}
		at += len(text) + 1
	}
	return m.digest(), nil
}

type arenaFamily struct {
	name, kind, help string
	samples          []*arenaSample
}

type arenaSample struct {
	labels *arena.Map[string, string]
	value  float64
	time   int64
}

type arenaMetrics struct {
	arena    *arena.Arena
	families *arena.Map[string, *arenaFamily]
	sums     *arena.Map[string, float64]
}

func (m *arenaMetrics) family(name string) *arenaFamily {
	f, _ := m.families.Get(name)
	if f == nil {
		f = arena.NewOf(m.arena, arenaFamily{name: name})
		m.families.Set(name, f)
	}
	return f
}

func (m *arenaMetrics) line(at int, text []byte) error {
	l := line{text}
	if l.take('#') {
		l.take(' ')
		what, name := string(l.word()), m.arena.AllocBytesToString(l.word())
		switch what {
		case "HELP":
			m.family(name).help = m.arena.AllocBytesToString(l.rest)
		case "TYPE":
			m.family(name).kind = m.arena.ToLower(m.arena.AllocBytesToString(l.rest))
		}
		return nil
	}
	name := m.arena.AllocBytesToString(l.name())
	if name == "" {
		return &SyntaxError{at, "a name is wanted"}
	}
	s := arena.NewOf(m.arena, arenaSample{labels: arena.NewMap[string, string](m.arena, 0)})
	if l.take('{') {
		for !l.take('}') {
			key := m.arena.AllocBytesToString(l.name())
			if key == "" || !l.take('=') {
				return &SyntaxError{at, "a label is wanted"}
			}
			value, escaped, ok := l.quoted()
			if !ok {
				return &SyntaxError{at, "a label's value is wanted"}
			}
			text := m.arena.AllocBytesToString(value)
			if escaped {
				text = unescapedIn(m.arena, text)
			}
			s.labels.Set(key, text)
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
	f.samples = arena.Append(m.arena, f.samples, s)
	k := m.key(name, s.labels)
	sum, _ := m.sums.Get(k)
	m.sums.Set(k, sum+s.value)
	return nil
}

// key is what samples have in common that are summed up.
func (m *arenaMetrics) key(name string, labels *arena.Map[string, string]) string {
	names := sortedKeys(m.arena, labels)
	if len(names) > 0 {
		names = names[:len(names)-1]
	}
	b := arena.NewBuffer(m.arena, 64)
	b.WriteString(name)
	for _, n := range names {
		value, _ := labels.Get(n)
		b.WriteString(m.arena.Concat(",", n, "=", value))
	}
	return b.String()
}

func (m *arenaMetrics) digest() uint64 {
	var d digest
	for _, name := range sortedKeys(m.arena, m.families) {
		f, _ := m.families.Get(name)
		d.text(f.name)
		d.text(f.kind)
		d.text(f.help)
		for _, s := range f.samples {
			d.number(uint64(s.time))
			var labels digest // the same in every order
			for k, v := range s.labels.All() {
				var one digest
				one.text(k)
				one.text(v)
				labels += one
			}
			d.number(uint64(labels))
		}
	}
	for _, k := range sortedKeys(m.arena, m.sums) {
		d.text(k)
		sum, _ := m.sums.Get(k)
		b := arena.NewBuffer(m.arena, 24)
		b.AppendFloat(sum, 'g', -1, 64)
		d.text(b.String())
	}
	return uint64(d)
}

// sortedKeys are the keys of m, in order.
func sortedKeys[V any](a *arena.Arena, m *arena.Map[string, V]) []string {
	keys := arena.MakeSlice[string](a, 0, m.Len())
	for k := range m.All() {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
