package arenajson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// tokens is where a Decoder stands in what Token has begun to read.
type tokens struct {
	at    tokenPlace
	depth int      // how many brackets are open
	open  brackets // which
}

// brackets has a bit for each open bracket: whether it is a brace.
type brackets [maxNesting/64 + 1]uint64

func (b *brackets) set(depth int, c byte) {
	b[depth/64] = b[depth/64]&^(1<<(depth%64)) | braceBit(c)<<(depth%64)
}

func (b *brackets) brace(depth int) bool { return b[depth/64]>>(depth%64)&1 != 0 }

// tokenPlace tells what stands in front of the next token.
type tokenPlace uint8

const (
	atTop tokenPlace = iota
	atArrayStart
	atArrayValue // behind a comma
	atArrayComma // behind a value
	atObjectStart
	atObjectKey   // behind a comma
	atObjectColon // behind a name
	atObjectValue // behind a colon
	atObjectComma // behind a value
)

// standardPath leads encoding/json's Decoder to such a place: it is asked what the
// error there is, as its texts can be had in no other way.
var standardPath = [...]string{"", "[", `["",`, `[""`, "{", `{"":"",`, `{""`, `{"":`, `{"":""`}

func (t *tokens) valueAllowed() bool {
	return t.at == atTop || t.at == atArrayStart || t.at == atArrayValue || t.at == atObjectValue
}

// valueEnds goes on behind a value.
func (t *tokens) valueEnds() {
	switch t.at {
	case atArrayStart, atArrayValue:
		t.at = atArrayComma
	case atObjectValue:
		t.at = atObjectComma
	}
}

// begin goes into an array or an object.
func (t *tokens) begin(c byte) {
	t.open.set(t.depth, c)
	t.depth++
	if t.at = atArrayStart; c == '{' {
		t.at = atObjectStart
	}
}

// end leaves one.
func (t *tokens) end() {
	t.depth--
	switch {
	case t.depth == 0:
		t.at = atTop
	case t.open.brace(t.depth - 1):
		t.at = atObjectComma
	default:
		t.at = atArrayComma
	}
}

// Token returns the next token of the stream, as encoding/json's Decoder does: a json.Delim
// for each bracket, with commas and colons left out, a bool, a float64 (a json.Number with
// UseNumber), a string, or nil for null. Text lies in the arena. Where an array begins,
// More and Decode go on with its elements, one by one: so an array may be longer than any
// memory, and the arena's epoch may end after each.
//
// At the stream's end it returns io.EOF. It is an error to open more than 10,000 brackets.
// An error that Decode returns again Token returns again, too. Strict looks into what is
// decoded, not at the names that Token returns.
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

// toValue goes over the comma or the colon in front of a value that Decode is to read.
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
		return d.errorBehind(standardPath[t.at], "0", true)
	}
	c, err := d.peek()
	if err != nil {
		return err
	}
	if c != separator {
		return d.errorBehind(standardPath[t.at], " 0", true)
	}
	d.at++
	if t.at = atArrayValue; separator == ':' {
		t.at = atObjectValue
	}
	return nil
}

// tokenError is encoding/json's error for what can't stand here.
func (d *Decoder) tokenError(what string) error {
	return d.errorBehind(standardPath[d.tokens.at], what, false)
}

// errorBehind is encoding/json's error for what, behind a text that Token reads, if it is
// to be decoded there, or is the next token; the place in it is that of this stream.
func (d *Decoder) errorBehind(text, what string, decoded bool) error {
	in := json.NewDecoder(io.MultiReader(strings.NewReader(text), bytes.NewReader([]byte(what))))
	var err error
	for in.InputOffset() < int64(len(strings.TrimRight(text, ",:"))) && err == nil {
		_, err = in.Token()
	}
	for err == nil {
		if decoded {
			err = in.Decode(new(any))
			break
		}
		_, err = in.Token()
	}
	return d.here(err)
}

// here is err for where the stream is.
func (d *Decoder) here(err error) error {
	if e, ok := err.(*json.SyntaxError); ok {
		e.Offset = d.InputOffset()
		return e
	}
	return fmt.Errorf("arenajson: no token can be read at byte %d", d.InputOffset()) // where encoding/json could
}

// peek returns the next byte that is no space, and goes there. At the stream's end it stays in
// front of the spaces, as encoding/json's Decoder does, unless they are more than it keeps.
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
