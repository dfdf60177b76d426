package convert

import (
	"fmt"
	"go/format"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// What letters stand for in the texts below, where # is a program's number: ?T is a value that the function has,
// !T one that is new, or such a value; $T is a variable, and :T one that nothing else is stored in. @ is a new number.
var generatedTypes = map[byte]string{
	'T': "*T#", 'U': "*U#", 'A': "any", 'I': "I#", 'L': "[]*T#", 'M': "map[string]*T#", 'F': "func() *T#", 'G': "func(*T#)",
	'E': "error", 'X': "*E#", 'S': "string", 'P': "**T#",
}

// generatedValues are new ones: the first of each needs no other.
var generatedValues = map[byte][]string{
	'T': {"&T#{N: @}", "&T#{N: @}", "new(T#)", "&T#{N: @, P: !T}", "&T#{N: @, FIELD}", "&T#{N: @, V: U#{T: ?T}}"},
	'U': {"&U#{N: @}", "&U#{N: @, T: !T}", "&U#{N: @, A: !A}"},
	'A': {"any(U#{N: @})", "any(!T)", "any(U#{N: @, T: !T})", "any(?U)", "any(!S)", "any(!L)", "any(?X)"},
	'I': {"I#(&U#{N: @})", "I#(!T)", "I#(?U)"},
	'L': {"make([]*T#, 1)", "[]*T#{!T}", "append(?L, !T)", "append([]*T#(nil), ?L...)", "slices.Clone(?L)"},
	'M': {"map[string]*T#{}", "map[string]*T#{`k`: !T}", "maps.Clone(?M)"},
	'F': {"func() *T# { return nil }", "func() *T# { return !T }", "func() *T# { return ?T }", "?T.get"},
	'G': {"func(*T#) {}", "func(z *T#) { BODY }", "func(z *T#) { $T = z }", "?T.set"},
	'E': {"error(&E#{N: @})", "error(&E#{N: @, T: !T})", "fmt.Errorf(`%d %w`, @, ?E)", "errors.Join(?E, !E)"},
	'X': {"&E#{N: @}", "&E#{N: @, T: !T}", "&E#{N: @, E: ?E}"},
	'S': {"`s` + strconv.Itoa(@)", "?S + strconv.Itoa(@)", "fmt.Sprintf(`%d%d`, @, @)", "strings.ToUpper(?S)"},
	'P': {"new(*T#)", "&$T"},
}

// generatedFields are those that T# may have, and U# and E# have, with their types and what T# has in them before the
// root is called.
var generatedFields = map[byte]string{'U': "T:T A:A S:S", 'X': "T:T E:E"}
var generatedOld = strings.Split("P:T:old#(n-1) Q:T:t U:U:&U#{T:old#(n-1)} O:U:&t.V A:A:old#(n-1) I:I:old#(n-1) L:L:[]*T#{old#(n-1)} M:M:map[string]*T#{`k`:old#(n-1)} F:F:t.get G:G:t.set E:E:&E#{T:old#(n-1)} X:X:&E#{T:old#(n-1)} S:S:`old`", " ")

// generatedGroups are the letters that a program has beside T.
var generatedGroups = strings.Fields("U UI UA A L LA M MA FG FGA EX EX EXA S P UP LM")

// generatedTexts are those of a name in testdata.
func generatedTexts(t *testing.T) map[string]string {
	archive, err := txtar.ParseFile("testdata/generated.txtar")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range archive.Files {
		all[f.Name] = string(f.Data)
	}
	return all
}

// generator writes one program.
type generator struct {
	*rand.Rand
	made, depth int
	leaky       float64 // how often a value is a package's variable
	fields      map[byte]string
	statements  []string
	letters     string // of the types that it has
	functions   []generatedFunction
	text        strings.Builder
}

// generatedFunction has letters for its parameters and results.
type generatedFunction struct{ name, params, results string }

// scope has names of variables, by letter.
type scope map[byte][]string

func (g *generator) pick(all []string) string { return all[g.IntN(len(all))] }

var generatedTokens = regexp.MustCompile(`[?!$:][A-Z]1?\b|@|BODY|CALL|FIELD`)

// expand replaces what stands for others; before are declarations that the statement needs.
func (g *generator) expand(text string, sc scope, before *strings.Builder) string {
	g.depth++
	defer func() { g.depth-- }()
	same := map[string]string{}
	return generatedTokens.ReplaceAllStringFunc(text, func(token string) string {
		if len(token) == 3 {
			if same[token] == "" {
				same[token] = g.expand(token[:2], sc, before)
			}
			return same[token]
		}
		switch token {
		case "@":
			g.made++
			return strconv.Itoa(g.made)
		case "BODY":
			inner := maps.Clone(sc)
			if strings.Contains(text, "z *T#") || strings.Contains(text, ".all") {
				inner['T'] = append(slices.Clip(sc['T']), "z")
			}
			return g.block(inner, 1+g.IntN(max(1, 4-g.depth)))
		case "CALL":
			return g.call(sc, before)
		case "FIELD":
			f := g.pick(strings.Fields(g.fields['T']))
			return g.expand(f[:2]+" !"+f[2:], sc, before)
		}
		k := token[1]
		all := sc[k]
		if chance := map[byte]float64{'?': 0.05, '!': 1, '$': 0.1}[token[0]]; k != 'P' && g.Float64() < g.leaky*chance {
			return "g#" + token[1:]
		}
		if token[0] == '!' && (len(all) == 0 || g.IntN(3) > 0) {
			values := slices.DeleteFunc(slices.Clone(generatedValues[k]), func(text string) bool { return !g.fits(text) })
			if g.depth > 4 || len(values) == 0 {
				values = generatedValues[k][:1]
			}
			return g.expand(g.pick(values), sc, before)
		}
		if len(all) > 0 && (token[0] != ':' || g.IntN(2) == 0) {
			return all[max(g.IntN(len(all)), g.IntN(len(all)))]
		}
		g.made++
		name, value := fmt.Sprint("v", g.made), ""
		if token[0] == '?' {
			value = " = " + g.expand(generatedValues[k][0], sc, before)
		}
		fmt.Fprintf(before, "var %s %s%s; _ = %[1]s\n", name, generatedTypes[k], value)
		sc[k] = append(slices.Clip(all), name)
		return name
	})
}

// fits reports whether a text is about the program's types.
func (g *generator) fits(text string) bool {
	for _, token := range generatedTokens.FindAllString(text, -1) {
		if len(token) < 4 && token != "@" && !strings.Contains(g.letters, token[1:2]) {
			return false
		}
	}
	return !strings.Contains(text, ".O") || strings.Contains(g.letters, "U")
}

// block are some statements.
func (g *generator) block(outer scope, n int) string {
	sc, all := maps.Clone(outer), ""
	for range n {
		var before strings.Builder
		text := g.expand(g.pick(g.statements), sc, &before)
		all += before.String() + text + "\n"
	}
	maps.Copy(outer, sc)
	return all
}

// some are letters, half of them T.
func (g *generator) some(n int) (text string) {
	for range n {
		text += string((strings.Repeat("T", len(g.letters)) + g.letters)[g.IntN(2*len(g.letters))])
	}
	return text
}

// call calls a function, perhaps a new one.
func (g *generator) call(sc scope, before *strings.Builder) string {
	if len(g.functions) < 8 && (len(g.functions) == 0 || g.IntN(2) == 0) {
		f := generatedFunction{fmt.Sprint("f#_", len(g.functions)), g.some(1 + g.IntN(3)), g.some(g.IntN(3))}
		g.functions = append(g.functions, f)
		g.function("func "+f.name, f.params, f.results, 1+g.IntN(4))
	}
	f := g.functions[g.IntN(len(g.functions))]
	text := f.name + "(?" + strings.Join(strings.Split(f.params, ""), ", ?") + ")"
	if f.results != "" {
		text = g.pick([]string{":", ":", "$"}) + strings.Join(strings.Split(f.results, ""), ", :") + " = " + text
	}
	return g.expand(text, sc, before)
}

// function writes one.
func (g *generator) function(name, params, results string, n int) {
	sc, list, out, values, kept := scope{}, "", "", "", ""
	if strings.HasPrefix(name, "func p#") {
		for i := range 1 + g.IntN(2) {
			sc['T'] = append(sc['T'], fmt.Sprint("b", i))
			kept += g.expand(fmt.Sprintf("b%d := &T#{N: @, Q: &T#{N: @}}; _ = b%[1]d\n", i), sc, nil)
			kept += fmt.Sprintf(g.pick([]string{"b%d.P = b%[1]d\n", "b%d.P = b%[1]d\n", "b%d.P = b%[1]d.Q\n", "b%d.P = &T#{Q: b%[1]d}\n", "b%d.Q.P = b%[1]d\n"}), i)
		}
		for _, k := range g.letters[1:] {
			var before strings.Builder
			text := g.expand(fmt.Sprintf("c%c := !%[1]c; _ = c%[1]c\n", k), scope{'T': sc['T']}, &before)
			kept += before.String() + text
			sc[byte(k)] = []string{fmt.Sprintf("c%c", k)}
		}
	}
	for i, k := range []byte(params) {
		sc[k] = append(sc[k], fmt.Sprint("a", i))
		list += fmt.Sprintf("a%d %s, ", i, generatedTypes[k])
	}
	for i, k := range []byte(results) {
		out += fmt.Sprintf("r%d %s, ", i, generatedTypes[k])
		values += fmt.Sprintf("r%d = ?%c; ", i, k)
	}
	body := g.block(sc, n)
	var before strings.Builder
	values = g.expand(values, sc, &before)
	fmt.Fprintf(&g.text, "%s(%s) (%s) {\nif fuel--; fuel < 0 { return }\n%s%s%s%s\nreturn }\n", name, list, out, kept, body, &before, values)
}

// generateProgram returns the text of program n, what it has before the root is called, what is looked at after that, and its call.
func generateProgram(texts map[string]string, seed uint64, n int) (text, filled, looked, called string) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(n))), fields: maps.Clone(generatedFields)}
	g.leaky = []float64{0.1, 0.2, 0.3}[g.IntN(3)]
	fields, old := "", "t.N = n\n"
	g.letters = "T" + g.pick(generatedGroups)
	for n, f := range generatedOld {
		if part := strings.SplitN(f, ":", 3); n < 2 || n > 1 && part[1] != "T" && strings.Contains(g.letters, part[1]) {
			g.fields['T'] += part[0] + ":" + part[1] + " "
			fields += part[0] + " " + generatedTypes[part[1][0]] + "; "
			old += "t." + part[0] + " = " + part[2] + "\n"
		}
	}
	for s := range strings.Lines(strings.Repeat("CALL\n"+texts["often"], 12) + texts["statements"]) {
		if s = strings.TrimSpace(s); g.fits(s) && (!strings.Contains(s, "q#.") && !strings.Contains(s, "c#") && !strings.Contains(s, "go func") || g.Float64() < g.leaky*3) {
			g.statements = append(g.statements, s)
		}
	}
	for _, of := range g.letters {
		for _, f := range strings.Fields(g.fields[byte(of)]) {
			for _, at := range []string{"", ".P", ".Q"} {
				if s := fmt.Sprintf("if ?%c1 != nil && ?%[1]c1%s != nil { ", of, at); at == "" || of == 'T' {
					load, store := fmt.Sprintf("%s:%c = ?%c1%s.%c }", s, f[2], of, at, f[0]), fmt.Sprintf("%s?%c1%s.%c = !%c }", s, of, at, f[0], f[2])
					for range 3 {
						g.statements = append(g.statements, load, store, store)
					}
				}
			}
		}
	}
	g.function("func (t *T#) get", "", "T", 2)
	g.function("func (t *T#) set", "T", "", 2)
	params, argument, results, call := "", "", "T", "a"
	if g.IntN(3) == 0 {
		params, argument = "T", "in.F#"
	}
	if strings.Contains(g.letters, "E") {
		results, call = "TE", "a, errs[#]"
	}
	g.function("func p#", params, results, 5+g.IntN(6))
	call = "var a *T#; " + call + " = p#(" + argument + ")"
	text = texts["program"]
	text = strings.NewReplacer("FIELDS", fields, "OLD", old).Replace(text) + g.text.String()
	number := strings.NewReplacer("#", strconv.Itoa(n))
	return number.Replace(text), number.Replace(texts["fill"]), number.Replace(texts["looks"]), number.Replace(call)
}

