package matrix

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A build that fails is told in one line, with what the compiler says, and
// leaves no file.
func TestCppThatDoesNotBuild(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	tool := "#!/bin/sh\necho 'Building CXX object main.o'\necho 'main.cpp:7: error: expected ;'\necho 'make: *** [bench] Error 2'\nexit 2\n"
	for _, name := range []string{"cmake", "c++"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(tool), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "CMakePresets.json"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	f := &Folder{Dir: t.TempDir()}
	err := f.RunCpp(context.Background(), dir, io.Discard)
	if !errors.Is(err, ErrNoCpp) || !strings.Contains(err.Error(), "main.cpp:7: error: expected ;") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	if entries, err := os.ReadDir(f.Dir); err != nil || len(entries) > 0 {
		t.Errorf("%v %v", entries, err)
	}
	if rows, err := f.Cpp(); rows != nil || err != nil {
		t.Errorf("%v %v", rows, err)
	}
}

func TestReadCpp(t *testing.T) {
	rows, err := ReadCpp(strings.NewReader("workload,touched,size,count,subject,round,ns_per_call\n\"batch, freed\",write,16,1024,floor,3,1.25\n"))
	if err != nil || len(rows) != 1 || rows[0] != (CppRow{"batch, freed", "write", 16, 1024, "floor", 3, 1.25}) {
		t.Errorf("%v %v", rows, err)
	}
	if _, err := ReadCpp(strings.NewReader("workload,touched,size,count,subject,round,ns_per_call\na,b,x,1,c,1,1\n")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v", err)
	}
}
