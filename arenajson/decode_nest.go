package arenajson

// deepNest is how deep a document is read with no look at what comes. One that is deeper
// is first checked to its end, without recursion. To find only at the end that it is not
// JSON would be dear: a stack of megabytes grows and has to be unwound, and a nest has
// few bytes and makes many values.
const deepNest = 256

// deeper counts an array or an object that begins at i.
func (d *decoder) deeper(i int) {
	if d.depth++; d.depth >= deepNest {
		d.deep(i)
	}
}

// deep is deeper where nests are deep.
func (d *decoder) deep(i int) {
	if d.depth > maxNesting {
		d.fail()
	}
	if d.depth == deepNest && !d.valid {
		d.checkRest(i)
		d.valid = true
	}
}

// checkRest makes sure that the document, which is read up to the bracket at i, is JSON.
func (d *decoder) checkRest(i int) {
	check := *d
	check.depth = 0
	check.strict = false // what Strict forbids is found in its turn
	var buf [deepNest]level
	var open brackets
	w := walk{doc: d.doc}
	outer := w.levels(buf[:0], i)
	for depth, l := range outer {
		open.set(depth, d.doc[l.at])
	}
	if end := check.space(check.nest(i, len(outer), &open)); end != d.n {
		d.fail()
	}
}

// brackets has a bit for each open bracket: whether it is a brace.
type brackets [maxNesting/64 + 1]uint64

func (b *brackets) set(depth int, c byte) {
	bit := uint64(1) << (depth % 64)
	if b[depth/64] &^= bit; c == '{' {
		b[depth/64] |= bit
	}
}

func (b *brackets) brace(depth int) bool { return b[depth/64]>>(depth%64)&1 != 0 }

// skipNest is skip for an array or an object, whatever is nested in it, without
// recursion. It does not see what Strict forbids between members.
func (d *decoder) skipNest(i int) int {
	var open brackets
	return d.nest(i, d.depth, &open)
}

// nest reads what begins at i, within depth brackets, to the end of those that are more
// than the decoder's depth, and returns where that is.
func (d *decoder) nest(i, depth int, open *brackets) int {
	for {
		if c := d.at(i); c != '{' && c != '[' {
			i = d.space(d.skip(i))
		} else {
			if depth == maxNesting {
				d.fail()
			}
			open.set(depth, c)
			depth++
			if i = d.space(i + 1); d.at(i) != c+2 { // as ] and } are to [ and {
				if c == '{' {
					i = d.skipName(i)
				}
				continue
			}
		}
		for { // behind a value, or where one without any ends
			brace := open.brace(depth - 1)
			c := d.at(i)
			if c == ',' {
				if i = d.space(i + 1); brace {
					i = d.skipName(i)
				}
				break
			}
			if brace && c != '}' || !brace && c != ']' {
				d.fail()
			}
			i++
			if depth--; depth == d.depth {
				return i
			}
			i = d.space(i)
		}
	}
}

// skipName reads a name that nobody wants, and the colon and the spaces behind it.
func (d *decoder) skipName(i int) int {
	if d.at(i) != '"' {
		d.fail()
	}
	if i = d.space(d.skipString(i)); d.at(i) != ':' {
		d.fail()
	}
	return d.space(i + 1)
}
