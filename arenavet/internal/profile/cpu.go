// Package profile reads CPU and allocation profiles that package runtime/pprof writes. It attributes the time
// to the collector, the allocator or the program.
package profile

import (
	"fmt"
	"os"
	"strings"

	"github.com/google/pprof/profile"
)

// MinSamples is the least number of samples of a CPU profile. Smaller profiles say little.
const MinSamples = 1000

// Frame is a function on a stack, with a line in it.
type Frame struct {
	Function, File string
	Line           int
}

// Sample is one stack of a CPU profile.
type Sample struct {
	Class  Class
	Nanos  float64
	Entry  string  // the function of the runtime that the program called, without "runtime."
	Frames []Frame // from the leaf, without the runtime's frames at the leaf
	All    []Frame // with the runtime's frames
}

// Runtime returns the runtime's frames at the leaf.
func (s *Sample) Runtime() []Frame { return s.All[:len(s.All)-len(s.Frames)] }

// CPU is a CPU profile.
type CPU struct {
	Samples []Sample
	Count   int64      // of samples that the profiler took
	Total   float64    // nanoseconds
	Seconds float64    // of wall-clock time
	Classes [4]float64 // nanoseconds of each class
	Unknown []Unknown
	BuildID string // of the program, if it has one
}

// buildID returns the build ID of a profile's program, or "".
func buildID(p *profile.Profile) string {
	if len(p.Mapping) == 0 {
		return ""
	}
	return p.Mapping[0].BuildID
}

func read(path string) (*profile.Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

func valueIndex(p *profile.Profile, name string) int {
	for i, t := range p.SampleType {
		if t.Type == name {
			return i
		}
	}
	return -1
}

// ReadCPU reads a CPU profile with at least MinSamples samples.
func ReadCPU(path string) (*CPU, error) {
	p, err := read(path)
	if err != nil {
		return nil, err
	}
	count, nanos := valueIndex(p, "samples"), valueIndex(p, "cpu")
	if count < 0 || nanos < 0 {
		return nil, fmt.Errorf("%s: no CPU profile: it has no values \"samples\" and \"cpu\"", path)
	}
	c := &CPU{Seconds: float64(p.DurationNanos) / 1e9, BuildID: buildID(p)}
	unknown := map[string]float64{}
	for _, s := range p.Sample {
		x := Sample{Nanos: float64(s.Value[nanos]), All: framesOf(s)}
		var name string
		x.Class, x.Entry, x.Frames, name = classify(x.All)
		if name != "" {
			unknown[name] += x.Nanos
		}
		c.Samples = append(c.Samples, x)
		c.Count += s.Value[count]
		c.Total += x.Nanos
		c.Classes[x.Class] += x.Nanos
	}
	if c.Count < MinSamples {
		return nil, fmt.Errorf("%s: %d samples, and %d are needed: chance would decide; take a longer profile under load (?seconds=60), or of more requests", path, c.Count, MinSamples)
	}
	c.Unknown = sortedUnknown(unknown)
	return c, nil
}

// framesOf returns a sample's stack from the leaf. Inlined functions have frames of their own.
func framesOf(s *profile.Sample) (all []Frame) {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function != nil {
				all = append(all, Frame{line.Function.Name, line.Function.Filename, int(line.Line)})
			}
		}
	}
	return all
}

// classify returns the class of a stack, by the runtime's frames at its leaf.
func classify(all []Frame) (c Class, entry string, rest []Frame, unknown string) {
	known, scheduled := false, false
	first := "" // the function nearest to the program that leads to no other one
	i := 0
	for ; i < len(all); i++ {
		name, ok := runtimeName(all[i].Function)
		if !ok {
			break
		}
		fc, fk := classOf(name)
		if fc == Schedule {
			scheduled = true
		} else if fc > c {
			c = fc
		}
		if !wrappers[name] {
			first, known = name, fk || !strings.HasPrefix(all[i].Function, "runtime.")
		}
		entry = name
	}
	if c == Program && scheduled {
		c, known = Schedule, true
	}
	if c == Program && first != "" && !known {
		unknown = first
	}
	if wrappers[entry] {
		entry = first
	}
	return c, entry, all[i:], unknown
}

// PackageOf returns the import path in a function's symbol. It is "main" for package main.
func PackageOf(function string) string {
	dir, base := "", function
	if at := strings.LastIndexByte(CutTypes(function), '/'); at >= 0 {
		dir, base = function[:at+1], function[at+1:]
	}
	base, _, _ = strings.Cut(base, ".")
	return strings.ReplaceAll(dir+base, "%2e", ".")
}

// CutTypes returns a function's name without its type arguments, which may contain paths.
func CutTypes(function string) string {
	name, _, _ := strings.Cut(function, "[")
	return name
}
