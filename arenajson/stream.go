package arenajson

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math/bits"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Decoder reads a stream of JSON documents, as encoding/json's Decoder does: Decode
// says what is different. It may go on in the next epoch of its arena.
type Decoder struct {
	a       *arena.Arena
	options decoder
	r       io.Reader
	err     error // after which there is nothing more to read

	buf    []byte // what was read ahead
	at     int    // where in it the next document begins
	before int64  // how much of the stream came before it

	tokens  tokens
	noLines bool // documents are not lines
}

// NewDecoder returns a Decoder that reads from r, and makes what it reads in a, or on
// the heap if a is nil. It reads ahead, up to 64 KB, which are on the heap; a document
// that is longer is read into the arena. With a Limit, more than that allows is not read.
func NewDecoder(a *arena.Arena, r io.Reader, opts ...Option) *Decoder {
	d := &Decoder{a: a, r: r}
	d.options.set(opts)
	d.options.a = a
	return d
}

// Decode reads the next document into what v points to, as Unmarshal does. At the
// stream's end it returns io.EOF, and within a document io.ErrUnexpectedEOF.
//
// After an error of the stream itself, a *json.SyntaxError and a document that is too
// long for the arena's Limit, there is nothing more to read: Decode returns that error
// again. Offset of a *json.SyntaxError and of a *StrictError counts from the beginning
// of the stream, that of a *json.UnmarshalTypeError from where the document before ended,
// or More went to.
//
// Where Token has begun an array or an object, it reads the next value in there.
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

// decode reads the next value, wherever it stands.
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
			errors.As(syntaxError(d.buf[d.at:]), &e) // whose text may have of what comes behind
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

// More reports whether there is another document, or another element of the array or object
// that Token has begun: not at the stream's end, nor where a bracket closes. It skips spaces,
// and waits for what comes behind them.
// After an error of Decode it may report true for ever: stop at the error.
func (d *Decoder) More() bool {
	c, err := d.peek()
	return err == nil && c != ']' && c != '}'
}

// InputOffset is how many bytes of the stream were taken by what Decode and More did.
func (d *Decoder) InputOffset() int64 { return d.before + int64(d.at) }

// Buffered returns what was read ahead and not yet decoded. It is good until the next
// call of Decode or More.
func (d *Decoder) Buffered() io.Reader { return bytes.NewReader(d.buf[d.at:]) }

// line returns the next document if it seems to be one line, as in most streams: who reads it sees
// whether it is one, and saves the search for its end.
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

// next finds the next document, with the spaces in front of it. One that is too long
// for buf is in the arena, where x then reads it.
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
			return d.long(x, &s)
		}
		stopped = d.fill()
	}
}

// fill reads more. What was decoded gives way to it. A Reader that fills all of buf has more,
// and gets twice as much to fill: where few documents fit, most have to be searched for their ends.
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
	n, err := readSome(d.r, d.buf[len(d.buf):cap(d.buf)])
	d.buf = d.buf[:len(d.buf)+n]
	return err
}

// long reads a document that begins with all of buf, and goes on behind it.
func (d *Decoder) long(x *decoder, s *search) (doc []byte, err error) {
	defer catchLimit(&err)
	b := append(x.growText(nil, 2*mostAhead), d.buf...)
	for {
		if cap(b)-len(b) < leastAhead+docSlack {
			b = x.growText(b, 2*cap(b))
		}
		n, readErr := readSome(d.r, b[len(b):][:min(cap(b)-docSlack-len(b), mostAhead)])
		b = b[:len(b)+n]
		end := s.find(b)
		if end < 0 && readErr != nil {
			if end, err = s.ends(b, readErr); err != nil {
				return nil, err
			}
		}
		if end >= 0 {
			// What was read beyond it, mostAhead bytes at most, is ahead again.
			d.before += int64(end)
			d.buf = append(d.buf[:0], b[end:]...)
			doc = x.trim(b[:end])
			x.base, x.n = xunsafe.DataOf(doc), len(doc)
			return doc, nil
		}
	}
}

// search finds where a document ends, in text that comes in pieces. It counts brackets
// and looks for the ends of strings, and stops where the document can't be JSON any
// more as soon as it sees that: who then reads the document finds the same. It is not the
// validator, which can't stop where a piece ends and go on in the next one.
type search struct {
	i      int // how far the text was looked at
	depth  int
	quoted bool
	number inNumber
}

// find looks at more of the document, which it is given from its beginning, and
// returns where it ends, or -1 if it goes on.
func (s *search) find(b []byte) int {
	if s.number != atStart {
		return s.goOn(b)
	}
	if s.depth == 0 && !s.quoted {
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
			return s.word(b, "true")
		case 'f':
			return s.word(b, "false")
		case 'n':
			return s.word(b, "null")
		default:
			return s.goOn(b)
		}
		s.i++
	}
	return s.nested(b)
}

// word finds the end of one of the three words.
func (s *search) word(b []byte, word string) int {
	for k := range len(word) {
		if s.i+k == len(b) {
			return -1
		}
		if b[s.i+k] != word[k] {
			return s.i + k + 1 // which is an error
		}
	}
	return s.i + len(word)
}

// goOn goes on in a number, which ends where something else begins.
func (s *search) goOn(b []byte) int {
	s.number, s.i = s.number.scan(xunsafe.ViewString(b), s.i)
	switch {
	case s.i == len(b):
		return -1
	case s.number.mayEnd():
		return s.i
	}
	return s.i + 1 // which is an error
}

// nested goes on within a string, an array or an object.
func (s *search) nested(b []byte) (end int) {
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
				end = i // which is an error
			} else if c == '\\' {
				i++
			}
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				end = i // which is an error
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

// ends is for a document behind which there is nothing but err: where it ends, or what
// is wrong.
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

// isTruncated reports whether e is about a document that is good as far as it goes.
// encoding/json up to Go 1.26 looks at a space behind it, which it may not like.
func isTruncated(e *json.SyntaxError, b []byte) bool {
	text := e.Error()
	return text == textOfTruncated || e.Offset == int64(len(b)) && b[len(b)-1] != ' ' && strings.HasPrefix(text, "invalid character ' '")
}

// textOfTruncated is encoding/json's message for no text at all.
var textOfTruncated = notJSON(nil).Error()
