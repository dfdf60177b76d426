package matrix

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tools makes a folder with programs of the names given, the only ones that
// are found, and a folder that looks like the C++ half.
func tools(t *testing.T, programs map[string]string) (cpp string) {
	t.Helper()
	bin, dir := t.TempDir(), t.TempDir()
	for name, text := range programs {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "CMakePresets.json"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CXX", "")
	t.Setenv("PATH", bin+string(os.PathListSeparator)+"/usr/bin"+string(os.PathListSeparator)+"/bin")
	return dir
}

const (
	isGcc   = "echo 'c++ (Test) 12.2.0'\n"
	isClang = "echo 'Test clang version 14.0.6'\n"
	tooOld  = "echo 'Test clang version 13.0.1'\n"
	gone    = "exit 127\n"
	// buildsBench is a cmake whose build puts a benchmark where its preset does.
	buildsBench = `
case $1 in
--preset) exit 0 ;;
esac
mkdir -p build/$3
cat >build/$3/bench <<'EOF'
#!/bin/sh
[ "$1" = --quick ] && [ "$2" = --csv ] && [ "$4" = --latencies ] || exit 3
printf 'not here    tcmalloc (libtcmalloc)\nleft out    x at capacities above 2: slow\n'
printf '\r1 of 2 steps: rolling          \r2 of 2 steps: drain   \n' >&2
echo "compiler,workload,touched,size,count,subject,round,ns_per_call" >$3
echo "$0,rolling,write,16,1024,floor,0,1.5" >>$3
echo "compiler,workload,touched,size,count,subject,round,percentile,ns_per_call" >$5
echo "$0,rolling,write,16,1024,floor,0,99.9,2.5" >>$5
EOF
chmod +x build/$3/bench
`
	failsToBuild = "echo 'Building CXX object main.o'\necho 'main.cpp:7: error: expected ;'\necho 'make: *** [bench] Error 2'\nexit 2\n"
)

// clangs are all names under which a clang is looked for, each the program
// given, so that none of the machine's is found.
func clangs(program string) map[string]string {
	all := map[string]string{"clang++": program}
	for _, v := range []string{"14", "15", "16", "17", "18", "19", "20", "21"} {
		all["clang++-"+v] = program
	}
	return all
}

func with(programs map[string]string, more ...string) map[string]string {
	for i := 0; i < len(more); i += 2 {
		programs[more[i]] = more[i+1]
	}
	return programs
}

// Each compiler's rows are kept in files of its own; steps are counted over
// both, and what the benchmark left out is told once.
func TestCppIsMeasuredWithEachCompiler(t *testing.T) {
	dir := tools(t, with(clangs(isClang), "cmake", buildsBench, "c++", isGcc))
	f := &Folder{Dir: t.TempDir()}
	var steps []string
	notes, err := f.RunCpp(t.Context(), dir, func(done, total int, what string) {
		steps = append(steps, strings.Repeat("+", done)+strings.Repeat("-", total-done)+" "+what)
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"+--- gcc: rolling", "++-- gcc: drain", "+++- clang: rolling", "++++ clang: drain"}; !slices.Equal(steps, want) {
		t.Errorf("steps %q, want %q", steps, want)
	}
	if want := []string{"C++: tcmalloc (libtcmalloc) is not here", "C++: x at capacities above 2: slow"}; !slices.Equal(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
	rows, err := f.Cpp()
	if err != nil || len(rows) != 2 || rows[0].Compiler != "./build/release/bench" || rows[1].Compiler != "./build/clang/bench" {
		t.Errorf("%v %v", rows, err)
	}
	latencies, err := f.Latencies()
	if err != nil || len(latencies) != 2 || latencies[1].NsPerCall != 2.5 || latencies[1].Percentile != 99.9 {
		t.Errorf("%v %v", latencies, err)
	}
	var names []string
	entries, err := os.ReadDir(f.Dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"cpp-clang-latencies.csv", "cpp-clang.csv", "cpp-gcc-latencies.csv", "cpp-gcc.csv"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("files %q %v", names, err)
	}
	// All is there: going on measures nothing.
	if _, err := f.RunCpp(t.Context(), dir, func(int, int, string) { t.Error("measured again") }); err != nil {
		t.Error(err)
	}
}

// A compiler that is missing is one sentence; the other one is measured.
func TestOneCompiler(t *testing.T) {
	for name, x := range map[string]struct {
		programs map[string]string
		note     string
		file     string
	}{
		"no clang": {with(clangs(gone), "c++", isGcc), "with clang: there is no clang++ 14 or newer here", "cpp-gcc.csv"},
		"old":      {with(clangs(tooOld), "c++", isGcc), "with clang: there is no clang++ 14 or newer here", "cpp-gcc.csv"},
		"no gcc":   {with(clangs(isClang), "c++", isClang), "with gcc: c++ is clang here", "cpp-clang.csv"},
	} {
		dir := tools(t, with(x.programs, "cmake", buildsBench))
		f := &Folder{Dir: t.TempDir()}
		notes, err := f.RunCpp(t.Context(), dir, func(int, int, string) {})
		if err != nil || len(notes) == 0 || notes[0] != "the C++ half is not measured "+x.note {
			t.Errorf("%s: %q %v", name, notes, err)
		}
		if files, err := filepath.Glob(filepath.Join(f.Dir, "cpp-*[cg].csv")); err != nil || len(files) != 1 || filepath.Base(files[0]) != x.file {
			t.Errorf("%s: files %q %v", name, files, err)
		}
	}
	dir := tools(t, with(clangs(gone), "cmake", buildsBench))
	t.Setenv("CXX", "no-such-compiler")
	if _, err := (&Folder{Dir: t.TempDir()}).RunCpp(t.Context(), dir, nil); !errors.Is(err, ErrNoCpp) ||
		err.Error() != "the C++ half is not measured: there is neither no-such-compiler nor clang++ 14 or newer here" {
		t.Errorf("got %v", err)
	}
}

// A build that fails, or a benchmark that does, is told in one line for each
// compiler, with what was complained of, and leaves no file.
func TestCppThatFails(t *testing.T) {
	for want, cmake := range map[string]string{
		"main.cpp:7: error: expected ;":                  failsToBuild,
		"exit status 1): the checksum":                   strings.Replace(buildsBench, "[ \"$1\" =", "printf '\\r1 of 2 steps: x' >&2; echo >&2; echo 'the checksum of a differs' >&2; exit 1\n[ \"$1\" =", 1),
		"exit status 1): out of memory":                  strings.Replace(buildsBench, "[ \"$1\" =", "printf 'out of memory' >&2; exit 1\n[ \"$1\" =", 1),
		"with clang: cmake --preset clang -D":            failsToBuild,
		"failed: main.cpp:7: error: no x in lab.h \"y\"": strings.Replace(failsToBuild, "main.cpp:7: error: expected ;", `/home/a/main.cpp:7: error: no x in /srv/b/lab.h "/opt/y"`, 1),
	} {
		dir := tools(t, with(clangs(isClang), "cmake", cmake, "c++", isGcc))
		f := &Folder{Dir: t.TempDir()}
		notes, err := f.RunCpp(context.Background(), dir, func(int, int, string) {})
		if err != nil || len(notes) != 2 || !strings.Contains(strings.Join(notes, "|"), want) || strings.Contains(strings.Join(notes, ""), "\n") {
			t.Errorf("want %q: %q %v", want, notes, err)
		}
		if entries, err := os.ReadDir(f.Dir); err != nil || len(entries) > 0 {
			t.Errorf("%v %v", entries, err)
		}
		if rows, err := f.Cpp(); rows != nil || err != nil {
			t.Errorf("%v %v", rows, err)
		}
		if rows, err := f.Latencies(); rows != nil || err != nil {
			t.Errorf("%v %v", rows, err)
		}
	}
}

func TestReadCpp(t *testing.T) {
	const head = "compiler,workload,touched,size,count,subject,round,ns_per_call\n"
	const tails = "compiler,workload,touched,size,count,subject,round,percentile,ns_per_call\n"
	cell := CppCell{"gcc 12.2", "batch, freed", "write", 16, 1024, "floor"}
	rows, err := ReadCpp(strings.NewReader(head + "gcc 12.2,\"batch, freed\",write,16,1024,floor,3,1.25\n"))
	if err != nil || len(rows) != 1 || rows[0] != (CppRow{cell, 3, 1.25}) {
		t.Errorf("%v %v", rows, err)
	}
	latencies, err := ReadLatencies(strings.NewReader(tails + "gcc 12.2,\"batch, freed\",write,16,1024,floor,3,99.9,1.25\n"))
	if err != nil || len(latencies) != 1 || latencies[0] != (LatencyRow{cell, 3, 99.9, 1.25}) {
		t.Errorf("%v %v", latencies, err)
	}
	for text, want := range map[string]string{
		"":                               "the first line must be",
		"workload,touched\n":             "the first line must be",
		head + "g,b,w,x,1,c,1,1\n":       "line 2",
		head + "g,b,w,1,x,c,1,1\n":       "line 2",
		head + "g,b,w,1,1,c,x,1\n":       "line 2",
		head + "g,b,w,1,1,c,1,\n":        "line 2",
		head + "g,b,w,1,1,c,1,-1\n":      `line 2: "-1" is no time`,
		head + "g,b,w,1,1,c,1,NaN\n":     `line 2: "NaN" is no time`,
		head + "g,b,w,1,1,c,1\n":         "wrong number of fields",
		tails + "g,b,w,1,1,c,1,0,1\n":    `line 2: "0" is no percentile`,
		tails + "g,b,w,1,1,c,1,101,1\n":  `line 2: "101" is no percentile`,
		tails + "g,b,w,1,1,c,1,p50,1\n":  "line 2",
		tails + "g,b,w,1,1,c,1,50,Inf\n": `line 2: "Inf" is no time`,
	} {
		var err error
		if strings.HasPrefix(text, tails) {
			_, err = ReadLatencies(strings.NewReader(text))
		} else {
			_, err = ReadCpp(strings.NewReader(text))
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want one line with %q", text, err, want)
		}
	}
}
