package convert

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// entry is how the root's text takes its arena.
type entry string

const (
	asWritten entry = "as written" // of the caller
	gated     entry = "gated"      // as a mode of the gate has it
)

// mode is how the root gets its arena where the gate runs the tests.
type mode struct{ value, name string }

var (
	noArena = mode{"", "a nil arena"}                                        // of the wrapper, or the caller's
	live    = mode{"live", "an arena"}                                       // that nobody ends
	ended   = mode{"ended", "an arena that ends when the root has returned"} // what is returned is copied
)

// given is a call that is given an arena.
type given struct {
	call *ast.CallExpr
	to   *planned
}

// callsOf are the calls of a function that are given an arena, and need it.
func (p *plan) callsOf(f *planned, need map[*planned]bool) (list []given) {
	at := map[token.Pos]*planned{}
	for call, g := range f.calls {
		if f.left[call] == "" && need[g] {
			at[callPos(call)] = g
		}
	}
	if len(at) == 0 {
		return nil
	}
	outer := f.fn
	for outer.Parent() != nil {
		outer = outer.Parent()
	}
	ast.Inspect(p.decls[outer].decl.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && at[c.Lparen] != nil && calledName(c) != nil {
			list = append(list, given{c, at[c.Lparen]})
		}
		return true
	})
	return list
}

func callPos(i ssa.Instruction) token.Pos { return i.(ssa.CallInstruction).Common().Pos() }

// nameVariants names the functions by parameter, and finds those that need no wrapper.
func (p *plan) nameVariants(need map[*planned]bool) {
	ofInterface := map[string]bool{}
	calls := map[*ast.Ident]bool{} // that are given an arena
	for _, pkg := range p.pkgs {
		for _, obj := range pkg.TypesInfo.Defs {
			if fn, ok := obj.(*types.Func); ok && fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type()) {
				ofInterface[fn.Name()] = true
			}
		}
	}
	for _, f := range p.order {
		if need[f] {
			for _, c := range p.callsOf(f, need) {
				calls[calledName(c.call)] = true
			}
		}
	}
	other := map[types.Object]bool{}
	for _, pkg := range p.pkgs {
		for id, obj := range pkg.TypesInfo.Uses {
			if fn, ok := obj.(*types.Func); ok && !calls[id] {
				other[fn.Origin()] = true
			}
		}
	}
	for _, f := range p.order {
		if f.how != byParameter || !need[f] {
			continue
		}
		obj, d := f.fn.Object().(*types.Func), p.decls[f.fn]
		f.alone = f.fn != p.root && !obj.Exported() && !other[obj] && p.names[d.pkg.PkgPath][obj.Name()] == 0 && !(obj.Signature().Recv() != nil && ofInterface[obj.Name()])
		f.name = obj.Name()
		if f.alone {
			continue
		}
		for _, suffix := range []string{"In", "InArena", "WithArena"} {
			f.name = obj.Name() + suffix
			var found types.Object
			if recv := obj.Signature().Recv(); recv != nil {
				found, _, _ = types.LookupFieldOrMethod(recv.Type(), true, obj.Pkg(), f.name)
			} else {
				found = obj.Pkg().Scope().Lookup(f.name)
			}
			if found == nil && p.names[d.pkg.PkgPath][f.name] == 0 {
				break
			}
		}
	}
}

// variant gives a function a parameter, and keeps the old one as its wrapper.
func (p *plan) variant(all edits, f *planned, pkg string, e entry) error {
	d := p.decls[f.fn].decl
	comma := ""
	if len(d.Type.Params.List) > 0 {
		comma = ", "
	}
	if f.alone {
		p.insert(all, d.Type.Params.Opening+1, f.arena+" *"+pkg+".Arena"+comma)
		return nil
	}
	text, err := p.wrapper(f, pkg, e)
	if err != nil {
		return err
	}
	p.insert(all, d.Type.Func, text)
	p.add(all, d.Name.Pos(), d.Name.End(), f.name)
	p.insert(all, d.Type.Params.Opening+1, f.arena+" *"+pkg+".Arena"+comma)
	if len(d.Type.Params.List) > 0 && len(d.Type.Params.List[0].Names) == 0 { // all or none has names
		for _, field := range d.Type.Params.List {
			p.insert(all, field.Pos(), "_ ")
		}
	}
	return nil
}

// wrapper is the text of a function as it was, which calls its variant.
func (p *plan) wrapper(f *planned, pkg string, e entry) (string, error) {
	d := p.decls[f.fn].decl
	source, err := os.ReadFile(p.fset.File(d.Pos()).Name())
	if err != nil {
		return "", err
	}
	text := func(n ast.Node) string {
		file := p.fset.File(n.Pos())
		return string(source[file.Offset(n.Pos()):file.Offset(n.End())])
	}
	n := 0
	named := func(list *ast.FieldList) (params, args []string) {
		for _, field := range list.List {
			names := field.Names
			if len(names) == 0 {
				names = []*ast.Ident{ast.NewIdent("_")}
			}
			for _, id := range names {
				name := id.Name
				if name == "_" {
					name = "p" + strconv.Itoa(n)
					n++
				}
				params = append(params, name+" "+text(field.Type))
				if _, ok := field.Type.(*ast.Ellipsis); ok {
					name += "..."
				}
				args = append(args, name)
			}
		}
		return params, args
	}
	head, target := "func ", f.name
	if d.Recv != nil {
		params, args := named(d.Recv)
		head += "(" + params[0] + ") "
		target = args[0] + "." + f.name
	}
	params, args := named(d.Type.Params)
	head += d.Name.Name
	if list := d.Type.TypeParams; list != nil {
		head += text(list)
		var names []string
		for _, field := range list.List {
			for _, id := range field.Names {
				names = append(names, id.Name)
			}
		}
		target += "[" + strings.Join(names, ", ") + "]"
	}
	head += "(" + strings.Join(params, ", ") + ") "
	results := 0
	if d.Type.Results != nil {
		head += text(d.Type.Results) + " "
		results = d.Type.Results.NumFields()
	}
	call := func(a string) string { return target + "(" + strings.Join(append([]string{a}, args...), ", ") + ")" }
	ret := "return "
	if results == 0 {
		ret = ""
	}
	body := ret + call("nil")
	if f.fn == p.root && e == gated {
		body = p.gatedBody(call, pkg, results)
	}
	return fmt.Sprintf("%s{\n\t%s\n}\n\n// %s is %s with an arena for what it makes; nil is the heap.\n", head, body, f.name, d.Name.Name), nil
}

// gatedBody is the text of a wrapper of the root, for the tests.
func (p *plan) gatedBody(call func(a string) string, pkg string, results int) string {
	var names, copies []string
	for i := range results {
		name := "result" + strconv.Itoa(i)
		names, copies = append(names, name), append(copies, pkg+".Escape(arenaOfGate, "+name+")")
	}
	simple := func(a string) string {
		if results == 0 {
			return "{\n\t\t" + call(a) + "\n\t\treturn\n\t}\n\t"
		}
		return "{\n\t\treturn " + call(a) + "\n\t}\n\t"
	}
	body := "if arenaGate == " + strconv.Quote(noArena.value) + " " + simple("nil") +
		"arenaOfGate := " + pkg + ".NewArena(1<<16, 0)\n\tif arenaGate == " + strconv.Quote(live.value) + " " + simple("arenaOfGate") +
		"defer arenaOfGate.Release()\n\t"
	if results == 0 {
		return body + call("arenaOfGate")
	}
	return body + strings.Join(names, ", ") + " := " + call("arenaOfGate") + "\n\treturn " + strings.Join(copies, ", ")
}
