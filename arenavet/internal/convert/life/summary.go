package life

// summary tells callers what a function does, by objects of the program's table.
type summary struct {
	cells   []held
	results []*set
	leaks   []leaked // of parameters, by their reasons
}

// held is what a function stores in a part of an object.
type held struct {
	*place
	held *set
}

// leaked is an object that lives for long.
type leaked struct {
	*thing
	why  Reason
	kept bool // others have it
}

// equal reports whether one does the same as another, but for reasons.
func (s *summary) equal(t *summary) bool {
	if t == nil || len(s.results) != len(t.results) || len(s.leaks) != len(t.leaks) || s.kept() != t.kept() || len(s.cells) != len(t.cells) {
		return false
	}
	for i := range s.results {
		if !s.results[i].equal(t.results[i]) {
			return false
		}
	}
	before := map[*place]*set{}
	for _, c := range t.cells {
		before[c.place] = c.held
	}
	for _, c := range s.cells {
		if other, ok := before[c.place]; !ok || !c.held.equal(other) {
			return false
		}
	}
	return true
}

// kept is how many of the leaks others have.
func (s *summary) kept() (n int) {
	for _, l := range s.leaks {
		if l.kept {
			n++
		}
	}
	return n
}
