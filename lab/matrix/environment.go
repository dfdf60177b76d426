package matrix

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// Environment is what one must know of a machine and a build to read its
// numbers.
type Environment struct {
	Format     int
	Begun      string // RFC 3339, UTC
	CPU        string
	Processors int
	MemoryMB   uint64
	OS, Arch   string
	Kernel     string
	Load       float64 // the load average of the last minute, when the run began
	Go         string
	GoSettings map[string]string // that change how programs are built or run
	// Cxx is the compiler that CMake takes by itself, Clang the other one that
	// is measured; "" where there is none.
	Cxx, Clang, CMake string
	Commit            string // with DirtySuffix where files differ from it
	Settings          Settings
	// Notes say in a sentence each what was not measured.
	Notes []string `json:",omitempty"`
	// CppNotes are those of the C++ half.
	CppNotes []string `json:",omitempty"`
}

// Here describes this machine and build.
func Here(s Settings) Environment {
	env := Environment{
		Format: Format, Begun: time.Now().UTC().Format(time.RFC3339), Settings: s,
		OS: runtime.GOOS, Arch: runtime.GOARCH, Processors: runtime.NumCPU(), Go: runtime.Version(),
		GoSettings: map[string]string{},
		CPU:        Processor(), Kernel: "unknown", Commit: "unknown",
		Cxx: line(cxx(), "--version"), CMake: line("cmake", "--version"),
	}
	if clang := newestClang(); clang != "" {
		env.Clang = line(clang, "--version")
	}
	for _, key := range []string{"GOFLAGS", "GOEXPERIMENT", "GOAMD64", "GOARM64", "CGO_ENABLED"} {
		if v := line("go", "env", key); v != "" {
			env.GoSettings[key] = v
		}
	}
	if fs, err := procfs.NewDefaultFS(); err == nil {
		if load, err := fs.LoadAvg(); err == nil {
			env.Load = load.Load1
		}
		if mem, err := fs.Meminfo(); err == nil && mem.MemTotal != nil {
			env.MemoryMB = *mem.MemTotal / 1024
		}
	}
	if kernel := line("uname", "-sr"); kernel != "" {
		env.Kernel = kernel
	}
	if commit := line("git", "describe", "--always", "--abbrev=12", "--exclude=*"); commit != "" {
		env.Commit = commit
		if changed := line("git", append([]string{"status", "--porcelain", "--untracked-files=no", "--", ":/"}, madeByMeasuring...)...); changed != "" {
			env.Commit += DirtySuffix
		}
	}
	return env
}

// DirtySuffix ends the name of a commit where files differ from it.
const DirtySuffix = "-dirty"

// Dirty says that the programs measured may not be those of the commit.
func (e Environment) Dirty() bool { return strings.HasSuffix(e.Commit, DirtySuffix) }

// madeByMeasuring is what the commands that measure write, one after the other: a
// difference there is no other program.
var madeByMeasuring = []string{":(top,exclude)docs/*.csv", ":(top,exclude)docs/report", ":(top,exclude)docs/numbers.md",
	":(top,exclude)docs/generated", ":(top,exclude)README.md", ":(top,exclude)lab/results"}

// Processor is the name of this machine's, "unknown" where the system doesn't tell.
func Processor() string {
	if fs, err := procfs.NewDefaultFS(); err == nil {
		if cpus, err := fs.CPUInfo(); err == nil && len(cpus) > 0 && cpus[0].ModelName != "" {
			return cpus[0].ModelName
		}
	}
	return "unknown"
}

// Same says why a run that env describes can't be gone on with here, nil if it
// can.
func (e Environment) Same(here Environment) error {
	for _, x := range []struct{ what, then, now string }{
		{"CPU", e.CPU, here.CPU}, {"Go version", e.Go, here.Go}, {"commit", e.Commit, here.Commit},
	} {
		if x.then != x.now {
			return fmt.Errorf("the run was begun with the %s %s; here it is %s", x.what, x.then, x.now)
		}
	}
	return nil
}

// Kind names the kind of host, for the folder's name.
func (e Environment) Kind() string {
	return fmt.Sprintf("%s-%s-%dcpu", e.OS, e.Arch, e.Processors)
}

// line is the first line that a command prints, "" if there is none.
func line(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return ""
	}
	return firstLine(string(out))
}
