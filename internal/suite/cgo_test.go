package suite

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

const cgoProgram = `package main

// static int used(void *p) { return p != 0; }
import "C"

import (
	"fmt"
	"os"
	"unsafe"

	"github.com/ebbpool/arena"
)

type node struct {
	next *node
	n    int
}

type flat struct{ a, b int }

func main() {
	a := arena.NewArena(4096, 0)
	neighbor, p := arena.New[node](a), arena.New[node](a)
	neighbor.next = &node{n: 1}
	numbers := arena.New[flat](a)
	switch os.Args[1] {
	case "heap":
		C.used(unsafe.Pointer(&node{n: 2}))
	case "arena":
		C.used(unsafe.Pointer(p)) // p leads to nothing, but its neighbor does
	case "flat":
		C.used(unsafe.Pointer(numbers))
	case "copy":
		c := *p
		C.used(unsafe.Pointer(&c))
	case "C memory":
		c := (*node)(C.malloc(C.size_t(unsafe.Sizeof(*p))))
		*c = *p
		C.used(unsafe.Pointer(c))
		C.free(unsafe.Pointer(c))
	}
	fmt.Println("passed")
}
`

// cgo checks a pointer to a type with pointers by scanning the whole allocation that contains the value,
// which is a chunk. The alternatives that the documentation recommends pass.
func TestCgoChecksChunks(t *testing.T) {
	goTool := testkit.GoTool(t)
	if check.Race || check.ASan || testkit.Emulated() {
		t.Skip("the program is built once")
	}
	if enabled, err := exec.Command(goTool, "env", "CGO_ENABLED").Output(); err != nil || strings.TrimSpace(string(enabled)) != "1" {
		t.Skip("cgo is off")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module program\n\ngo 1.25.0\n\nrequire github.com/ebbpool/arena v0.0.0\n\nreplace github.com/ebbpool/arena => " + filepath.ToSlash(root) + "\n",
		"main.go": strings.Replace(cgoProgram, "// static", "// #include <stdlib.h>\n// static", 1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "program.exe")
	build := exec.Command(goTool, "build", "-o", program, ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=mod")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for memory, passes := range map[string]bool{"heap": true, "arena": false, "flat": true, "copy": true, "C memory": true} {
		out, err := exec.Command(program, memory).CombinedOutput()
		if passes && (err != nil || !strings.Contains(string(out), "passed")) {
			t.Errorf("%s: %v\n%s", memory, err, out)
		}
		if !passes && !strings.Contains(string(out), "has Go pointer to unpinned Go pointer") {
			t.Errorf("%s: %v, want a panic of cgo's check\n%s", memory, err, out)
		}
	}
}
