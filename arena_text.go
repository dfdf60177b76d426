package arena

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// AllocString returns a copy of s in a, or on the heap if a is nil. A string uses its length in bytes, without padding.
func (a *Arena) AllocString(s string) string {
	if a == nil {
		return string(xunsafe.ViewBytes(s)) // inlined
	}
	return a.allocString(s)
}

func (a *Arena) allocString(s string) string {
	if n := uintptr(len(s)); !check.Watched && n != 0 && n <= a.region.Noscan.Hi-a.region.Noscan.Lo {
		hi := a.region.Noscan.Hi - n
		a.region.Noscan.Hi = hi
		copy(xunsafe.BytesAt(a.region.Noscan.Base, hi, uintptr(len(s))), s)
		return xunsafe.StringAt(a.region.Noscan.Base, hi, n)
	}
	return a.allocStringSlow(s)
}

// AllocBytesToString returns a copy of b as a string in a. If a is nil it is string(b), inlined, which the compiler keeps off the heap if the
// result does not escape.
func (a *Arena) AllocBytesToString(b []byte) string {
	if a == nil {
		return string(b)
	}
	return a.allocString(xunsafe.ViewString(b))
}

//go:noinline
func (a *Arena) allocStringSlow(s string) string {
	if len(s) == 0 {
		return ""
	}
	n := uintptr(len(s))
	base, off := machine.ReserveString(&a.region, n)
	copy(xunsafe.BytesAt(base, off, uintptr(len(s))), s)
	return xunsafe.StringAt(base, off, n)
}

// reserveString returns n bytes for a string, which the caller writes. Panics name function.
func (a *Arena) reserveString(function string, n int) []byte {
	if size := uintptr(n); !check.Watched && size != 0 && size <= a.region.Noscan.Hi-a.region.Noscan.Lo {
		a.region.Noscan.Hi -= size
		return machine.SliceAt[byte](a.region.Noscan.Base, a.region.Noscan.Hi, n, n)
	}
	return a.reserveStringSlow(function, n)
}

//go:noinline
func (a *Arena) reserveStringSlow(function string, n int) []byte {
	if n < 0 || uintptr(n) > machine.MaxAlloc {
		panic("arena: " + function + ": text of more bytes than can be allocated")
	}
	if n == 0 {
		return nil
	}
	base, off := machine.ReserveString(&a.region, uintptr(n))
	return machine.SliceAt[byte](base, off, n, n)
}

func (p *printer) Write(b []byte) (int, error) {
	p.text = p.arena.AllocBytesToString(b)
	return len(b), nil
}

// Sprintf is [fmt.Sprintf] with its result in a, or on the heap if a is nil. The compiler may still allocate operands on the heap when it converts
// them to interfaces: numbers above 255, and strings that might escape. Buffer's AppendInt and similar methods avoid that.
//
// Methods of the operands, such as String, may allocate from a. If one of them exceeds a limit, the text shows it, because fmt recovers panics.
func (a *Arena) Sprintf(format string, args ...any) string {
	if a == nil {
		return fmt.Sprintf(format, args...)
	}
	var text [128]byte
	if b, ok := appendPlain(text[:0], format, args); ok {
		return a.AllocBytesToString(b)
	}
	p := a.printer
	if p == nil {
		p = &printer{arena: a}
		a.printer = p
	}
	fmt.Fprintf(p, format, args...)
	s := p.text
	p.text = "" // it would keep the chunk alive
	return s
}

// appendPlain appends what fmt would print to b, if that is only strings and decimal integers and b need not grow. Most formats are such, and
// fmt takes half as long again for them.
func appendPlain(b []byte, format string, args []any) ([]byte, bool) {
	const longest = 20 // of an integer
	next := 0
	for i := 0; i < len(format); i++ {
		if cap(b)-len(b) < longest {
			return nil, false
		}
		if format[i] != '%' {
			b = append(b, format[i])
			continue
		}
		if i++; i == len(format) || next == len(args) {
			return nil, false
		}
		number, verb := true, format[i]
		switch x := args[next].(type) {
		case string:
			if number = false; len(x) > cap(b)-len(b) {
				return nil, false
			}
			b = append(b, x...)
		case int:
			b = strconv.AppendInt(b, int64(x), 10)
		case int64:
			b = strconv.AppendInt(b, x, 10)
		case uint64:
			b = strconv.AppendUint(b, x, 10)
		default:
			return nil, false
		}
		if verb != 'v' && (verb != 'd' || !number) && (verb != 's' || number) {
			return nil, false
		}
		next++
	}
	return b, next == len(args)
}

