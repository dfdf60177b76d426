package arenajson

import "math/bits"

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
	check.depth, check.strict = 0, false // what Strict forbids is found in its turn
	var buf [deepNest]level
	w := walk{doc: d.doc}
	outer := w.levels(buf[:0], i)
	i = check.scan(i, len(outer), 0, 0)
	for k := len(outer) - 1; k >= 0; k-- {
		i = check.scan(i, k, braceBit(d.doc[outer[k].at]), 1)
	}
	if check.space(i) != d.n {
		d.fail()
	}
}

// isDocument reports whether all of d, which nobody reads, is a document.
func (d *decoder) isDocument() (ok bool) {
	defer func() {
		switch x := recover().(type) {
		case nil, trouble:
		default:
			panic(x)
		}
	}()
	return d.space(d.skip(d.space(0))) == d.n
}

// skip reads a value that nobody wants, and returns where it ends.
func (d *decoder) skip(i int) int { return d.scan(i, d.depth, 0, 0) }

// braceBit is 1 for a brace, and 0 for a square bracket.
func braceBit(c byte) uint64 { return uint64(c >> 5 & 1) }

// scan makes sure that the value at i, within depth brackets, is JSON, and returns where it
// ends. Of the brackets that are open in it, n of 64 at most, the lowest bit of open tells the
// innermost: whether it is a brace. Where there are some to begin with, i is behind a value
// in there. What is nested deeper is read by another call, so that a nest takes little stack.
func (d *decoder) scan(i, depth int, open uint64, n int) int {
	behind := n > 0
	for {
		switch c := d.at(i); {
		case behind:
			behind = false
		case c == '"':
			if end := d.plain(i + 1); d.at(end) == '"' && !d.strict {
				i = end + 1
			} else {
				i = d.skipRest(i+1, end)
			}
		case c-'0' <= 9 || c == '-':
			i = d.number(i)
		case c|0x20 != '{':
			i = d.literal(i)
		case depth+n == maxNesting:
			d.fail()
		case n == 64:
			i = d.scan(i, depth+n, 0, 0)
		default:
			open, n = open<<1|braceBit(c), n+1
			if c == '{' && d.strict {
				d.beginNames()
			}
			if i = d.space(i + 1); d.at(i) != c+2 { // as ] and } are to [ and {
				if c == '{' {
					i = d.skipName(i)
				}
				continue
			}
		}
		for { // behind a value, or where one without any ends
			if n == 0 {
				return i
			}
			c := d.at(i)
			if c <= ' ' {
				i = d.spaces(i)
				c = d.at(i)
			}
			brace := open & 1
			if c == ',' {
				if i = d.space(i + 1); brace != 0 {
					i = d.skipName(i)
				}
				break
			}
			if c != byte(']'|brace<<5) {
				d.fail()
			}
			if brace != 0 && d.strict {
				d.endNames()
			}
			i, open, n = i+1, open>>1, n-1
		}
	}
}

// skipName reads a name that nobody wants, and the colon and the spaces behind it.
func (d *decoder) skipName(i int) int {
	if d.at(i) != '"' {
		d.fail()
	}
	end := d.plain(i + 1)
	if d.at(end) == '"' && !d.strict {
		i = end + 1
	} else {
		at := i
		i = d.skipRest(i+1, end)
		if d.strict {
			d.addName(at, i)
		}
	}
	if d.at(i) != ':' {
		if i = d.space(i); d.at(i) != ':' {
			d.fail()
		}
	}
	return d.space(i + 1)
}

// literal reads one of the three words.
func (d *decoder) literal(i int) int {
	switch c := d.at(i); {
	case c == 't' && d.has(i, "true"), c == 'n' && d.has(i, "null"):
		return i + 4
	case c == 'f' && d.has(i, "false"):
		return i + 5
	}
	d.fail()
	return 0
}

// plain returns where the first byte from i on is that may not stand in a string.
func (d *decoder) plain(i int) int {
	for {
		if m := special(d.word(i)); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
		i += 8
	}
}
