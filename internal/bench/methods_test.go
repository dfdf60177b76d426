//go:build go1.27

package bench

import (
	"iter"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// Each generic method with its function: both must compile to the same machine code.

//go:noinline
func functionNew(a *arena.Arena) *flat64 { return arena.New[flat64](a) }

//go:noinline
func methodNew(a *arena.Arena) *flat64 { return a.New[flat64]() }

//go:noinline
func functionNewScan(a *arena.Arena) *ptr64 { return arena.New[ptr64](a) }

//go:noinline
func methodNewScan(a *arena.Arena) *ptr64 { return a.New[ptr64]() }

//go:noinline
func functionNewOf(a *arena.Arena, s string) *ptr64 { return arena.NewOf(a, ptr64{name: s, a: 1}) }

//go:noinline
func methodNewOf(a *arena.Arena, s string) *ptr64 { return a.NewOf(ptr64{name: s, a: 1}) }

//go:noinline
func functionBoxOf(a *arena.Arena, n int) any { return arena.BoxOf(a, n) }

//go:noinline
func methodBoxOf(a *arena.Arena, n int) any { return a.BoxOf(n) }

//go:noinline
func functionMakeSlice(a *arena.Arena, n int) []string { return arena.MakeSlice[string](a, 0, n) }

//go:noinline
func methodMakeSlice(a *arena.Arena, n int) []string { return a.MakeSlice[string](0, n) }

//go:noinline
func functionMakeSliceUninit(a *arena.Arena, n int) []int { return arena.MakeSliceUninit[int](a, n, n) }

//go:noinline
func methodMakeSliceUninit(a *arena.Arena, n int) []int { return a.MakeSliceUninit[int](n, n) }

//go:noinline
func functionAppend(a *arena.Arena, s []int, n int) []int { return arena.Append(a, s, n, n+1) }

//go:noinline
func methodAppend(a *arena.Arena, s []int, n int) []int { return a.Append(s, n, n+1) }

//go:noinline
func functionSliceOf(a *arena.Arena, s string) []string { return arena.SliceOf(a, s, "b") }

//go:noinline
func methodSliceOf(a *arena.Arena, s string) []string { return a.SliceOf(s, "b") }

//go:noinline
func functionCloneSlice(a *arena.Arena, s []byte) []byte { return arena.CloneSlice(a, s) }

//go:noinline
func methodCloneSlice(a *arena.Arena, s []byte) []byte { return a.CloneSlice(s) }

//go:noinline
func functionCollect(a *arena.Arena, seq iter.Seq[int]) []int { return arena.Collect(a, seq) }

//go:noinline
func methodCollect(a *arena.Arena, seq iter.Seq[int]) []int { return a.Collect(seq) }

//go:noinline
func functionEscape(a *arena.Arena, p *ptr64) *ptr64 { return arena.Escape(a, p) }

//go:noinline
func methodEscape(a *arena.Arena, p *ptr64) *ptr64 { return a.Escape(p) }

//go:noinline
func functionNewMap(a *arena.Arena) *arena.Map[string, int] { return arena.NewMap[string, int](a, 10) }

//go:noinline
func methodNewMap(a *arena.Arena) *arena.Map[string, int] { return a.NewMap[string, int](10) }

//go:noinline
func functionAllocatorFor(a *arena.Arena) *ptr64 { return arena.AllocatorFor[ptr64](a).New() }

//go:noinline
func methodAllocatorFor(a *arena.Arena) *ptr64 { return a.AllocatorFor[ptr64]().New() }

// pairs calls all functions of this file so that the linker keeps them.
func pairs(a *arena.Arena) {
	p := functionNewScan(a)
	functionNew(a).a, methodNew(a).a, methodNewScan(a).a = 1, 1, p.a
	functionNewOf(a, "x").a, methodNewOf(a, "x").a = 1, 1
	functionBoxOf(a, 1)
	methodBoxOf(a, 1)
	functionMakeSlice(a, 1)
	methodMakeSlice(a, 1)
	functionMakeSliceUninit(a, 1)
	methodMakeSliceUninit(a, 1)
	functionAppend(a, nil, 1)
	methodAppend(a, nil, 1)
	functionSliceOf(a, "x")
	methodSliceOf(a, "x")
	functionCloneSlice(a, nil)
	methodCloneSlice(a, nil)
	functionCollect(a, slices.Values([]int{1}))
	methodCollect(a, slices.Values([]int{1}))
	functionEscape(a, p)
	methodEscape(a, p)
	functionNewMap(a)
	methodNewMap(a)
	functionAllocatorFor(a)
	methodAllocatorFor(a)
}

// BenchmarkMethods times both forms of the most frequent calls.
func BenchmarkMethods(b *testing.B) {
	b.Run("new/form=function", func(b *testing.B) { cyclesOf(b, functionNewScan) })
	b.Run("new/form=method", func(b *testing.B) { cyclesOf(b, methodNewScan) })
	b.Run("append/form=function", func(b *testing.B) {
		cyclesOf(b, func(a *arena.Arena) *ptr64 { functionAppend(a, nil, 1); return nil })
	})
	b.Run("append/form=method", func(b *testing.B) {
		cyclesOf(b, func(a *arena.Arena) *ptr64 { methodAppend(a, nil, 1); return nil })
	})
}

func cyclesOf(b *testing.B, f func(*arena.Arena) *ptr64) {
	a := arena.NewArena(256<<10, 0)
	for range cycles(b) {
		a.Reset()
		for range cycleLen {
			sinkPtr = f(a)
		}
	}
}

// TestMethodsCompileToFunctions compares the machine code of each pair: a method makes the same calls as its
// function, with the same dictionaries. The register that holds a dictionary's address may differ.
func TestMethodsCompileToFunctions(t *testing.T) {
	if check.Race || check.ASan || testing.CoverMode() != "" {
		t.Skip("needs the plain build")
	}
	pairs(nil)
	goTool, program := testkit.GoTool(t), filepath.Join(t.TempDir(), "bench.test") // go test runs a binary without symbols
	if out, err := exec.Command(goTool, "test", "-c", "-vet=off", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	out, err := exec.Command(goTool, "tool", "objdump", "-s", `bench\.(function|method)[A-Z]`, program).CombinedOutput()
	if err != nil {
		t.Fatalf("go tool objdump: %v\n%s", err, out)
	}
	code := compiled(string(out))
	count := 0
	for name, method := range code {
		name, ok := strings.CutPrefix(name, "method")
		if !ok {
			continue
		}
		count++
		function := code["function"+name]
		t.Logf("%s: %d instructions, the function has %d", name, method.instructions, function.instructions)
		if !slices.Equal(method.refersTo, function.refersTo) || method.instructions > function.instructions+4 {
			t.Errorf("%s: the method compiles to\n%s\nand the function to\n%s", name, method.text, function.text)
		}
	}
	if count != 13 {
		t.Errorf("found %d pairs, want 13", count)
	}
}

type code struct {
	instructions int
	refersTo     []string // called functions and dictionaries, sorted
	text         string
}

// compiled returns the functions of objdump's output, without padding.
func compiled(out string) map[string]code {
	functions, name := map[string]code{}, ""
	instruction := regexp.MustCompile(`^\s+\S+\s+0x[0-9a-f]+\s+[0-9a-f]+\s+(\S.*?)\s*$`)
	symbol := regexp.MustCompile(`(CALL|BL|JMP|LEAQ) (\S+\(SB\))`)
	for text := range strings.Lines(out) {
		if header, ok := strings.CutPrefix(text, "TEXT github.com/ebbpool/arena/internal/bench."); ok {
			name, _, _ = strings.Cut(header, "(SB)")
		}
		m := instruction.FindStringSubmatch(text)
		if m == nil || strings.HasPrefix(m[1], "NOP") {
			continue
		}
		f := functions[name]
		f.instructions++
		f.text += m[1] + "\n"
		if m := symbol.FindStringSubmatch(m[1]); m != nil && !strings.Contains(m[2], "gcWriteBarrier") && !strings.Contains(m[2], name) {
			f.refersTo = append(f.refersTo, m[2])
			slices.Sort(f.refersTo)
		}
		functions[name] = f
	}
	return functions
}
