package matrix

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ebbpool/arena/lab/subjects"
	"github.com/ebbpool/arena/lab/workloads"
)

// MisuseFile has what the use-after-free program does with each subject.
const MisuseFile = "misuse.csv"

// Finding is what one variant of the use-after-free program did with a subject
// in a build: a line of misuse.csv.
type Finding struct {
	Subject, Variant, Build string
	Outcome, Detail         string
}

var misuseHead = []string{"subject", "variant", "build", "outcome", "detail"}

// Misuse carries out a variant in this process, if it survives it.
func Misuse(subject, variant string) (workloads.Seen, error) {
	a, err := subjects.FindAllocator(subject)
	if err != nil {
		return workloads.Seen{}, err
	}
	v, err := workloads.FindMisuse(variant)
	if err != nil {
		return workloads.Seen{}, err
	}
	run, ok := v.Bind(a.New())
	if !ok {
		return workloads.Seen{}, fmt.Errorf("%s, %s: %w", subject, variant, ErrUnfit)
	}
	return run(), nil
}

// Misuses are the findings to make: every variant of every wanted subject, in
// every build that has the program.
func (s Settings) Misuses() []Finding {
	if !s.Misuse {
		return nil
	}
	builds := []string{Plain}
	for _, b := range s.Builds {
		if b.Misuse {
			builds = append(builds, b.Name)
		}
	}
	var all []Finding
	for _, a := range subjects.Allocators() {
		if len(s.Subjects) > 0 && !slices.Contains(s.Subjects, a.Name) {
			continue
		}
		for _, v := range workloads.Misuses() {
			for _, build := range builds {
				all = append(all, Finding{Subject: a.Name, Variant: v.Name, Build: build})
			}
		}
	}
	return all
}

// Program is the one that a finding needs.
func (f Finding) Program() (Program, error) {
	c := Cell{Subject: f.Subject, Build: f.Build}
	if c.Build == Plain {
		c.Build = ""
	}
	return c.Program()
}

// Misuse runs a finding's variant in its program and fills in what it did.
// False tells that the subject has nothing that could be kept for it.
func (p Programs) Misuse(ctx context.Context, f Finding) (Finding, bool, error) {
	need, err := f.Program()
	if err != nil {
		return f, false, err
	}
	program, ok := p[need]
	if !ok {
		return f, false, fmt.Errorf("%s needs the %s", f.Subject, need)
	}
	child := start(ctx, program, []string{MisuseChild, "-subject", f.Subject, "-variant", f.Variant})
	if ctx.Err() != nil {
		return f, false, ctx.Err()
	}
	if child.err != nil && strings.Contains(child.stderr, ErrUnfit.Error()) {
		return f, false, nil
	}
	seen := child.classify()
	f.Outcome, f.Detail = seen.Outcome, seen.Detail
	return f, true, nil
}

var (
	asanReport = regexp.MustCompile(`ERROR: AddressSanitizer: (\S+)`)
	asanAccess = regexp.MustCompile(`(?m)^(READ|WRITE) of size \d+`)
	// raceAccess heads a stack of the race detector.
	raceAccess = regexp.MustCompile(`(?mi)^\s*(?:previous )?(read|write) at 0x`)
	source     = regexp.MustCompile(`(\S+\.go):(\d+)`)
	address    = regexp.MustCompile(`0x[0-9a-f]+`)
)

// classify says what a child of the use-after-free program has come to: a
// sanitizer's report before a fault, and a fault before what it printed.
func (e ended) classify() workloads.Seen {
	var said workloads.Seen
	if json.Unmarshal(e.stdout, &said) != nil {
		said = workloads.Seen{} // it ended before it had a result
	}
	if m := asanReport.FindStringSubmatchIndex(e.stderr); m != nil {
		rest := e.stderr[m[1]:]
		return workloads.Seen{Outcome: "asan reported: " + e.stderr[m[2]:m[3]],
			Detail: strings.ToLower(asanAccess.FindString(rest)) + " at " + firstSource(rest)}
	}
	if strings.Contains(e.stderr, "WARNING: DATA RACE") {
		var where []string
		for _, m := range raceAccess.FindAllStringSubmatchIndex(e.stderr, 2) {
			where = append(where, strings.ToLower(e.stderr[m[2]:m[3]])+" at "+firstSource(e.stderr[m[1]:]))
		}
		detail := strings.Join(where, ", ")
		if said.Outcome != "" {
			detail += "; what it did: " + said.Outcome
		}
		return workloads.Seen{Outcome: "race reported", Detail: detail}
	}
	first := address.ReplaceAllString(firstLine(e.stderr), "0x…")
	switch {
	case e.late:
		return workloads.Seen{Outcome: TimedOut, Detail: "no result after " + patience.String()}
	case strings.HasPrefix(first, "panic: "):
		return workloads.Seen{Outcome: "panic", Detail: strings.TrimPrefix(first, "panic: ")}
	case strings.Contains(e.stderr, "SIGSEGV") || strings.Contains(e.stderr, "SIGBUS") || strings.Contains(e.stderr, "fatal error: fault"):
		return workloads.Seen{Outcome: "fault", Detail: first}
	case e.err != nil:
		return workloads.Seen{Outcome: Crashed, Detail: first + " (" + e.err.Error() + ")"}
	case said.Outcome == "":
		return workloads.Seen{Outcome: Crashed, Detail: "ended without a result"}
	}
	return said
}

// firstSource is the first place in a stack that is not the runtime's, without
// its folder.
func firstSource(stack string) string {
	for _, m := range source.FindAllStringSubmatch(stack, -1) {
		if !strings.Contains(m[1], "/src/runtime/") {
			return path.Base(m[1]) + ":" + m[2]
		}
	}
	return "an unknown place"
}

// RunMisuse makes the findings that the folder has none of yet, and keeps them
// all at once; lanes is how many children are at work at once. leave names
// programs that can't be built here.
func (f *Folder) RunMisuse(ctx context.Context, p Programs, lanes int, leave map[Program]bool, progress func(done, total int, what string)) error {
	name := filepath.Join(f.Dir, MisuseFile)
	if _, err := os.Stat(name); err == nil {
		return nil // a run that goes on has it already
	}
	all := f.Environment.Settings.Misuses()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wg sync.WaitGroup
	free := make(chan bool, lanes)
	found := make([][]string, len(all))
	for i, want := range all {
		program, err := want.Program()
		if err != nil {
			return err
		}
		if leave[program] {
			continue
		}
		free <- true
		if ctx.Err() != nil {
			break
		}
		progress(i, len(all), fmt.Sprintf("use after free: %s, %s, %s", want.Subject, want.Variant, want.Build))
		wg.Go(func() {
			defer func() { <-free }()
			switch one, ok, err := p.Misuse(ctx, want); {
			case err != nil:
				stop(err) // the first one counts
			case ok:
				found[i] = []string{one.Subject, one.Variant, one.Build, one.Outcome, one.Detail}
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(record []string) bool { return record == nil })
	if len(found) == 0 {
		return nil
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(append([][]string{misuseHead}, found...)); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

// Misuse reads the folder's findings; none if there is no such file.
func (f *Folder) Misuse() ([]Finding, error) {
	name := filepath.Join(f.Dir, MisuseFile)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(records) == 0 || !slices.Equal(records[0], misuseHead) {
		return nil, fmt.Errorf("%s: the first line must be %q", name, strings.Join(misuseHead, ","))
	}
	var all []Finding
	for _, rec := range records[1:] {
		all = append(all, Finding{rec[0], rec[1], rec[2], rec[3], rec[4]})
	}
	return all, nil
}
