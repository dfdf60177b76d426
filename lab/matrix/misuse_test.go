package matrix

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena/lab/subjects"
	"github.com/ebbpool/arena/lab/workloads"
)

// child is the environment variable of a process that runs one misuse: SUBJECT/VARIANT.
const child = "LAB_MISUSE"

// patience is the time limit of a misuse.
const patience = 3 * time.Minute

func TestMain(m *testing.M) {
	if subject, variant, ok := strings.Cut(os.Getenv(child), "/"); ok {
		a, err := subjects.FindAllocator(subject)
		v, errV := workloads.FindMisuse(variant)
		if err := errors.Join(err, errV); err != nil {
			panic(err)
		}
		use, _ := v.Bind(a.New())
		json.NewEncoder(os.Stdout).Encode(use())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The use-after-free program keeps a reference across the end of a cycle, lets the next cycle write, and uses
// the reference, in one process for each subject and variant. With -v each line shows the effect, or the
// report of the runtime or of a sanitizer in this build. With our arena only a sanitizer or a misuse check
// may end the process.
func TestUseAfterFree(t *testing.T) {
	for _, a := range subjects.Allocators() {
		if a.New() == nil { // an experiment that this build does not have
			continue
		}
		for _, v := range workloads.Misuses() {
			if _, ok := v.Bind(a.New()); !ok {
				continue
			}
			seen := misuse(t.Context(), a.Name, v.Name)
			t.Logf("%-16s %-14s %-40s %s", a.Name, v.Name, seen.Outcome, seen.Detail)
			if ours := a.Name == subjects.Region || a.Name == subjects.Pool; ours && (seen.Outcome == "fault" || seen.Outcome == "crashed") {
				t.Errorf("%s, %s: %s %s", a.Name, v.Name, seen.Outcome, seen.Detail)
			}
		}
	}
}

func misuse(ctx context.Context, subject, variant string) workloads.Seen {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), child+"="+subject+"/"+variant, "GORACE=atexit_sleep_ms=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	return classify(out, stderr.String(), err)
}

var (
	asanReport = regexp.MustCompile(`ERROR: AddressSanitizer: (\S+)`)
	source     = regexp.MustCompile(`(\S+\.go):(\d+)`)
	address    = regexp.MustCompile(`0x[0-9a-f]+`)
)

// classify returns the outcome of a process: a sanitizer's report takes precedence over a fault, and a fault
// over output.
func classify(stdout []byte, stderr string, err error) workloads.Seen {
	var said workloads.Seen
	_ = json.Unmarshal(stdout, &said) // stays empty if the process has ended earlier
	first, _, _ := strings.Cut(address.ReplaceAllString(stderr, "0x…"), "\n")
	switch m := asanReport.FindStringSubmatch(stderr); {
	case m != nil:
		return workloads.Seen{Outcome: "asan reported: " + m[1], Detail: firstSource(stderr)}
	case strings.Contains(stderr, "WARNING: DATA RACE"):
		return workloads.Seen{Outcome: "race reported", Detail: firstSource(stderr) + "; what it did: " + said.Outcome}
	case strings.HasPrefix(first, "panic: "):
		return workloads.Seen{Outcome: "panic", Detail: strings.TrimPrefix(first, "panic: ")}
	case strings.Contains(stderr, "SIGSEGV") || strings.Contains(stderr, "SIGBUS") || strings.Contains(stderr, "fatal error: fault"):
		return workloads.Seen{Outcome: "fault", Detail: first}
	case err != nil || said.Outcome == "":
		return workloads.Seen{Outcome: "crashed", Detail: fmt.Sprint(first, err)}
	}
	return said
}

// firstSource returns the first frame of a stack outside the runtime, without its directory.
func firstSource(stack string) string {
	for _, m := range source.FindAllStringSubmatch(stack, -1) {
		if !strings.Contains(m[1], "/src/runtime/") {
			return path.Base(m[1]) + ":" + m[2]
		}
	}
	return "an unknown place"
}

func TestClassify(t *testing.T) {
	for stderr, want := range map[string]string{
		"==1==ERROR: AddressSanitizer: use-after-poison on":        "asan reported: use-after-poison",
		"WARNING: DATA RACE\nRead at 0x1 by goroutine 7:\n a.go:3": "race reported",
		"panic: arena: used after Reset\n":                         "panic",
		"unexpected fault address 0x1\nfatal error: fault\n":       "fault",
		"exit": "crashed",
	} {
		if got := classify(nil, stderr, errors.New("exit status 2")); got.Outcome != want {
			t.Errorf("%q is taken for %q, not %q", stderr, got.Outcome, want)
		}
	}
	if got := classify([]byte(`{"Outcome":"reads zero"}`), "", nil); got.Outcome != workloads.ReadsZero {
		t.Errorf("what it printed is taken for %q", got.Outcome)
	}
}
