package convert

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"os"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

const jsonPath = catalog.ArenaPath + "/arenajson"

// jsonCall is a call of encoding/json that package arenajson has, too.
type jsonCall struct {
	call    *ast.CallExpr
	name    string
	makes   []token.Pos     // the calls that make something in the arena
	options []*ast.ExprStmt // that become options of arenajson.NewDecoder
}

// jsonOptions are methods without arguments that arenajson has as options.
var jsonOptions = map[string]bool{"DisallowUnknownFields": true, "UseNumber": true}

// jsonMethods are what a value of encoding/json may be used for: arenajson's has the same.
var jsonMethods = map[string]map[string]bool{
	"NewDecoder": {"Decode": true, "More": true, "InputOffset": true, "Buffered": true},
	"NewEncoder": {"Encode": true, "SetIndent": true, "SetEscapeHTML": true},
}

// jsonSite is a call of encoding/json that makes something, with why arenajson can't take its place.
func jsonSite(info *types.Info, body ast.Node, n *ast.CallExpr) (j *jsonCall, why string) {
	name := jsonName(info, n)
	switch name {
	case "Unmarshal", "Marshal":
		return &jsonCall{call: n, name: name, makes: []token.Pos{n.Lparen}}, ""
	case "MarshalIndent":
		return &jsonCall{call: n, name: name}, "has no twin in arenajson: use Marshal, and Indent"
	case "NewDecoder", "NewEncoder":
	default:
		return nil, ""
	}
	j = &jsonCall{call: n, name: name}
	parents := parentsOf(body)
	method := func(e ast.Expr) bool { // what is called of e
		s, ok := parents[e].(*ast.SelectorExpr)
		if !ok || literalAround(parents, e) != literalAround(parents, n) {
			return false
		}
		call, ok := parents[s].(*ast.CallExpr)
		if !ok || call.Fun != s {
			return false
		}
		if name == "NewDecoder" && jsonOptions[s.Sel.Name] {
			stmt, ok := parents[call].(*ast.ExprStmt)
			if !ok || len(j.makes) > 0 || parents[stmt] != parents[parents[n]] { // not at once behind NewDecoder
				return false
			}
			j.options = append(j.options, stmt)
			return true
		}
		if s.Sel.Name == "Decode" {
			j.makes = append(j.makes, call.Lparen)
		}
		return jsonMethods[name][s.Sel.Name]
	}
	fits := false
	switch p := parents[n].(type) {
	case *ast.SelectorExpr:
		fits = method(n)
	case *ast.AssignStmt:
		if id, ok := p.Lhs[0].(*ast.Ident); ok && p.Tok == token.DEFINE && len(p.Lhs) == 1 {
			v, defined := info.Defs[id]
			fits = defined && v != nil
			ast.Inspect(body, func(x ast.Node) bool {
				if id, ok := x.(*ast.Ident); ok && fits && info.Uses[id] == v {
					fits = method(id)
				}
				return fits
			})
		}
	}
	if !fits {
		return j, "is used for more than arenajson's " + name[len("New"):] + " can do"
	}
	if name == "NewEncoder" {
		j.makes = []token.Pos{n.Lparen}
	}
	return j, ""
}

// literalAround is the innermost function literal around a node, or nil.
func literalAround(parents map[ast.Node]ast.Node, n ast.Node) ast.Node {
	for n = parents[n]; n != nil; n = parents[n] {
		if _, ok := n.(*ast.FuncLit); ok {
			return n
		}
	}
	return nil
}

// jsonName is the name of a function of encoding/json that a call is of, or empty.
func jsonName(info *types.Info, n *ast.CallExpr) string {
	if id := calledName(n); id != nil {
		if fn, ok := info.Uses[id].(*types.Func); ok && fn.Signature().Recv() == nil && catalog.PackagePath(fn.Pkg()) == "encoding/json" {
			return fn.Name()
		}
	}
	return ""
}

func calledName(c *ast.CallExpr) *ast.Ident {
	switch x := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	case *ast.IndexExpr: // of a generic one
		return calledName(&ast.CallExpr{Fun: x.X})
	case *ast.IndexListExpr:
		return calledName(&ast.CallExpr{Fun: x.X})
	}
	return nil
}

// edits has package arenajson, by its name in the file, take the place of encoding/json.
func (j *jsonCall) edits(p *program, pkg, arena string) (string, []edit, error) {
	file := p.fset.File(j.call.Pos())
	source, err := os.ReadFile(file.Name())
	if err != nil {
		return "", nil, err
	}
	list := []edit{{from: file.Offset(j.call.Fun.Pos()), to: file.Offset(j.call.Lparen) + 1, text: pkg + "." + j.name + "(" + arena + ", "}}
	for _, stmt := range j.options {
		from, to := file.Offset(stmt.Pos()), file.Offset(stmt.End())
		if at := bytes.LastIndexByte(source[:from], '\n') + 1; len(bytes.TrimSpace(source[at:from])) == 0 && source[to] == '\n' {
			from, to = at, to+1 // all of its line
		}
		name := calledName(stmt.X.(*ast.CallExpr)).Name
		list = append(list,
			edit{from: from, to: to},
			edit{from: file.Offset(j.call.Rparen), to: file.Offset(j.call.Rparen), text: ", " + pkg + "." + name, order: 1 << 21})
	}
	return file.Name(), list, nil
}

func parentsOf(body ast.Node) map[ast.Node]ast.Node {
	parents, stack := map[ast.Node]ast.Node{}, []ast.Node(nil)
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if len(stack) > 0 {
			parents[n] = stack[len(stack)-1]
		}
		stack = append(stack, n)
		return true
	})
	return parents
}