// What outlives the root of a generated program never leads into the arena that the root's call had. A number of
// seeds in EBBPOOL_GENERATED has as many packages made, of more programs; EBBPOOL_GENERATED_FROM is the first of them.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	t.Setenv("GOWORK", "off")
	texts, seeds, programs := generatedTexts(t), 1, 40
	if n, err := strconv.Atoi(os.Getenv("EBBPOOL_GENERATED")); err == nil {
		seeds, programs = n, 150
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	from, _ := strconv.Atoi(os.Getenv("EBBPOOL_GENERATED_FROM"))
	for seed := from; seed < from+seeds; seed++ {
		dir, pkg, all, fill, look, input, body := t.TempDir(), []string{"lib", "main"}[seed%2], texts["common"], "", "", "", ""
		for n := range programs {
			text, filled, looked, call := generateProgram(texts, uint64(seed), n)
			all, fill, look = all+text, fill+filled, look+looked
			input += fmt.Sprintf("F%d *T%[1]d; ", n)
			body += "{ fuel = 200; " + call + "; all = append(all, a) }\n"
		}
		all += fmt.Sprintf("\ntype Input struct { %s }\nfunc Parse(in *Input) (all []any, errs [%d]error) {\n%sreturn }\n", input, programs, body)
		if pkg == "main" {
			all += "func main() { Parse(&Input{}) }\n"
		}
		write := func(name, text string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		writeGo := func(name, text string) {
			formatted, err := format.Source([]byte(strings.ReplaceAll(text, "PACKAGE", pkg)))
			if err != nil {
				t.Fatal(err)
			}
			write(name, string(formatted))
		}
		write("go.mod", "module example.com/"+pkg+"\n\ngo 1.25.0\n\nrequire github.com/ebbpool/arena v0.0.0\n\nreplace github.com/ebbpool/arena => "+root+"\n")
		writeGo("generated.go", all)
		r, err := Convert(Config{Dir: dir, Patterns: []string{"."}, Root: pkg + ".Parse", NoTests: true})
		if r == nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		sites := 0
		for _, f := range r.plan.order {
			sites += len(f.sites)
		}
		moved := r.plan.moving()
		if t.Logf("seed %d: %d of %d sites move", seed, moved, sites); moved < sites/4 {
			t.Error("those are too few")
		}
		if err := r.Write(); err != nil {
			t.Fatal(err)
		}
		writeGo("look_test.go", strings.NewReplacer("FILL", fill, "LOOK", look).Replace(texts["look"]))
		if out, err := goCommand(dir, "test", "-vet=off", "-tags", "arenacheck", "-v", "."); err != nil || strings.Contains(out, "stale") {
			t.Errorf("seed %d: %v\n%s", seed, err, out)
		}
	}
}
