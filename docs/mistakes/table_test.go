//go:build !race && !asan && !arenacheck && !386

package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena/internal/testkit"
)

var update = flag.Bool("update", false, "write the table into docs/safety.md")

const (
	page  = "../safety.md"
	begin = "<!-- mistakes: made by go test -C docs ./mistakes -update -->\n"
	end   = "<!-- end of mistakes -->\n"
	none  = "·"
)

// A layer is a column of the table.
type layer struct {
	name string
	args []string // of go build; nil: the analyzer
}

var layers = []layer{
	{"arenavet", nil},
	{"plain", []string{}},
	{guarded, []string{}},
	{"-race", []string{"-race"}},
	{"-asan", []string{"-asan"}},
	{"-tags arenacheck", []string{"-tags", "arenacheck"}},
}

// guarded is a plain build whose pool guards each arena, by SetMisuseSampling(1, ...).
const guarded = "guarded"

// TestTable makes every mistake in every build, and compares the outcomes with the page.
func TestTable(t *testing.T) {
	if testing.Short() || testkit.Emulated() {
		t.Skip("builds and starts six programs, for the processor that is there")
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no marks for the table", page)
	}
	kept := parse(old)
	cells := map[string]map[string]string{} // by mistake and layer
	for _, m := range mistakes {
		cells[m.name] = map[string]string{}
	}
	for _, l := range layers {
		outcome, why := l.run(t)
		for _, m := range mistakes {
			if outcome == nil { // it cannot be built here, so the page is not checked
				cells[m.name][l.name] = kept[m.name][l.name]
				continue
			}
			cells[m.name][l.name] = outcome(m)
		}
		if outcome == nil {
			t.Run(l.name, func(t *testing.T) { t.Skip("SKIPPED: the column is not checked: ", why) })
		}
	}
	caught := 0
	for _, m := range mistakes {
		if cells[m.name]["plain"] == "damaged" {
			t.Errorf("%s: the process is not sound afterwards", m.name)
		}
		for _, l := range layers {
			if c := cells[m.name][l.name]; c != none && c != "" && c != "counted" {
				caught++
				break
			}
		}
	}
	if caught != len(mistakes) {
		t.Errorf("%d of %d mistakes are caught before production", caught, len(mistakes))
	}
	table := draw(cells)
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if table != old {
		t.Errorf("%s is stale; go test -C docs ./mistakes -update writes:\n%s", page, table)
	}
}

