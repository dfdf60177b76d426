package model

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// RegionKind is the operation of a line of a region trace, spelled as in the file.
type RegionKind string

const (
	RegionObject  RegionKind = "object"  // allocate N zeroed bytes, counted in multiples of 8
	RegionText    RegionKind = "text"    // allocate a copy of N bytes of text
	RegionRefuse  RegionKind = "refuse"  // request N bytes, which the limit refuses
	RegionLimit   RegionKind = "limit"   // limit the memory to N bytes; 0 means no limit
	RegionMark    RegionKind = "mark"    // take mark number N
	RegionRewind  RegionKind = "rewind"  // rewind to mark N
	RegionStale   RegionKind = "stale"   // misuse: rewind to mark N, which is stale
	RegionForeign RegionKind = "foreign" // misuse: rewind to a mark of another region
	RegionReset   RegionKind = "reset"   // end the cycle
	RegionRelease RegionKind = "release" // end the cycle and free the memory
)

// regionKinds lists the operations and whether they have a number.
var regionKinds = map[RegionKind]bool{
	RegionObject: true, RegionText: true, RegionRefuse: true, RegionLimit: true, RegionMark: true,
	RegionRewind: true, RegionStale: true, RegionForeign: false, RegionReset: false, RegionRelease: false,
}

// RegionOp is one line: an operation and the bytes in use after it.
type RegionOp struct {
	Kind RegionKind
	N    int // if the kind has a number
	Used int
}

func (o RegionOp) String() string {
	if regionKinds[o.Kind] {
		return fmt.Sprintf("%s %d %d", o.Kind, o.N, o.Used)
	}
	return fmt.Sprintf("%s %d", o.Kind, o.Used)
}

// RegionTrace is a sequence of calls on a new region.
type RegionTrace struct {
	ChunkSize, MaxRetained int
	Ops                    []RegionOp
}

const regionHeader = `# ebbpool region trace, version 1
# Calls on a new region, one a line, and what each must answer. Words are
# separated by one space; lines that begin with # say nothing. The last number of
# a call is how many bytes are in use after it: those of objects rounded up to
# multiples of 8, those of text as they are.
#   region C R         the first line: chunks of C bytes, at most R of them kept
#   object N U         N bytes are handed out, all zero, at a multiple of 8
#   text N U           a copy of N bytes of text is handed out
#   limit N U          from now on memory is bounded to N bytes; 0: not bounded
#   refuse N U         N bytes are asked for; they are beyond the limit
#   mark M U           a mark is taken, number M
#   rewind M U         back to mark M, which stays good
#   reset U            the cycle ends
#   release U          the cycle ends, and the memory goes back
# What is handed out overlaps nothing that is in use, and holds what was written
# to it until it is taken back. Misuse. Each must be reported, and change nothing:
#   stale M U          back to mark M, which is stale: the region was reset,
#                      released or rewound to an earlier mark since it was taken
#   foreign U          back to a mark of another region
`

// Text returns the trace in file format.
func (t RegionTrace) Text() string {
	var b strings.Builder
	b.WriteString(regionHeader)
	fmt.Fprintf(&b, "region %d %d\n", t.ChunkSize, t.MaxRetained)
	for _, o := range t.Ops {
		b.WriteString(o.String() + "\n")
	}
	return b.String()
}

// ParseRegionTrace parses a trace file.
func ParseRegionTrace(text string) (RegionTrace, error) {
	var t RegionTrace
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Split(line, " ")
		var numbers []int
		for _, w := range words[1:] {
			x, err := strconv.Atoi(w)
			if err != nil || x < 0 {
				return RegionTrace{}, fmt.Errorf("line %d, %q: %q is no number", n+1, line, w)
			}
			numbers = append(numbers, x)
		}
		has, known := regionKinds[RegionKind(words[0])]
		switch {
		case t.ChunkSize == 0 && (words[0] != "region" || len(numbers) != 2 || numbers[0] == 0):
			return RegionTrace{}, fmt.Errorf("line %d, %q: the first line must be region C R", n+1, line)
		case t.ChunkSize == 0:
			t.ChunkSize, t.MaxRetained = numbers[0], numbers[1]
		case known && has && len(numbers) == 2:
			t.Ops = append(t.Ops, RegionOp{RegionKind(words[0]), numbers[0], numbers[1]})
		case known && !has && len(numbers) == 1:
			t.Ops = append(t.Ops, RegionOp{Kind: RegionKind(words[0]), Used: numbers[0]})
		default:
			return RegionTrace{}, fmt.Errorf("line %d, %q: no such call", n+1, line)
		}
	}
	if t.ChunkSize == 0 {
		return RegionTrace{}, fmt.Errorf("no line says the chunk size")
	}
	return t, nil
}

// regionRecorder runs operations on the model and records the answers.
type regionRecorder struct {
	region Region
	marks  []Mark // by number
	trace  RegionTrace
}

