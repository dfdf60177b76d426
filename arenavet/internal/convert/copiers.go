package convert

import (
	"go/ast"
	"go/types"
	"strings"
)

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
	"(*bytes.Buffer).Write": {"writeIn", `(a *ARENA.Arena, to *OF.Buffer, p []byte) (int, error) {
	n := to.Len()
	if a == nil || len(p) <= max(to.Available(), to.Cap()/2-n) || n == 0 && len(p) <= to.Cap() {
		return to.Write(p) // it has room, or finds it where was what has been read
	}
	text := to.Bytes()
	if n+to.Available() < to.Cap() { // it is read: next time there is room
		text = ARENA.Append(a, ARENA.MakeSlice[byte](a, 0, 2*to.Cap()+len(p)), text...)
	}
	*to = *OF.NewBuffer(ARENA.Append(a, text, p...))
	return len(p), nil
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

// bufferOf is the address of the buffer in a field that a call writes to, or empty: one in a variable may become
// another type.
func bufferOf(info *types.Info, n *ast.CallExpr) string {
	x := n.Fun.(*ast.SelectorExpr).X
	if _, ok := x.(*ast.SelectorExpr); !ok || textOf(x) == "" {
		return ""
	}
	switch types.TypeString(info.TypeOf(x), nil) {
	case "*bytes.Buffer":
		return textOf(x)
	case "bytes.Buffer":
		return "&" + textOf(x)
	}
	return "" // it is embedded
}

// copierOf is what a call or conversion is called in copiers, or empty.
func copierOf(info *types.Info, n *ast.CallExpr) string {
	if tv := info.Types[n.Fun]; tv.IsType() {
		if types.Identical(tv.Type, types.NewSlice(types.Typ[types.Byte])) && types.Identical(types.Default(info.TypeOf(n.Args[0])), types.Typ[types.String]) {
			return "[]byte(s)"
		}
		return ""
	}
	if fn := calledFunc(info, n); fn != nil && copiers[fn.FullName()].name != "" && (fn.Name() != "Write" || bufferOf(info, n) != "") {
		return fn.FullName()
	}
	return ""
}

// textOf is the text of a variable, or of a field of one; or empty.
func textOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		if of := textOf(x.X); of != "" {
			return of + "." + x.Sel.Name
		}
	}
	return ""
}

// calledFunc is the function of another package that a call is of, or nil.
func calledFunc(info *types.Info, n *ast.CallExpr) *types.Func {
	s, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	fn, _ := info.Uses[s.Sel].(*types.Func)
	return fn
}
