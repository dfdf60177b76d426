package arenajson

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/readall"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// A Decoder reads JSON documents from a stream, like [json.Decoder]. The zero Decoder panics.
//
// A Decoder may be used across resets of its arena, but the variables that it has filled may not: their slices,
// maps and pointers refer to memory that was taken back, and Decode would fill that memory. Use a new variable, or a
// zero one, after a reset.
type Decoder struct {
	// The Decoder finds the end of a document before it decodes it (search). A document that seems to be one line
	// is decoded at once (line), and one that is longer than the read-ahead buffer is read into the arena (long).
	// Token and More read the brackets, commas and colons between documents.

	a       *arena.Arena
	options decoder
	r       io.Reader
	err     error // nothing more is read after it

	buf    []byte // read-ahead buffer
	at     int    // index in buf of the next document
	before int64  // number of bytes of the stream before buf

	tokens  tokens
	doc     docReader // of the document that long reads
	noLines bool      // documents are not lines
}

// The buffer of a Decoder grows from leastAhead to mostAhead bytes. A document of up to longestLine bytes may
// be found by its line end.
const (
	leastAhead  = 512
	mostAhead   = 64 << 10
	longestLine = 16 << 10
)

// NewDecoder returns a Decoder that reads from r and allocates from a, or from the heap if a is nil. It reads
// ahead up to 64 KB, which are on the heap. Longer documents are read into the arena, within its limit.
func NewDecoder(a *arena.Arena, r io.Reader, opts ...Option) *Decoder {
	d := &Decoder{a: a, r: r}
	d.options.set(opts)
	d.options.a = a
	return d
}

// Decode reads the next document and stores it in the value pointed to by v, like [Unmarshal]. It returns
// io.EOF at the end of the stream, and io.ErrUnexpectedEOF within a document.
//
// Errors of the stream, a [*json.SyntaxError], and a document that is too long for the arena's limit are
// final: Decode returns them again. The Offset of a *json.SyntaxError or [*StrictError] counts from the
// beginning of the stream, the Offset of a [*json.UnmarshalTypeError] from the end of the previous document,
// or from where More stopped.
//
// If Token has begun an array or an object, Decode reads the next value in it.
func (d *Decoder) Decode(v any) error {
	if d.err != nil {
		return d.err
	}
	if d.tokens.at != atTop {
		if err := d.toValue(); err != nil {
			return err
		}
	}
	err := d.decode(v)
	if d.err == nil {
		d.tokens.valueEnds()
	}
	return err
}

// decode reads the next value.
func (d *Decoder) decode(v any) error {
	start := d.InputOffset()
	x := d.options
	err := errGuessed
	if doc := d.line(); doc != nil {
		d.at += len(doc)
		x.guessed = true
		if err = x.unmarshal(doc, v); err == errGuessed {
			d.at -= len(doc)
			d.noLines = true
			x = d.options
		}
	}
	if err == errGuessed {
		doc, stop := d.next(&x)
		if stop != nil {
			if e, ok := stop.(*json.SyntaxError); ok {
				e.Offset += start
			}
			d.err = stop
			return stop
		}
		err = x.unmarshal(doc, v)
	}
	switch e := err.(type) {
	case *json.SyntaxError:
		if d.before <= start { // the document is in buf
			d.at = int(start - d.before)             // for Buffered, as in encoding/json
			errors.As(syntaxError(d.buf[d.at:]), &e) // the message may quote what follows
		}
		e.Offset += start
		d.err = e
		return e
	case *StrictError:
		e.Offset += start
		return e
	default:
		return e
	}
}

// More reports whether there is another document, or another element of the array or object that Token has
// begun. It skips spaces, and waits for the byte after them.
//
// After an error of Decode, More may report true forever: stop at the error.
func (d *Decoder) More() bool {
	c, err := d.peek()
	return err == nil && c != ']' && c != '}'
}

// InputOffset returns the number of bytes of the stream that Decode, Token and More have read.
func (d *Decoder) InputOffset() int64 { return d.before + int64(d.at) }

// Buffered returns a reader of the data remaining in the Decoder's buffer. The reader is valid until the next
// call to Decode, Token or More.
func (d *Decoder) Buffered() io.Reader { return bytes.NewReader(d.buf[d.at:]) }