// Concat returns the concatenation of parts in a, or on the heap if a is nil. If all parts but one are empty, it returns that part itself, like
// the operator +. It copies each byte once.
func (a *Arena) Concat(parts ...string) string { return a.join("Concat", parts, "") }

// Join is [strings.Join] with its result in a, or on the heap if a is nil. It returns a single element itself. It copies each byte once.
func (a *Arena) Join(elems []string, sep string) string {
	if len(elems) == 1 {
		return elems[0]
	}
	return a.join("Join", elems, sep)
}

func (a *Arena) join(function string, elems []string, sep string) string {
	if a == nil && (sep != "" || len(elems) <= 4) {
		return joinOnHeap(elems, sep)
	}
	n, only := 0, ""
	for i, s := range elems {
		if i > 0 {
			n += len(sep)
		}
		if n += len(s); len(s) == n {
			only = s
		}
		if n < 0 || uintptr(n) > machine.MaxAlloc {
			n = -1
			break
		}
	}
	if n == len(only) {
		return only
	}
	if a == nil {
		return strings.Join(elems, sep)
	}
	b := a.reserveString(function, n)
	at := 0
	for i, s := range elems {
		if i > 0 {
			at += copy(b[at:], sep)
		}
		at += copy(b[at:], s)
	}
	return xunsafe.ViewString(b)
}

// joinOnHeap is strings.Join, but uses + for few strings, for which the runtime has faster functions.
func joinOnHeap(elems []string, sep string) string {
	if sep == "" {
		switch len(elems) {
		case 2:
			return elems[0] + elems[1]
		case 3:
			return elems[0] + elems[1] + elems[2]
		case 4:
			return elems[0] + elems[1] + elems[2] + elems[3]
		}
	}
	return strings.Join(elems, sep)
}

// ToLower is [strings.ToLower] with its result in a, or on the heap if a is nil. It returns s itself if nothing changes, so the result is valid
// only while both s and a are.
func (a *Arena) ToLower(s string) string {
	if a == nil {
		return strings.ToLower(s)
	}
	return a.mapText("ToLower", s, 'A', unicode.ToLower)
}

// ToUpper is [strings.ToUpper] with its result in a, or on the heap if a is nil. It returns s itself if nothing changes, so the result is valid
// only while both s and a are.
func (a *Arena) ToUpper(s string) string {
	if a == nil {
		return strings.ToUpper(s)
	}
	return a.mapText("ToUpper", s, 'a', unicode.ToUpper)
}

// mapText returns s in the other case. In ASCII text, the 26 letters from first on change; for other text, to maps each rune.
func (a *Arena) mapText(function, s string, first byte, to func(rune) rune) string {
	changes, ascii := false, true
	for i := range len(s) {
		ascii = ascii && s[i] < utf8.RuneSelf
		changes = changes || s[i]-first < 26
	}
	if !ascii {
		return a.mapRunes(function, s, to)
	}
	if !changes {
		return s
	}
	b := a.reserveString(function, len(s))
	for i := range b {
		c := s[i]
		if c-first < 26 {
			c ^= 'a' - 'A'
		}
		b[i] = c
	}
	return xunsafe.ViewString(b)
}

// mapRunes is mapText for any text. As in package strings, invalid UTF-8 becomes utf8.RuneError.
func (a *Arena) mapRunes(function, s string, to func(rune) rune) string {
	n, changes := 0, false
	for i, r := range s {
		m := to(r)
		n += utf8.RuneLen(m)
		changes = changes || m != r || r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError))
	}
	if !changes {
		return s
	}
	b := a.reserveString(function, n)
	at := 0
	for _, r := range s {
		at += utf8.EncodeRune(b[at:], to(r))
	}
	return xunsafe.ViewString(b)
}

// AllocBytes returns n zero bytes in a, or on the heap if a is nil, like MakeSlice[byte](a, n, n). It panics if n is negative.
//
//go:nosplit
func (a *Arena) AllocBytes(n int) []byte {
	if size := uintptr(n); !check.Watched && a != nil && size-1 < machine.SmallBytes {
		if off, ok := a.region.Noscan.TakeSlice(size, machine.Blocks(size)); ok {
			p := xunsafe.Add(a.region.Noscan.Base, off)
			machine.ClearBlocks(p, size)
			return machine.BytesAt(p, size)
		}
	}
	return a.allocBytesSlow(n)
}

// allocBytesSlow is the slow path of AllocBytes: nil arena, full chunk, or many bytes.
//
//go:noinline
func (a *Arena) allocBytesSlow(n int) []byte {
	if a == nil && uint(n) <= machine.MaxAlloc {
		return make([]byte, n) // makeSlice does the same after more checks
	}
	return makeSlice[byte](a, "AllocBytes", n, n)
}