func (r *regionRecorder) note(k RegionKind, n int) {
	r.trace.Ops = append(r.trace.Ops, RegionOp{k, n, r.region.Used()})
}

func (r *regionRecorder) object(n int) {
	r.region.Make(Flat, 1, n, n)
	r.note(RegionObject, n)
}

func (r *regionRecorder) text(n int) {
	r.region.String(strings.Repeat("x", n))
	r.note(RegionText, n)
}

func (r *regionRecorder) mark() int {
	r.marks = append(r.marks, r.region.Mark())
	r.note(RegionMark, len(r.marks)-1)
	return len(r.marks) - 1
}

// rewind rewinds to a mark, which may be a misuse.
func (r *regionRecorder) rewind(number int) {
	if r.region.Rewind(r.marks[number]) {
		r.note(RegionRewind, number)
	} else {
		r.note(RegionStale, number)
	}
}

func (r *regionRecorder) end(k RegionKind) {
	r.region.Reset()
	r.note(k, 0)
}

// some allocates n times, occasionally more than a chunk.
func (r *regionRecorder) some(random *rand.Rand, n int) {
	for range n {
		size := 1 + random.IntN(40)
		if random.IntN(16) == 0 {
			size = 1 + random.IntN(2*r.trace.ChunkSize)
		}
		if random.IntN(3) == 0 {
			r.text(size)
		} else {
			r.object(size)
		}
	}
}

// regionChunks are chunk sizes below, around and above the sizes of allocations.
var regionChunks = []int{64, 1000, 65536}

// RegionTraces returns the contents of all region traces, by name. The result is always the same.
func RegionTraces() map[string]string {
	files := map[string]string{}
	for _, chunk := range regionChunks {
		for name, write := range regionOrders {
			r := &regionRecorder{trace: RegionTrace{ChunkSize: chunk, MaxRetained: 4 * chunk}}
			write(r, rand.New(rand.NewPCG(uint64(chunk), uint64(len(name)))))
			files[fmt.Sprintf("%s-%d.region", name, chunk)] = r.trace.Text()
		}
	}
	return files
}

// regionOrders are the sequences run with every chunk size.
var regionOrders = map[string]func(*regionRecorder, *rand.Rand){
	// Cycles of every length around the chunk size, with varying sizes.
	"cycles": func(r *regionRecorder, random *rand.Rand) {
		for cycle := range 12 {
			r.some(random, 3*cycle)
			if cycle%4 == 3 {
				r.end(RegionRelease)
			} else {
				r.end(RegionReset)
			}
		}
	},
	// Nested marks, rewound from the innermost and from the outermost, including marks that are stale by
	// then.
	"marks": func(r *regionRecorder, random *rand.Rand) {
		for _, inwards := range []bool{false, true, false} {
			first := len(r.marks)
			for range 6 {
				r.some(random, 5)
				r.mark()
				if random.IntN(2) == 0 {
					r.mark() // at the same position: the same mark
				}
			}
			r.note(RegionForeign, 0)
			last := len(r.marks) - 1
			for i := first; i <= last; i++ {
				r.some(random, 2)
				if inwards {
					r.rewind(i)
				} else {
					r.rewind(first + last - i)
				}
			}
			for i := first; i <= last; i++ {
				r.rewind(i)
			}
			r.end(RegionReset)
			r.rewind(last)
		}
	},
	// All operations at random.
	"random": func(r *regionRecorder, random *rand.Rand) {
		for range 300 {
			switch op := random.IntN(40); {
			case op < 24:
				r.some(random, 1)
			case op < 29:
				r.mark()
			case op < 37 && len(r.marks) > 0:
				r.rewind(max(0, len(r.marks)-1-random.IntN(6)))
			case op == 37:
				r.note(RegionForeign, 0)
			case op == 38:
				r.end(RegionReset)
			case op == 39:
				r.end(RegionRelease)
			}
		}
	},
	// Below the limit nothing changes; above it a request is refused and changes nothing. The memory held
	// beyond the bytes in use differs between the languages, so the work stays below an eighth of the limit.
	"limit": func(r *regionRecorder, random *rand.Rand) {
		for _, times := range []int{16, 64, 400} {
			limit := times * max(r.trace.ChunkSize, 256)
			r.region.Reset()
			r.note(RegionRelease, 0)
			r.note(RegionLimit, limit)
			for r.region.Used() < limit/8-2*r.trace.ChunkSize-100 && len(r.trace.Ops) < 500 {
				r.some(random, 4)
				r.note(RegionRefuse, limit+1+random.IntN(limit))
				if random.IntN(8) == 0 {
					r.rewind(r.mark())
				}
			}
			r.note(RegionRefuse, 1<<30)
			r.end(RegionReset)
			r.some(random, 2)
		}
		r.note(RegionLimit, 0)
		r.object(20 * r.trace.ChunkSize)
	},
}
