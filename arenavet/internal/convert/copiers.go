package convert

import "strings"

// copiers are functions of package bytes that copy their argument even where there is nothing to change,
// and for which package arena has none: each has a text that does it in an arena, for a package that
// calls it. In a text, BYTES and ARENA stand for the names of the packages.
var copiers = map[string]struct{ name, text string }{
	"bytes.ReplaceAll": {"replaceAllIn", `(a *ARENA.Arena, s, old, new []byte) []byte {
	if a == nil || len(s) == 0 || len(old) == 0 {
		return BYTES.ReplaceAll(s, old, new)
	}
	out := ARENA.MakeSlice[byte](a, 0, len(s)+BYTES.Count(s, old)*(len(new)-len(old)))
	for {
		before, rest, found := BYTES.Cut(s, old)
		out = ARENA.Append(a, out, before...)
		if !found {
			return out
		}
		out, s = ARENA.Append(a, out, new...), rest
	}
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
		return BYTES.To(s)
	}
	out := ARENA.CloneSlice(a, s)
	for i, c := range out {
		if 'FROM' <= c && c <= 'TO' {
			out[i] = c - 'FROM' + 'OTHER'
		}
	}
	return out
}`