// line returns the next document if it seems to be one line, as in most streams. Decoding then shows whether
// it is, which saves the search for its end.
func (d *Decoder) line() []byte {
	b := d.buf[d.at:]
	begin := 0
	for begin < len(b) && isSpace(b[begin]) {
		begin++
	}
	if d.noLines || begin == len(b) || b[begin]|0x20 != '{' {
		return nil
	}
	n := bytes.IndexByte(b[begin:min(len(b), begin+longestLine)], '\n')
	if n < 0 {
		d.noLines = len(b) >= begin+longestLine
		return nil
	}
	end := begin + n
	for isSpace(b[end-1]) {
		end--
	}
	if b[end-1] == ',' && d.tokens.depth > 0 {
		end--
	}
	if b[end-1] != b[begin]+2 { // as } and ] are to { and [
		return nil
	}
	return b[:end]
}

// next finds the next document, including the spaces before it. One that is too long for buf is set up in x.
func (d *Decoder) next(x *decoder) ([]byte, error) {
	var s search
	var stopped error
	for {
		end := s.find(d.buf[d.at:])
		if end < 0 && stopped != nil {
			if end, stopped = s.ends(d.buf[d.at:], stopped); stopped != nil {
				return nil, stopped
			}
		}
		if end >= 0 {
			doc := d.buf[d.at:][:end]
			d.at += end
			return doc, nil
		}
		if d.at == 0 && len(d.buf) >= mostAhead {
			return d.long(x, s)
		}
		stopped = d.fill()
	}
}

// fill discards decoded data and reads more. If a Read has filled all of buf, buf doubles, because most
// documents are searched for their ends if few of them fit.
func (d *Decoder) fill() error {
	full := len(d.buf) == cap(d.buf) && (d.at == 0 || len(d.buf) < longestLine)
	if d.at > 0 {
		d.before += int64(d.at)
		d.buf = d.buf[:copy(d.buf, d.buf[d.at:])]
		d.at = 0
	}
	if full {
		bigger := make([]byte, len(d.buf), max(leastAhead, min(2*cap(d.buf), mostAhead)))
		copy(bigger, d.buf)
		d.buf = bigger
	}
	if d.r == nil {
		panic("arenajson: Decoder: no reader: decoder was not made by NewDecoder")
	}
	n, err := readall.Some(d.r, d.buf[len(d.buf):cap(d.buf)])
	d.buf = d.buf[:len(d.buf)+n]
	return err
}

// long reads the document that begins with all of buf, and sets it up in x. It needs a limit of little more
// than the document's size.
func (d *Decoder) long(x *decoder, s search) (doc []byte, err error) {
	s.i -= len(d.buf)
	d.doc = docReader{r: d.r, search: s, begin: d.buf, buf: d.buf[:0]}
	doc, err = x.readAll(&d.doc, true)
	if !d.doc.done {
		if err == nil {
			err = io.EOF
		}
		_, err = d.doc.search.ends(doc, err)
	}
	if err != nil {
		return nil, err
	}
	d.before += int64(len(doc))
	d.buf = d.doc.buf
	return doc, nil
}

// A docReader reads one document from a stream, and then returns io.EOF.
type docReader struct {
	r      io.Reader
	search search
	begin  []byte // the beginning of the document, which was searched
	buf    []byte // receives the bytes read after the document
	done   bool
}

func (r *docReader) Read(p []byte) (int, error) {
	switch {
	case r.done:
		return 0, io.EOF
	case len(r.begin) > 0:
		n := copy(p, r.begin)
		r.begin = r.begin[n:]
		return n, nil
	}
	n, err := readall.Some(r.r, p)
	if end := r.search.find(p[:n]); end >= 0 {
		r.buf, r.done = append(r.buf, p[end:n]...), true
		return end, nil
	}
	r.search.i -= n
	return n, err
}

// A search finds the end of a document in text that comes in pieces. It counts brackets and finds the ends of
// strings. If the document can't be JSON it stops early, and decoding then finds the error. The scanner
// can't replace it, because it can't pause at the end of a piece.
type search struct {
	i       int // index in the text at which the search continues
	depth   int
	quoted  bool
	literal string // the rest of true, false or null
	number  inNumber
}

// find continues at b[s.i:], and returns the index in b at which the document ends, or -1.
func (s *search) find(b []byte) int {
	switch {
	case s.number != atStart:
		return s.findNumber(b)
	case s.literal != "":
		return s.findLiteral(b)
	case s.depth == 0 && !s.quoted:
		for s.i < len(b) && isSpace(b[s.i]) {
			s.i++
		}
		if s.i == len(b) {
			return -1
		}
		switch b[s.i] {
		case '{', '[':
			s.depth = 1
		case '"':
			s.quoted = true
		case 't':
			s.literal = "true"
			return s.findLiteral(b)
		case 'f':
			s.literal = "false"
			return s.findLiteral(b)
		case 'n':
			s.literal = "null"
			return s.findLiteral(b)
		default:
			return s.findNumber(b)
		}
		s.i++
	}
	return s.findNested(b)
}

