package profile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Each function of the runtime that the compiler calls is known, so that a new Go version does not add
// unknown time.
func TestCompilersFunctionsAreKnown(t *testing.T) {
	root := runtime.GOROOT()
	name := filepath.Join(root, "src", "cmd", "compile", "internal", "typecheck", "_builtin", "runtime.go")
	if _, err := os.Stat(name); err != nil {
		t.Skip("SKIPPED: no source of the compiler")
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			n++
			if _, known := classOf(f.Name.Name); !known {
				t.Errorf("runtime.%s isn't known", f.Name.Name)
			}
		}
	}
	if n < 150 {
		t.Errorf("%d functions in %s", n, name)
	}
}

// Functions of the collector and the allocator in the runtime's source are not classified as the program's.
func TestClassify(t *testing.T) {
	for _, c := range []struct {
		stack          string // from the leaf
		class          Class
		entry, unknown string
		rest           int
	}{
		{"main.f main.main runtime.main", Program, "", "", 3},
		{"runtime.nextFreeFast runtime.mallocgcSmallNoscan runtime.mallocgc runtime.newobject main.f", Malloc, "newobject", "", 1},
		{"runtime.mallocgcSmallScanNoHeaderSC3 main.f", Malloc, "mallocgcSmallScanNoHeaderSC3", "", 1},
		{"runtime.memclrNoHeapPointers runtime.mallocgc runtime.growslice main.f", Malloc, "growslice", "", 1},
		{"runtime.memmove runtime.growslice main.f", Program, "growslice", "", 1},
		{"runtime.scanobject runtime.gcDrainN runtime.gcAssistAlloc1 runtime.systemstack runtime.gcAssistAlloc runtime.mallocgc runtime.newobject main.f", Collector, "newobject", "", 1},
		{"runtime.(*sweepLocked).sweep runtime.(*mcentral).cacheSpan runtime.(*mcache).refill runtime.mallocgc runtime.makeslice main.f", Collector, "makeslice", "", 1},
		{"runtime.scanSpan runtime.gcDrain runtime.gcBgMarkWorker.func2 runtime.systemstack runtime.gcBgMarkWorker", Collector, "gcBgMarkWorker", "", 0},
		{"runtime.wbBufFlush1 runtime.wbBufFlush gcWriteBarrier main.f", Collector, "gcWriteBarrier", "", 1},
		{"gcWriteBarrier main.f", Collector, "gcWriteBarrier", "", 1},
		{"internal/runtime/gc/scan.scanSpanPackedAVX512 runtime.gcDrain runtime.systemstack", Collector, "gcDrain", "", 0},
		{"internal/runtime/maps.(*Map).growToTable runtime.mapassign_faststr main.f", Program, "mapassign_faststr", "", 1},
		{"runtime.mallocgc internal/runtime/maps.newarray internal/runtime/maps.newTable main.f", Malloc, "internal/runtime/maps.newTable", "", 1},
		{"runtime.futex runtime.notesleep runtime.stopm runtime.findRunnable runtime.schedule runtime.park_m runtime.mcall", Schedule, "park_m", "", 0},
		{"runtime.chansend1 main.f", Program, "chansend1", "", 1},
		// Functions that other packages of the standard library link by another name.
		{"runtime.(*pollDesc).publishInfo internal/poll.runtime_pollSetDeadline main.f", Program, "(*pollDesc).publishInfo", "", 2},
		{"runtime.releaseSudog sync.runtime_notifyListWait main.f", Program, "releaseSudog", "", 2},
		{"runtime.getOrAddWeakHandle weak.runtime_registerWeakPointer main.f", Program, "getOrAddWeakHandle", "", 2},
		{"memeqbody main.f", Program, "memeqbody", "", 1},
		{"runtime.zebra main.f", Program, "zebra", "zebra", 1},
		{"runtime.memmove runtime.zebra main.f", Program, "zebra", "zebra", 1},
		{"runtime.zebra runtime.systemstack", Program, "zebra", "zebra", 0},
		{"runtime.zebra runtime.mallocgc main.f", Malloc, "mallocgc", "", 1},
	} {
		var all []Frame
		for _, name := range strings.Fields(c.stack) {
			all = append(all, Frame{Function: name})
		}
		class, entry, rest, unknown := classify(all)
		if class != c.class || entry != c.entry || unknown != c.unknown || len(rest) != c.rest {
			t.Errorf("%s: class %d, entry %q, unknown %q and %d frames, want %d, %q, %q and %d", c.stack, class, entry, unknown, len(rest), c.class, c.entry, c.unknown, c.rest)
		}
	}
}

func TestPackageOf(t *testing.T) {
	for function, want := range map[string]string{
		"main.main":                                   "main",
		"github.com/a/b.(*T).m":                       "github.com/a/b",
		"gopkg.in/yaml%2ev3.Unmarshal":                "gopkg.in/yaml.v3",
		"github.com/a/b.F[go.shape.struct { x/y.T }]": "github.com/a/b",
		"fmt.Sprintf":                                 "fmt",
	} {
		if got := PackageOf(function); got != want {
			t.Errorf("%s: %q, want %q", function, got, want)
		}
	}
}