func draw(cells map[string]map[string]string) string {
	var b strings.Builder
	b.WriteString("| mistake |")
	for _, l := range layers {
		b.WriteString(" " + l.name + " |")
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(layers)) + "\n")
	for _, m := range mistakes {
		b.WriteString("| " + m.name + " |")
		for _, l := range layers {
			b.WriteString(" " + cells[m.name][l.name] + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// parse parses the table of the page.
func parse(table string) map[string]map[string]string {
	cells := map[string]map[string]string{}
	for line := range strings.Lines(table) {
		fields := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(fields) != len(layers)+1 {
			continue
		}
		row := map[string]string{}
		for i, l := range layers {
			row[l.name] = strings.TrimSpace(fields[i+1])
		}
		cells[strings.TrimSpace(fields[0])] = row
	}
	return cells
}

// run returns a function that tells the outcome of a mistake in this layer, or the reason why there is none here.
func (l layer) run(t *testing.T) (outcome func(mistake) string, why string) {
	if l.args == nil {
		return vet(t)
	}
	if (l.name == guarded || l.name == "-tags arenacheck") && (runtime.GOOS != "linux" && runtime.GOOS != "darwin" || os.Getpagesize() > 8<<10) {
		return nil, "nothing can be protected on this system"
	}
	program, why := l.build(t)
	if why != "" {
		if l.name == "plain" || l.name == guarded || l.name == "-tags arenacheck" {
			t.Fatalf("go build %v: %s", l.args, why)
		}
		return nil, why
	}
	return func(m mistake) string {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var out bytes.Buffer
		cmd := exec.CommandContext(ctx, program, m.name)
		if l.name == guarded {
			cmd.Args = []string{program, guarded, m.name}
		}
		cmd.Env = append(os.Environ(), noSleep)
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		return classify(out.String(), err)
	}, ""
}

// programs caches the built programs of all tests, by layer.
var (
	programs = map[string]string{}
	folder   string // their directory
)

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "mistakes"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(folder)
	os.Exit(status)
}

// noSleep makes a program built with -race end without sleeping for a second. Races were reported while it
// ran.
const noSleep = "GORACE=atexit_sleep_ms=0"

// build builds the program of this layer, or returns the reason why it cannot be built.
func (l layer) build(t testing.TB) (program, why string) {
	if programs[l.name] != "" {
		return programs[l.name], ""
	}
	program = filepath.Join(folder, "mistakes"+strings.ReplaceAll(l.name, " ", ""))
	cmd := exec.CommandContext(t.Context(), "go", append(append([]string{"build", "-o", program}, l.args...), ".")...)
	if l.name == "-asan" || l.name == "-race" {
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", err.Error() + ": " + strings.TrimSpace(string(out))
	}
	programs[l.name] = program
	return program, ""
}

// poisoned matches the end of an AddressSanitizer report of these programs that names the line.
var poisoned = regexp.MustCompile(`SUMMARY: AddressSanitizer: use-after-poison \S+/docs/mistakes/\w+\.go:\d+ `)

// classify returns the outcome of a program, in one word.
func classify(out string, err error) string {
	switch {
	case strings.Contains(out, "ERROR: AddressSanitizer: "):
		if !poisoned.MatchString(out) {
			return "a report without the line"
		}
		return "report"
	case strings.Contains(out, "WARNING: DATA RACE"), strings.HasPrefix(out, "reported: "):
		return "report"
	case strings.Contains(out, "unexpected fault address"):
		return "fault"
	case strings.HasPrefix(out, "panic: "):
		if strings.Contains(out, "taken back") || strings.Contains(out, "took it back") {
			return "fault, explained"
		}
		return "panic"
	case strings.Contains(out, "counted: "):
		return "counted"
	case err == nil && strings.HasSuffix(out, "the process is sound\n"):
		return none
	}
	return "damaged"
}

// Each kind of output is distinguished from the others.
func TestClassify(t *testing.T) {
	for out, want := range map[string]string{
		"the process is sound\n": none,
		"reported: arena: use of memory that an arena has taken back\npanic: arena: use\nthe process is sound\n":               "report",
		"counted: Stats().Leaked = 1\nthe process is sound\n":                                                                  "counted",
		"panic: arena: ArenaPool.Put: arena was put twice\nthe process is sound\n":                                             "panic",
		"panic: arena: use of memory that an arena has taken back\nthe process is sound\n":                                     "fault, explained",
		"unexpected fault address 0x30f39a0e8010\nfatal error: fault\n":                                                        "fault",
		"==1==ERROR: AddressSanitizer: use-after-poison on address 0x10c0000a4010\n":                                           "a report without the line",
		"==1==ERROR: AddressSanitizer: x\nSUMMARY: AddressSanitizer: use-after-poison /r/docs/mistakes/kept.go:55 in main.f\n": "report",
		"==================\nWARNING: DATA RACE\nRead at 0x00c0\nthe process is sound\n":                                       "report",
		"panic: runtime error: index out of range\nthe process is sound\n":                                                     "panic",
		"the heap is damaged\n": "damaged",
		"":                      "damaged",
	} {
		if got := classify(out, nil); got != want {
			t.Errorf("classify(%q) = %q, want %q", out, got, want)
		}
	}
}

// finding matches a line of the analyzer: position and message.
var finding = regexp.MustCompile(`(?m)^\S*?(\w+\.go):(\d+):\d+: (.*)$`)

// vet runs the analyzer on this directory once, and returns a function that maps findings to mistakes by
// line. It does not run go vet, which repeats an analyzer's output from its cache, and prints nothing and
// succeeds if the cache has lost that entry.
func vet(t *testing.T) (outcome func(mistake) string, why string) {
	tool := filepath.Join(t.TempDir(), "arenavet")
	build := exec.Command("go", "build", "-o", tool, "./cmd/arenavet")
	build.Dir = "../../arenavet"
	build.Env = append(os.Environ(), "GOWORK=off") // make test has one without the analyzer
	if out, err := build.CombinedOutput(); err != nil {
		return nil, err.Error() + ": " + strings.TrimSpace(string(out))
	}
	out, err := exec.Command(tool, ".").CombinedOutput()
	if len(finding.FindAll(out, -1)) == 0 {
		t.Fatalf("arenavet finds no mistake here: %v: %s", err, out)
	}
	found := map[string]bool{}
	for _, f := range finding.FindAllStringSubmatch(string(out), -1) {
		found[functionAt(t, f[1], f[2])] = true
	}
	return func(m mistake) string {
		for _, name := range m.where {
			if found[name] {
				return "report"
			}
		}
		return none
	}, ""
}

// functionAt returns the name of the function at a line of a file.
func functionAt(t *testing.T, file, line string) string {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	at, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fset.Position(fn.Pos()).Line <= at && at <= fset.Position(fn.End()).Line {
			return fn.Name.Name
		}
	}
	return ""
}

// Each mistake that guarded arenas detect is found at the expected rate: one arena in 1,000 is guarded, and
// one of 200 in ten million requests has the mistake.
func TestSimulation(t *testing.T) {
	if testing.Short() || testkit.Emulated() || os.Getpagesize() > 8<<10 || runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("a second for each mistake, where memory can be protected")
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	program, why := layers[1].build(t)
	if why != "" {
		t.Skip("SKIPPED: ", why)
	}
	simulated := 0
	for name, row := range parse(string(text)) {
		if row[guarded] != "report" && row[guarded] != "fault" {
			continue
		}
		simulated++
		cmd := exec.Command(program, "simulated", "10000000", name)
		out, err := cmd.CombinedOutput()
		if row[guarded] == "fault" { // the first one ends the process
			if !strings.Contains(string(out), "unexpected fault address") {
				t.Errorf("%s: %v: %.200s", name, err, out)
			}
			continue
		}
		found := -1
		fmt.Sscanf(string(out), "found: %d", &found)
		t.Logf("%s: %d of 50,000 are found", name, found)
		if err != nil || found < 10 || found > 100 { // 50 expected, within seven standard deviations
			t.Errorf("%s: %d of 50,000 are found, want about 50: %v: %.200s", name, found, err, out)
		}
	}
	if simulated < 12 {
		t.Errorf("%d mistakes are simulated", simulated)
	}
}
