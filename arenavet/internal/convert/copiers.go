package convert

import "strings"

// copiers are functions of the standard library that copy their argument even where there is nothing to
// change, and for which package arena has none: each has a text that does it in an arena, for a package
// that calls it. In a text, OF and ARENA stand for the names of the packages.
var copiers = map[string]struct{ name, text string }{
	"bytes.ReplaceAll": {"replaceAllIn", `(a *ARENA.Arena, s, old, new []byte) []byte {
	if a == nil || len(s) == 0 || len(old) == 0 {
		return OF.ReplaceAll(s, old, new)
	}
	out := ARENA.MakeSlice[byte](a, 0, len(s)+OF.Count(s, old)*(len(new)-len(old)))
	for {
		before, rest, found := OF.Cut(s, old)
		out = ARENA.Append(a, out, before...)
		if !found {
			return out
		}
		out, s = ARENA.Append(a, out, new...), rest
	}
}`},
	"[]byte(s)": {"bytesIn", `(a *ARENA.Arena, s string) []byte {
	if a == nil {
		return []byte(s)
	}
	b := a.AllocBytes(len(s))
	copy(b, s)
	return b
}`},
	"encoding/hex.EncodeToString": {"encodeHexIn", `(a *ARENA.Arena, src []byte) string {
	if a == nil {
		return OF.EncodeToString(src)
	}
	return a.AllocBytesToString(OF.AppendEncode(a.AllocBytes(OF.EncodedLen(len(src)))[:0], src))
}`},
	"(*encoding/base64.Encoding).EncodeToString": {"encodeBase64In", `(a *ARENA.Arena, enc *OF.Encoding, src []byte) string {
	if a == nil {
		return enc.EncodeToString(src)
	}
	return a.AllocBytesToString(enc.AppendEncode(a.AllocBytes(enc.EncodedLen(len(src)))[:0], src))
}`},
	"bytes.ToLower": {"toLowerIn", strings.NewReplacer("To", "ToLower", "FROM", "A", "TO", "Z", "OTHER", "a").Replace(ascii)},
	"bytes.ToUpper": {"toUpperIn", strings.NewReplacer("To", "ToUpper", "FROM", "a", "TO", "z", "OTHER", "A").Replace(ascii)},
}

const ascii = `(a *ARENA.Arena, s []byte) []byte {
	plain := a != nil && len(s) > 0
	for _, c := range s {
		plain = plain && c < 0x80
	}
	if !plain {
		return OF.To(s)
	}
	out := ARENA.CloneSlice(a, s)
	for i, c := range out {
		if 'FROM' <= c && c <= 'TO' {
			out[i] = c - 'FROM' + 'OTHER'
		}
	}
	return out
}`
