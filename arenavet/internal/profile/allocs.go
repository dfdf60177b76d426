package profile

import (
	"fmt"
	"math"

	"github.com/google/pprof/profile"
)

// Allocation is the memory that one stack has allocated, and the part of it in use at the last collection.
type Allocation struct {
	Frames         []Frame // from the leaf, without the runtime's
	Objects, Bytes float64
	LiveObjects    float64
	LiveSamples    float64 // number of sampled live objects
}

// Allocs is an allocation profile.
type Allocs struct {
	Stacks         []Allocation
	Seconds        float64 // duration, or 0 for a profile since the program's start
	Objects, Bytes float64
	LiveBytes      float64
	BuildID        string // of the program, if it has one
}

// ReadAllocs reads an allocation profile: "allocs" or "heap" of net/http/pprof, or a file of go test
// -memprofile.
func ReadAllocs(path string) (*Allocs, error) {
	p, err := read(path)
	if err != nil {
		return nil, err
	}
	objects, bytes := valueIndex(p, "alloc_objects"), valueIndex(p, "alloc_space")
	liveObjects, liveBytes := valueIndex(p, "inuse_objects"), valueIndex(p, "inuse_space")
	if objects < 0 || bytes < 0 || liveObjects < 0 || liveBytes < 0 {
		return nil, fmt.Errorf("%s: no allocation profile: it has no values \"alloc_objects\", \"alloc_space\", \"inuse_objects\" and \"inuse_space\"", path)
	}
	a := &Allocs{BuildID: buildID(p)}
	if d := p.DurationNanos; d > 0 {
		a.Seconds = float64(d) / 1e9
	}
	for _, s := range p.Sample {
		x := Allocation{
			Frames: withoutRuntime(framesOf(s)), Objects: float64(s.Value[objects]), Bytes: float64(s.Value[bytes]),
			LiveObjects: float64(s.Value[liveObjects]), LiveSamples: seen(p, float64(s.Value[liveObjects]), float64(s.Value[liveBytes])),
		}
		a.Stacks = append(a.Stacks, x)
		a.Objects += x.Objects
		a.Bytes += x.Bytes
		a.LiveBytes += float64(s.Value[liveBytes])
	}
	if a.Objects <= 0 {
		return nil, fmt.Errorf("%s: nothing was allocated, or runtime.MemProfileRate is 0", path)
	}
	return a, nil
}

// seen returns the number of sampled objects. The profiler takes one sample for each p.Period bytes.
func seen(p *profile.Profile, objects, bytes float64) float64 {
	if objects <= 0 || p.Period <= 0 {
		return 0
	}
	return objects * (1 - math.Exp(-bytes/objects/float64(p.Period)))
}

func withoutRuntime(all []Frame) []Frame {
	for len(all) > 0 {
		if _, ok := runtimeName(all[0].Function); !ok {
			break
		}
		all = all[1:]
	}
	return all
}