// findLiteral is find within a literal.
func (s *search) findLiteral(b []byte) int {
	for ; s.literal != ""; s.i, s.literal = s.i+1, s.literal[1:] {
		if s.i == len(b) {
			return -1
		}
		if b[s.i] != s.literal[0] {
			return s.i + 1 // an error
		}
	}
	return s.i
}

// findNumber is find within a number, which ends before another byte.
func (s *search) findNumber(b []byte) int {
	s.number, s.i = s.number.scan(xunsafe.ViewString(b), s.i)
	switch {
	case s.i == len(b):
		return -1
	case s.number.mayEnd():
		return s.i
	}
	return s.i + 1 // an error
}

// findNested is find within a string, an array or an object. Eight bytes without a quote or a bracket are
// skipped at once. After a backslash at the end of b, s.i is len(b)+1.
func (s *search) findNested(b []byte) (end int) {
	i, depth, quoted := s.i, s.depth, s.quoted
	for end = -1; end < 0 && i < len(b); {
		if i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			m := special(w)
			if !quoted {
				brackets := w | 0x20*ones // [ and { differ in that bit only, so do ] and }
				m = zeroBytes(w^'"'*ones) | zeroBytes(brackets^'{'*ones) | zeroBytes(brackets^'}'*ones)
			}
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) / 8
		}
		c := b[i]
		i++
		switch {
		case c == '"':
			if quoted = !quoted; !quoted && depth == 0 {
				end = i
			}
		case quoted:
			if c < ' ' {
				end = i // an error
			} else if c == '\\' {
				i++
			}
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				end = i // an error
			}
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				end = i
			}
		}
	}
	s.i, s.depth, s.quoted = i, depth, quoted
	return end
}

