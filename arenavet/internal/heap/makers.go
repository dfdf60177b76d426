package heap

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/flow"
)

// makers lists functions of the standard library whose result they make on the heap, and
// that arenas have no counterpart of.
var makers = map[string]bool{}

func init() {
	for pkg, names := range map[string]string{
		"strings":         "Map Repeat Replace ReplaceAll Title ToTitle ToValidUTF8 Split SplitN SplitAfter SplitAfterN Fields FieldsFunc Replacer.Replace",
		"bytes":           "Map Repeat Replace ReplaceAll Title ToTitle ToLower ToUpper ToValidUTF8 Join Runes Split SplitN SplitAfter SplitAfterN Fields FieldsFunc",
		"strconv":         "Itoa FormatInt FormatUint FormatFloat Quote QuoteToASCII Unquote",
		"html":            "EscapeString UnescapeString",
		"net/url":         "QueryEscape PathEscape QueryUnescape PathUnescape URL.String Values.Encode",
		"encoding/hex":    "EncodeToString DecodeString",
		"encoding/base64": "Encoding.EncodeToString Encoding.DecodeString",
		"time":            "Time.Format Time.String Duration.String",
		"slices":          "Concat Repeat Sorted SortedFunc SortedStableFunc",
		"maps":            "Clone",
		"path":            "Join",
		"path/filepath":   "Join",
		"bufio":           "Reader.ReadString Reader.ReadBytes Scanner.Text",
		"regexp":          "Regexp.FindAllString Regexp.FindStringSubmatch Regexp.ReplaceAllString Regexp.ReplaceAll Regexp.ReplaceAllStringFunc Regexp.Split QuoteMeta",
		"encoding/json":   "MarshalIndent",
		"unicode/utf16":   "Encode Decode",
		"net/textproto":   "CanonicalMIMEHeaderKey",
		"mime":            "WordDecoder.DecodeHeader WordEncoder.Encode",
		"text/template":   "HTMLEscapeString",
		"html/template":   "HTMLEscapeString",
	} {
		for name := range strings.FieldsSeq(names) {
			makers[pkg+"."+name] = true
		}
	}
}

// noCounterpart is a call of a function that makes its result on the heap, and that takes
// no arena: one of the standard library, or of another package whose facts say so.
func (h *advisor) noCounterpart(e *ast.CallExpr, name string) {
	fn := h.function(e)
	if fn == nil || h.copied(e) || h.of(e) != goesOut {
		return
	}
	a := h.arena(e.Pos())
	if a == "" {
		return
	}
	if makers[name] {
		h.say(e.Pos(), name+" on the heap, "+h.inScope(a)+": it has no counterpart there; write what it makes into an arena.Buffer")
		return
	}
	if fn.Pkg() == nil || fn.Pkg() == h.pkg.Pass.Pkg || catalog.IsStandard(catalog.PackageOf(name)) || catalog.PackagePath(fn.Pkg()) == catalog.ArenaPath {
		return
	}
	if f := h.pkg.Function(fn); f != nil {
		if s := h.pkg.Summary(f); s != nil && s.Makes && !flow.TakesHandle(f) {
			h.say(e.Pos(), fn.Pkg().Name()+"."+strings.TrimPrefix(name, catalog.PackagePath(fn.Pkg())+".")+" makes its result on the heap, "+h.inScope(a)+": it takes no arena")
		}
	}
}

// makesResult reports whether a function returns a text or a slice that it makes on the
// heap, on some path.
func makesResult(c *flow.Package, fn *ssa.Function) bool {
	seen := map[ssa.Value]bool{}
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for _, v := range ret.Results {
			if _, isSlice := v.Type().Underlying().(*types.Slice); (isSlice || catalog.IsText(v.Type())) && made(c, v, seen) {
				return true
			}
		}
	}
	return false
}

// made reports whether v may be what makesResult means.
func made(c *flow.Package, v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Convert:
		return catalog.IsText(v.Type()) != catalog.IsText(v.X.Type()) && !isConstant(v.X)
	case *ssa.BinOp:
		return v.Op == token.ADD
	case *ssa.MakeSlice:
		return true
	case *ssa.ChangeType:
		return made(c, v.X, seen)
	case *ssa.Slice:
		return made(c, v.X, seen)
	case *ssa.Extract:
		return made(c, v.Tuple, seen)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if made(c, e, seen) {
				return true
			}
		}
	case *ssa.UnOp: // of a variable
		if at, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			for _, use := range *at.Referrers() {
				if s, ok := use.(*ssa.Store); ok && s.Addr == at && made(c, s.Val, seen) {
					return true
				}
			}
		}
	case *ssa.Call:
		fn := v.Call.StaticCallee()
		if fn == nil {
			return false
		}
		name := catalog.CalleeName(catalog.Origin(fn))
		if catalog.IsStandard(catalog.PackageOf(name)) {
			return makers[name] || name == "strings.Builder.String" || name == "bytes.Buffer.String" || inArena[name] != "" || ofArena[name] != "" || printed[name] != ""
		}
		s := c.Summary(fn)
		return s != nil && s.Makes
	}
	return false
}

// isConstant reports whether v is a constant other than nil.
func isConstant(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && k.Value != nil && k.Value.Kind() != constant.Unknown
}

// FindMakers notes of a package's functions whether they make what they return.
func FindMakers(c *flow.Package) {
	for changed := true; changed; {
		changed = false
		for _, fn := range c.Functions {
			if s := c.Summary(fn); s != nil && !s.Makes && makesResult(c, fn) {
				s.Makes, changed = true, true
			}
		}
	}
}
