package matrix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/ebbpool/arena/lab/subjects"
)

// Build is a way to build the measuring program, and what is done with it.
type Build struct {
	Name      string   // as the CSV files have it
	Flags     []string `json:",omitempty"` // of go build
	Go        string   `json:",omitempty"` // its go command; "" is the one of PATH
	Toolchain string   `json:",omitempty"` // that the command is to use; "" leaves it the choice
	Workloads []string `json:",omitempty"` // whose times are taken
	Subjects  []string `json:",omitempty"` // that they are taken of
	Misuse    bool     `json:",omitempty"` // the use-after-free program runs in it
}

// Plain is what the CSV files call the build that users make. A Cell has ""
// for it.
const Plain = "plain"

// Builds are those that a run has besides the plain one. With -cover all of
// the project's packages count, the arena's too: the most that a user can ask
// for.
func Builds() []Build {
	work := []string{"Slice", "SimpleStruct", "ComplexStruct", "ComplexStructIter"}
	of := []string{subjects.Heap, subjects.Region, subjects.Slab, subjects.FixedPool, subjects.StdArena}
	return []Build{
		{Name: "race", Flags: []string{"-race"}, Misuse: true},
		{Name: "asan", Flags: []string{"-asan"}, Misuse: true, Workloads: work, Subjects: of},
		{Name: "cover", Flags: []string{"-cover", "-coverpkg=github.com/ebbpool/arena/..."}, Workloads: work, Subjects: of},
	}
}

// NewestGo is the name that stands for the newest toolchain there is.
const NewestGo = "newest"

// newestName is its Build's, until it is known which one that is.
const newestName = "the newest Go"

var toolchainName = regexp.MustCompile(`^go1\.\d+(\.\d+|rc\d+|beta\d+)?(-\S+)?$`)

// WithGo is the build with another Go: the path of a go command, the name of a
// toolchain such as go1.27.0, or NewestGo. It measures a short list.
func WithGo(ctx context.Context, name string) (Build, error) {
	b := Build{
		Workloads: []string{"flat", "link", "text", "slice-reserved", "slice-zeroed", "slice-filled", "Slice", "ComplexStruct", "request"},
		Subjects:  []string{subjects.Heap, subjects.Region, subjects.Slab, subjects.Pool},
	}
	switch {
	case name == NewestGo:
		b.Name, b.Toolchain = newestName, NewestGo
		if newest, err := newestToolchain(ctx); err == nil {
			b.Name, b.Toolchain = newest, newest
		}
	case toolchainName.MatchString(name):
		b.Name, b.Toolchain = name, name
	default:
		path, err := exec.LookPath(name)
		if err == nil {
			path, err = filepath.Abs(path)
		}
		if err != nil {
			return b, fmt.Errorf("-go %s is neither a go command nor a toolchain's name such as %s: %w", name, runtime.Version(), err)
		}
		says := strings.Fields(line(path, "version"))
		if len(says) < 3 || says[0] != "go" {
			return b, fmt.Errorf("-go %s is no go command: its %q prints %q", name, "version", strings.Join(says, " "))
		}
		b.Name, b.Go = says[2], path
	}
	return b, nil
}

// errLocal is the machine's owner saying that Go is not to change toolchains by itself.
var errLocal = errors.New("GOTOOLCHAIN=local on this machine")

// newestToolchain asks the module proxy which toolchain is the newest, if
// toolchains may be fetched here.
func newestToolchain(ctx context.Context) (string, error) {
	if line("go", "env", "GOTOOLCHAIN") == "local" {
		return "", errLocal
	}
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Version}}", "go@latest").Output()
	if err != nil {
		return "", fmt.Errorf("go list -m go@latest: %w", err)
	}
	return "go" + firstLine(string(out)), nil
}

// choice is the GOTOOLCHAIN that has a go command use the toolchain of that
// name. Where the machine's setting is path none may be fetched. A setting of
// local keeps Go from changing toolchains by itself; who names one has asked for it.
func choice(toolchain, setting string) string {
	if setting == "path" || strings.HasSuffix(setting, "+path") {
		return toolchain + "+path"
	}
	return toolchain
}

// Program says which executable a cell needs.
type Program struct{ Build, Experiment string }

// Program is the one that the cell's subject needs, in the cell's build.
func (c Cell) Program() (Program, error) {
	a, err := subjects.FindAllocator(c.Subject)
	return Program{c.Build, a.Experiment}, err
}

func (p Program) String() string {
	build := p.Build
	if build == "" {
		build = Plain
	}
	if p.Experiment != "" {
		return build + " build with GOEXPERIMENT=" + p.Experiment
	}
	return build + " build"
}

// Programs are the executables there are.
type Programs map[Program]string

// Build builds the measuring program into dir, as b says and with an
// experiment. The zero Build is the plain one.
func (p Programs) Build(ctx context.Context, dir string, b Build, experiment string) error {
	out := filepath.Join(dir, fmt.Sprintf("measure %s %s", b.Name, experiment))
	if err := b.Compile(ctx, out, "measure", experiment); err != nil {
		return err
	}
	p[Program{b.Name, experiment}] = out
	return nil
}

// Compile builds the lab's command of that name into the file out, with a
// GOEXPERIMENT if there is one.
func (b Build) Compile(ctx context.Context, out, name, experiment string) error {
	command := b.Go
	if command == "" {
		command = "go"
	}
	args := append([]string{"build", "-o", out}, b.Flags...)
	cmd := exec.CommandContext(ctx, command, append(args, "github.com/ebbpool/arena/lab/cmd/"+name)...)
	cmd.Env = os.Environ()
	if experiment != "" {
		cmd.Env = append(cmd.Env, "GOEXPERIMENT="+experiment)
	}
	if b.Toolchain != "" {
		toolchain := b.Toolchain
		if toolchain == NewestGo {
			var err error
			if toolchain, err = newestToolchain(ctx); err != nil {
				return err
			}
		}
		cmd.Env = append(cmd.Env, "GOTOOLCHAIN="+choice(toolchain, line(command, "env", "GOTOOLCHAIN")))
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		said := "go " + strings.Join(append([]string{"build"}, b.Flags...), " ")
		if experiment != "" {
			said = "GOEXPERIMENT=" + experiment + " " + said
		}
		if why := reason(string(text)); why != "" {
			err = fmt.Errorf("%w: %s", err, why)
		}
		return fmt.Errorf("%s: %w", said, err)
	}
	return nil
}

// reason is the first line of a build's output that is not a package's name.
func reason(text string) string {
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			return firstLine(l)
		}
	}
	return firstLine(text)
}

// ExperimentOf is the subject that needs a GOEXPERIMENT.
func ExperimentOf(experiment string) string {
	for _, a := range subjects.Allocators() {
		if a.Experiment == experiment {
			return a.Name
		}
	}
	return experiment
}