// ends returns the end of document b, after which the stream ends with err, or the error of Decode.
func (s *search) ends(b []byte, err error) (int, error) {
	if len(bytes.TrimLeft(b, " \t\r\n")) == 0 {
		return 0, err
	}
	if err == io.EOF && s.number.mayEnd() {
		return len(b), nil
	}
	if e, ok := notJSON(b).(*json.SyntaxError); ok && !isTruncated(e, b) {
		return 0, e
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return 0, err
}

// isTruncated reports whether e only says that b is not complete. Up to Go 1.26, encoding/json looks at a
// space after b, which may be invalid there.
func isTruncated(e *json.SyntaxError, b []byte) bool {
	text := e.Error()
	return text == textOfTruncated || e.Offset == int64(len(b)) && b[len(b)-1] != ' ' && strings.HasPrefix(text, "invalid character ' '")
}

// textOfTruncated is encoding/json's message for an empty document.
var textOfTruncated = notJSON(nil).Error()

// tokens is the state of Token: the open arrays and objects, and the position in the innermost.
type tokens struct {
	at    tokenPlace
	depth int
	open  [maxNesting/64 + 1]uint64 // a braceBit for each
}

// tokenPlace is a position before a token.
type tokenPlace uint8

const (
	atTop tokenPlace = iota
	atArrayStart
	atArrayValue // after a comma
	atArrayComma // after a value
	atObjectStart
	atObjectKey   // after a comma
	atObjectColon // after a name
	atObjectValue // after a colon
	atObjectComma // after a value
)

// standardPath leads encoding/json's Decoder to each place, to get its errors there.
var standardPath = [...]string{"", "[", `["",`, `[""`, "{", `{"":"",`, `{""`, `{"":`, `{"":""`}

func (t *tokens) valueAllowed() bool {
	return t.at == atTop || t.at == atArrayStart || t.at == atArrayValue || t.at == atObjectValue
}

// valueEnds moves to the place after a value.
func (t *tokens) valueEnds() {
	switch t.at {
	case atArrayStart, atArrayValue:
		t.at = atArrayComma
	case atObjectValue:
		t.at = atObjectComma
	}
}

// begin enters an array or an object.
func (t *tokens) begin(c byte) {
	word, bit := &t.open[t.depth/64], t.depth%64
	*word = *word&^(1<<bit) | braceBit(c)<<bit
	t.depth++
	if t.at = atArrayStart; c == '{' {
		t.at = atObjectStart
	}
}

// end leaves the innermost array or object.
func (t *tokens) end() {
	t.depth--
	switch last := t.depth - 1; {
	case last < 0:
		t.at = atTop
	case t.open[last/64]>>(last%64)&1 != 0:
		t.at = atObjectComma
	default:
		t.at = atArrayComma
	}
}

// Token returns the next token of the stream, like [json.Decoder.Token]: a [json.Delim] for each bracket, a
// bool, a float64 (a json.Number with UseNumber), a string, or nil for null. Commas and colons are omitted.
// Strings are in the arena. At the end of the stream Token returns io.EOF.
//
// After the beginning of an array, More and Decode read its elements one by one, so an array may be larger
// than memory, and the arena may be reset after each element.
//
// More than 10,000 open brackets are an error. An error that Decode repeats is also returned by Token. Strict
// checks decoded values, but not the names that Token returns.
func (d *Decoder) Token() (json.Token, error) {
	for d.err == nil {
		c, err := d.peek()
		if err != nil {
			return nil, err
		}
		t := &d.tokens
		switch c {
		case '[', '{':
			if !t.valueAllowed() {
				return nil, d.tokenError(string(rune(c)))
			}
			if t.depth == maxNesting {
				d.err = d.here(syntaxError(bytes.Repeat([]byte("["), maxNesting+1)))
				return nil, d.err
			}
			d.at++
			t.begin(c)
			return json.Delim(c), nil
		case ']', '}':
			if c == ']' && t.at != atArrayStart && t.at != atArrayComma || c == '}' && t.at != atObjectStart && t.at != atObjectComma {
				return nil, d.tokenError(string(rune(c)))
			}
			d.at++
			t.end()
			return json.Delim(c), nil
		case ':':
			if t.at != atObjectColon {
				return nil, d.tokenError(":")
			}
			d.at++
			t.at = atObjectValue
		case ',':
			switch t.at {
			case atArrayComma:
				t.at = atArrayValue
			case atObjectComma:
				t.at = atObjectKey
			default:
				return nil, d.tokenError(",")
			}
			d.at++
		default:
			name := c == '"' && (t.at == atObjectStart || t.at == atObjectKey)
			if !name && !t.valueAllowed() {
				return nil, d.tokenError(string([]byte{c}))
			}
			var x any
			err := d.decode(&x)
			switch {
			case d.err != nil:
			case !name:
				t.valueEnds()
			case err == nil:
				t.at = atObjectColon
			}
			if err != nil {
				return nil, err
			}
			return x, nil
		}
	}
	return nil, d.err
}

// toValue reads the comma or the colon before a value that Decode is about to read.
func (d *Decoder) toValue() error {
	t := &d.tokens
	separator := byte(',')
	switch t.at {
	case atTop, atArrayStart, atArrayValue, atObjectValue:
		return nil
	case atArrayComma:
	case atObjectColon:
		separator = ':'
	default:
		return d.errorAfter(standardPath[t.at], "0", true)
	}
	c, err := d.peek()
	if err != nil {
		return err
	}
	if c != separator {
		return d.errorAfter(standardPath[t.at], " 0", true)
	}
	d.at++
	if t.at = atArrayValue; separator == ':' {
		t.at = atObjectValue
	}
	return nil
}

// tokenError returns encoding/json's error for an invalid token.
func (d *Decoder) tokenError(token string) error {
	return d.errorAfter(standardPath[d.tokens.at], token, false)
}

// errorAfter returns encoding/json's error for token after path, in Decode or in Token.
func (d *Decoder) errorAfter(path, token string, decode bool) error {
	in := json.NewDecoder(io.MultiReader(strings.NewReader(path), strings.NewReader(token)))
	var err error
	for in.InputOffset() < int64(len(strings.TrimRight(path, ",:"))) && err == nil {
		_, err = in.Token()
	}
	for err == nil {
		if decode {
			err = in.Decode(new(any))
			break
		}
		_, err = in.Token()
	}
	return d.here(err)
}

// here returns err with the offset of the stream.
func (d *Decoder) here(err error) error {
	if e, ok := err.(*json.SyntaxError); ok {
		e.Offset = d.InputOffset()
		return e
	}
	return fmt.Errorf("arenajson: Decoder.Token: invalid token at offset %d", d.InputOffset()) // encoding/json accepts it
}

// peek returns the next byte that is not a space, and skips the spaces. At the end of the stream it does not
// skip them, as encoding/json's Decoder, unless they fill buf.
func (d *Decoder) peek() (byte, error) {
	var err error
	spaces := 0
	for {
		for ; d.at+spaces < len(d.buf); spaces++ {
			if c := d.buf[d.at+spaces]; !isSpace(c) {
				d.at += spaces
				return c, nil
			}
		}
		if err != nil {
			return 0, err
		}
		if spaces >= mostAhead {
			d.at, spaces = len(d.buf), 0
		}
		err = d.fill()
	}
}
