package arenavet

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const arenaPath = "github.com/ebbpool/arena"

// packagePath is a package's path without what builds add to it: the name of
// the test that it is built for, and the folder that it is vendored in.
func packagePath(p *types.Package) string {
	if p == nil {
		return ""
	}
	path, _, _ := strings.Cut(p.Path(), " ")
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		path = path[i+len("/vendor/"):]
	}
	return path
}

// arenaType is the name of a type of package arena, or of a pointer to one:
// "Arena", "Slab". It is empty for other types.
func arenaType(t types.Type) string {
	if t == nil {
		return ""
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok || packagePath(n.Obj().Pkg()) != arenaPath {
		return ""
	}
	return n.Obj().Name()
}

// isHandle says whether t is a pointer to an arena or a slab.
func isHandle(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, ok := types.Unalias(t).(*types.Pointer); !ok {
		return false
	}
	name := arenaType(t)
	return name == "Arena" || name == "Slab"
}

func isMark(t types.Type) bool { return arenaType(t) == "Mark" }

// functionName names a function as package path, receiver's type and name:
// "github.com/ebbpool/arena.Arena.Reset", "strings.Clone".
func functionName(obj *types.Func) string {
	obj = obj.Origin()
	name := obj.Name()
	if recv := obj.Signature().Recv(); recv != nil {
		t := types.Unalias(recv.Type())
		if p, ok := t.(*types.Pointer); ok {
			t = types.Unalias(p.Elem())
		}
		if n, ok := t.(*types.Named); ok {
			name = n.Obj().Name() + "." + name
		}
	}
	return packagePath(obj.Pkg()) + "." + name
}

// calleeName is functionName of a function that a call is known to reach.
func calleeName(fn *ssa.Function) string {
	if obj, ok := fn.Object().(*types.Func); ok {
		return functionName(obj)
	}
	return ""
}

// packageOf is the package path of what functionName returned.
func packageOf(name string) string {
	slash := strings.LastIndex(name, "/") + 1
	pkg, _, _ := strings.Cut(name[slash:], ".")
	return name[:slash] + pkg
}

// isStandard says whether a path is one of Go's own packages: they have no
// dot in their first element. A module may lack one too, so the driver's word
// counts where it has one.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// aliases lists functions of the standard library whose result may be, or may
// lie within, their argument of that number.
var aliases = map[string]int{
	"slices.Clip": 0, "slices.Grow": 0, "slices.Delete": 0, "slices.Compact": 0, "slices.Insert": 0,
	"slices.DeleteFunc": 0, "slices.CompactFunc": 0, "slices.Replace": 0,
}

// sharing lists functions of packages strings and bytes that return parts of
// their first argument, or it itself where there is nothing to change.
var sharing = map[string]bool{
	"TrimSpace": true, "Trim": true, "TrimLeft": true, "TrimRight": true, "TrimPrefix": true, "TrimSuffix": true,
	"TrimFunc": true, "TrimLeftFunc": true, "TrimRightFunc": true, "CutPrefix": true, "CutSuffix": true, "Cut": true,
	"ToLower": true, "ToUpper": true, "Replace": true, "ReplaceAll": true, "ToValidUTF8": true, "Map": true,
	"Split": true, "SplitN": true, "SplitAfter": true, "SplitAfterN": true, "Fields": true, "FieldsFunc": true,
}

// copied lists the functions of package bytes among sharing that always copy.
var copied = map[string]bool{"ToLower": true, "ToUpper": true, "Replace": true, "ReplaceAll": true, "ToValidUTF8": true, "Map": true}

// sharesArgument says whether a result of the function may share memory with
// its first argument, and whether it does so as the elements of a slice.
func sharesArgument(name string) (shares, asElements bool) {
	if arg, ok := aliases[name]; ok {
		return arg == 0, false
	}
	pkg, fn, _ := strings.Cut(name, ".")
	if pkg != "strings" && pkg != "bytes" || !sharing[fn] || pkg == "bytes" && copied[fn] {
		return false, false
	}
	return true, strings.HasPrefix(fn, "Split") || strings.HasPrefix(fn, "Fields")
}

// shallow lists functions that copy the elements of their argument but not
// what those point to.
var shallow = map[string]bool{
	"slices.Clone": true, "maps.Clone": true, "slices.Concat": true, "slices.Sorted": true, "slices.Collect": true,
}

// keepers lists functions of the standard library that keep an argument: what
// they are given is then held by their receiver.
var keepers = map[string]bool{
	"sync.Map.Store": true, "sync.Map.Swap": true, "sync.Map.LoadOrStore": true, "sync.Pool.Put": true,
	"sync/atomic.Pointer.Store": true, "sync/atomic.Pointer.Swap": true,
	"sync/atomic.Value.Store": true, "sync/atomic.Value.Swap": true,
	"container/list.List.PushBack": true, "container/list.List.PushFront": true,
}

// deepReaders lists functions that read everything that their arguments lead
// to.
func readsDeep(name string) bool {
	return strings.HasPrefix(name, "fmt.") || name == "encoding/json.Marshal" || name == "encoding/json.MarshalIndent" ||
		name == "encoding/json.Encoder.Encode"
}

// mayKeep says whether a function of the standard library may hold on to an
// arena that it is given, so that someone else may put it back.
func mayKeep(path string) bool {
	switch path {
	case "context", "sync", "sync/atomic", "testing", "runtime", "container/list", "container/heap", "container/ring", "time", "iter":
		return true
	}
	return false
}

// startsGoroutine lists functions that run their last argument in another
// goroutine.
var startsGoroutine = map[string]bool{
	"sync.WaitGroup.Go":                        true,
	"time.AfterFunc":                           true,
	"golang.org/x/sync/errgroup.Group.Go":      true,
	"golang.org/x/sync/errgroup.Group.TryGo":   true,
	"github.com/sourcegraph/conc.WaitGroup.Go": true,
}

// waits says whether a call waits for other goroutines, going by its name:
// what was handed to them is the caller's again then.
func waits(common *ssa.CallCommon) bool {
	name := ""
	if common.IsInvoke() {
		name = common.Method.Name()
	} else if fn := common.StaticCallee(); fn != nil {
		name = fn.Name()
	}
	return strings.Contains(name, "Wait") || name == "Join"
}
