// Package ratios turns raw benchmark rows into tables: in docs/numbers.md one row
// per claim, with what was measured and what was aimed at; in the README a few of
// them.
package ratios

import "strconv"

// Sense says on which side of its target a claim's number must be.
type Sense int

// The senses.
const (
	AtLeast Sense = iota
	AtMost
	Below
)

func (s Sense) String() string {
	return [...]string{"at least", "at most", "below"}[s]
}

func (s Sense) holds(value, target float64) bool {
	switch s {
	case AtLeast:
		return value >= target
	case AtMost:
		return value <= target
	default:
		return value < target
	}
}

// Claim is one number the project stands for: the time of benchmark Num, in
// units of benchmark Den's time of the same round; without Den, in ns.
type Claim struct {
	Work     string // what is done
	Measure  string // what the number is
	Num, Den string // benchmarks, without "Benchmark" and "-GOMAXPROCS"; Profiled first where it applies
	Sense    Sense
	Target   float64 // 0: the row is there to compare with, nothing is claimed
}

// Goal is the target in words, empty where nothing is claimed.
func (c Claim) Goal() string {
	if c.Target == 0 {
		return ""
	}
	return c.Sense.String() + " " + strconv.FormatFloat(c.Target, 'f', -1, 64)
}

const (
	faster   = "times as fast as the Go heap"
	bytebump = "times the time of `bytebump`"
	cursor   = "times the time of `cursor`"
	inlined  = "times the time of `inlined`"
	asMap    = "times as fast as a builtin map"
)

// since says from which day on runs have a benchmark that came when there were runs
// already. A row that no run has is left out of the table.
var since = map[string]string{
	"PoolMixed":       "2026-11-24",
	"MapRequestMixed": "2026-11-24",
}

// Claims are the rows of the table, in their order.
var Claims = []Claim{
	{"`New`, 64 B, no pointers", faster,
		"New/type=flat64/alloc=heap", "New/type=flat64/alloc=arena", AtLeast, 7},
	{"", bytebump,
		"New/type=flat64/alloc=arena", "New/type=flat64/alloc=bytebump", AtMost, 1},
	{"", cursor,
		"New/type=flat64/alloc=arena", "New/type=flat64/alloc=cursor", AtMost, 0},
	{"`New`, 64 B, two strings", faster,
		"New/type=ptr64/alloc=heap", "New/type=ptr64/alloc=arena", AtLeast, 6},
	{"", bytebump,
		"New/type=ptr64/alloc=arena", "New/type=ptr64/alloc=bytebump", AtMost, 1.15},
	{"", cursor,
		"New/type=ptr64/alloc=arena", "New/type=ptr64/alloc=cursor", AtMost, 0},
	{"`New`, the same in lives of 1,000", cursor,
		"Lives/objects=1000/alloc=arena", "Lives/objects=1000/alloc=cursor", AtMost, 1.5},
	{"`New`, ten pointerful types in turn", faster,
		"New/type=ten/alloc=heap", "New/type=ten/alloc=arena", AtLeast, 5},
	{"`Slab.New`, 64 B, no pointers", faster,
		"New/type=flat64/alloc=heap", "New/type=flat64/alloc=slab", AtLeast, 10},
	{"", bytebump,
		"New/type=flat64/alloc=slab", "New/type=flat64/alloc=bytebump", AtMost, 0.8},
	{"", cursor,
		"New/type=flat64/alloc=slab", "New/type=flat64/alloc=cursor", AtMost, 0},
	{"`Slab.New`, 64 B, two strings", faster,
		"New/type=ptr64/alloc=heap", "New/type=ptr64/alloc=slab", AtLeast, 10},
	{"", bytebump,
		"New/type=ptr64/alloc=slab", "New/type=ptr64/alloc=bytebump", AtMost, 0.8},
	{"", cursor,
		"New/type=ptr64/alloc=slab", "New/type=ptr64/alloc=cursor", AtMost, 0},
	{"`Slab.New`, the same in lives of 1,000", cursor,
		"Lives/objects=1000/alloc=slab", "Lives/objects=1000/alloc=cursor", AtMost, 0.85},
	{"`AllocatorFor`, its `New`, 64 B, two strings", faster,
		"Lives/objects=250/alloc=heap", "Lives/objects=250/alloc=lane", AtLeast, 0},
	{"", cursor,
		"Lives/objects=250/alloc=lane", "Lives/objects=250/alloc=cursor", AtMost, 0.95},
	{"", inlined,
		"Lives/objects=250/alloc=lane", "Lives/objects=250/alloc=inlined", AtMost, 0},
	{"`AllocatorFor`, the same in lives of 20", cursor,
		"Lives/objects=20/alloc=lane", "Lives/objects=20/alloc=cursor", AtMost, 0.95},
	{"`AllocBytes`, 64 B", faster,
		"Bytes/alloc=heap", "Bytes/alloc=arena", AtLeast, 0},
	{"", bytebump,
		"Bytes/alloc=arena", "Bytes/alloc=bytebump", AtMost, 1.4},
	{"`MakeSliceUninit`, 64 B", bytebump,
		"Bytes/alloc=uninit", "Bytes/alloc=bytebump", AtMost, 1.2},
	{"`AllocString`, 32 B", faster,
		"AllocString/alloc=heap", "AllocString/alloc=arena", AtLeast, 5},
	{"", bytebump,
		"AllocString/alloc=arena", "AllocString/alloc=bytebump", AtMost, 0.9},
	{"`MakeSlice`, 1,000,000 ints, fresh memory", "ns",
		"MakeSlice/mem=fresh/alloc=arena", "", Below, 100},
	{"`MakeSliceUninit`, 1,000,000 ints", "ns",
		"MakeSlice/mem=uninit/alloc=arena", "", Below, 100},
	{"`MakeSlice`, 1,000,000 ints, recycled memory", "times the time of `make`, collector off",
		"MakeSlice/mem=recycled/alloc=arena", "MakeSlice/mem=recycled/alloc=heap", AtMost, 1},
	{"`Append`, 0 to 1000 ints, one slice", faster,
		"Append/slices=one/alloc=heap", "Append/slices=one/alloc=arena", AtLeast, 4},
	{"`Append`, 0 to 1000 ints, two slices in turn", faster,
		"Append/slices=two/alloc=heap", "Append/slices=two/alloc=arena", AtLeast, 2},
	{"`Reset` of 1,000,000 objects, no pointers", "ns",
		"Reset/objects=1000000/type=flat/alloc=arena", "", Below, 10_000},
	{"`Reset` of 1,000,000 objects, with pointers", "times the time of one `clear` over as much memory",
		"Reset/objects=1000000/type=ptr/alloc=arena", "Reset/objects=1000000/type=ptr/alloc=clear", AtMost, 1},
	{"`Reset` while the collector marks, 64 B, two strings", "ns for each pointer",
		"Marking/phase=mark/alloc=reset", "", AtMost, 0},
	{"", "ns for each pointer while it rests",
		"Marking/phase=rest/alloc=reset", "", AtMost, 0},
	{"`new` while the collector marks, 64 B, two strings", "times its time while the collector rests",
		"Marking/phase=mark/alloc=heap", "Marking/phase=rest/alloc=heap", AtMost, 0},
	{"`New` and its part of `Reset`, the same", "times its time while the collector rests",
		"Marking/phase=mark/alloc=arena", "Marking/phase=rest/alloc=arena", AtMost, 0},
	{"", "times as fast as the Go heap, both while it marks",
		"Marking/phase=mark/alloc=heap", "Marking/phase=mark/alloc=arena", AtLeast, 0},
	{"`ArenaPool`, one request, 1 core", faster,
		"Pool/cores=1/alloc=heap", "Pool/cores=1/alloc=arena", AtLeast, 6},
	{"one pool for requests of 20 objects and, one in 16, of 5,000", faster,
		"PoolMixed/mix=sizes/what=all/alloc=heap", "PoolMixed/mix=sizes/what=all/alloc=arena", AtLeast, 0},
	{"", "times as fast as the Go heap, the small requests alone",
		"PoolMixed/mix=sizes/what=small/alloc=heap", "PoolMixed/mix=sizes/what=small/alloc=arena", AtLeast, 0},
	{"one pool for requests of 4 types and, one in 16, of 81", faster,
		"PoolMixed/mix=types/what=all/alloc=heap", "PoolMixed/mix=types/what=all/alloc=arena", AtLeast, 0},
	{"", "times as fast as the Go heap, the small requests alone",
		"PoolMixed/mix=types/what=small/alloc=heap", "PoolMixed/mix=types/what=small/alloc=arena", AtLeast, 0},
	{"`ArenaPool`, 2 cores", "times the throughput of 1 core",
		"Pool/cores=1/alloc=arena", "Pool/cores=2/alloc=arena", AtLeast, 1.9},
	{"an `Arena` for each core, no pool, 2 cores", "times the throughput of 1 core",
		"Pool/cores=1/alloc=own", "Pool/cores=2/alloc=own", AtLeast, 0},
	{"Built with a profile: `New`, 64 B, no pointers", inlined,
		"PGO/New/type=flat64/alloc=arena", "PGO/New/type=flat64/alloc=inlined", AtMost, 1.15},
	{"", bytebump,
		"PGO/New/type=flat64/alloc=arena", "PGO/New/type=flat64/alloc=bytebump", AtMost, 0},
	{"Built with a profile: `New`, 64 B, two strings", inlined,
		"PGO/New/type=ptr64/alloc=arena", "PGO/New/type=ptr64/alloc=inlined", AtMost, 1.05},
	{"", bytebump,
		"PGO/New/type=ptr64/alloc=arena", "PGO/New/type=ptr64/alloc=bytebump", AtMost, 0},
	{"Built with a profile: `ArenaPool`, one request", faster,
		"PGO/Pool/cores=1/alloc=heap", "PGO/Pool/cores=1/alloc=arena", AtLeast, 8},
	{"Built with a profile: one pool for requests of 20 objects and, one in 16, of 5,000", "times as fast as the Go heap, the small requests alone",
		"PGO/PoolMixed/mix=sizes/what=small/alloc=heap", "PGO/PoolMixed/mix=sizes/what=small/alloc=arena", AtLeast, 0},
	{"Built with a profile: one pool for requests of 4 types and, one in 16, of 81", "times as fast as the Go heap, the small requests alone",
		"PGO/PoolMixed/mix=types/what=small/alloc=heap", "PGO/PoolMixed/mix=types/what=small/alloc=arena", AtLeast, 0},
	{"`Map`, made for a request, 8 ints entered and read", asMap,
		"MapRequest/key=int/n=8/map=builtin", "MapRequest/key=int/n=8/map=arena", AtLeast, 1.3},
	{"`Map`, 8 strings", asMap,
		"MapRequest/key=string/n=8/map=builtin", "MapRequest/key=string/n=8/map=arena", AtLeast, 1.3},
	{"`Map`, 30 ints", asMap,
		"MapRequest/key=int/n=30/map=builtin", "MapRequest/key=int/n=30/map=arena", AtLeast, 2},
	{"`Map`, 30 strings", asMap,
		"MapRequest/key=string/n=30/map=builtin", "MapRequest/key=string/n=30/map=arena", AtLeast, 2},
	{"`Map`, 100 ints", asMap,
		"MapRequest/key=int/n=100/map=builtin", "MapRequest/key=int/n=100/map=arena", AtLeast, 2},
	{"`Map`, 100 strings", asMap,
		"MapRequest/key=string/n=100/map=builtin", "MapRequest/key=string/n=100/map=arena", AtLeast, 2},
	{"`Map`, 1,000 ints", asMap,
		"MapRequest/key=int/n=1000/map=builtin", "MapRequest/key=int/n=1000/map=arena", AtLeast, 2},
	{"`Map`, 1,000 strings", asMap,
		"MapRequest/key=string/n=1000/map=builtin", "MapRequest/key=string/n=1000/map=arena", AtLeast, 2},
	{"`Map`, 8 ints and 8 strings in turn, and one request in 16 with 1,000", asMap,
		"MapRequestMixed/n=8/map=builtin", "MapRequestMixed/n=8/map=arena", AtLeast, 0},
	{"`Map.Get`, warm, 8 ints, found", asMap,
		"MapGet/key=int/n=8/hit/map=builtin", "MapGet/key=int/n=8/hit/map=arena", AtLeast, 0.9},
	{"`Map.Get`, warm, 8 strings, found", asMap,
		"MapGet/key=string/n=8/hit/map=builtin", "MapGet/key=string/n=8/hit/map=arena", AtLeast, 0.9},
	{"`Map.Get`, warm, 1,000 ints, found", asMap,
		"MapGet/key=int/n=1000/hit/map=builtin", "MapGet/key=int/n=1000/hit/map=arena", AtLeast, 0.9},
	{"`Map.Get`, warm, 1,000 ints, not found", asMap,
		"MapGet/key=int/n=1000/miss/map=builtin", "MapGet/key=int/n=1000/miss/map=arena", AtLeast, 0.9},
	{"`Map.Get`, warm, 1,000 strings, found", asMap,
		"MapGet/key=string/n=1000/hit/map=builtin", "MapGet/key=string/n=1000/hit/map=arena", AtLeast, 0.9},
	{"`Map.Get`, warm, 1,000 strings, not found", asMap,
		"MapGet/key=string/n=1000/miss/map=builtin", "MapGet/key=string/n=1000/miss/map=arena", AtLeast, 0.9},
	{"`fixedpool.Pool`, 64 B, allocate and free", faster,
		"Fixed/alloc=heap", "Fixed/alloc=fixed", AtLeast, 6},
	{"", "times as fast as `sync.Pool`",
		"Fixed/alloc=syncpool", "Fixed/alloc=fixed", AtLeast, 1.5},
	{"`NewOf`, 136 B, with pointers", "times the time of `New` and an assignment",
		"NewOf/how=newof", "NewOf/how=new", AtMost, 1.2},
	{"`NewOf`, 136 B, no pointers", "times the time of `New` and an assignment",
		"NewOf/how=flatnewof", "NewOf/how=flatnew", AtMost, 1.2},
	{"`Buffer`, 1,200 B in 40 writes, room asked for", "times as fast as `strings.Builder`",
		"Buffer/room=presized/alloc=heap", "Buffer/room=presized/alloc=arena", AtLeast, 1},
	{"`Buffer`, 1,200 B in 40 writes, growing", "times as fast as `strings.Builder`",
		"Buffer/room=grows/alloc=heap", "Buffer/room=grows/alloc=arena", AtLeast, 2},
	{"`Sprintf`, three ints and two strings", "times the time of `fmt.Sprintf`",
		"Sprintf/alloc=arena", "Sprintf/alloc=heap", AtMost, 1},
	{"`Escape`, a tree of 2 KB", "times the time of a copy written by hand",
		"Escape/by=Escape", "Escape/by=hand", AtMost, 2},
	{"`NewType`, 64 B, no pointers", "times the time of `New`",
		"NewType/type=flat64/how=reflect", "NewType/type=flat64/how=new", AtMost, 1.5},
	{"`NewType`, 64 B, two strings", "times the time of `New`",
		"NewType/type=ptr64/how=reflect", "NewType/type=ptr64/how=new", AtMost, 1.5},
	{"`MakeSliceType`", "times the time of `MakeSlice`",
		"MakeSliceType/how=reflect", "MakeSliceType/how=makeslice", AtMost, 1.5},
	{"`New`, nil arena", "times the time of plain Go",
		"Nil/func=New/alloc=nil", "Nil/func=New/alloc=plain", AtMost, 1.02},
	{"`NewOf`, nil arena", "times the time of plain Go",
		"Nil/func=NewOf/alloc=nil", "Nil/func=NewOf/alloc=plain", AtMost, 1.02},
	{"`MakeSlice`, nil arena", "times the time of plain Go",
		"Nil/func=MakeSlice/alloc=nil", "Nil/func=MakeSlice/alloc=plain", AtMost, 1.02},
	{"`SliceOf`, nil arena", "times the time of plain Go",
		"Nil/func=SliceOf/alloc=nil", "Nil/func=SliceOf/alloc=plain", AtMost, 1.02},
	{"`CloneSlice`, nil arena", "times the time of plain Go",
		"Nil/func=CloneSlice/alloc=nil", "Nil/func=CloneSlice/alloc=plain", AtMost, 1.02},
	{"`Collect`, nil arena", "times the time of plain Go",
		"Nil/func=Collect/alloc=nil", "Nil/func=Collect/alloc=plain", AtMost, 1.02},
	{"`Append`, nil arena", "times the time of plain Go",
		"Nil/func=Append/alloc=nil", "Nil/func=Append/alloc=plain", AtMost, 1.02},
	{"`AllocString`, nil arena", "times the time of plain Go",
		"Nil/func=AllocString/alloc=nil", "Nil/func=AllocString/alloc=plain", AtMost, 1.02},
	{"`AllocBytesToString`, nil arena", "times the time of plain Go",
		"Nil/func=AllocBytesToString/alloc=nil", "Nil/func=AllocBytesToString/alloc=plain", AtMost, 1.02},
	{"`AllocBytes`, nil arena", "times the time of plain Go",
		"Nil/func=AllocBytes/alloc=nil", "Nil/func=AllocBytes/alloc=plain", AtMost, 1.02},
	{"`Concat`, nil arena", "times the time of plain Go",
		"Nil/func=Concat/alloc=nil", "Nil/func=Concat/alloc=plain", AtMost, 1.02},
	{"`Join`, nil arena", "times the time of plain Go",
		"Nil/func=Join/alloc=nil", "Nil/func=Join/alloc=plain", AtMost, 1.02},
	{"`ToLower`, nil arena", "times the time of plain Go",
		"Nil/func=ToLower/alloc=nil", "Nil/func=ToLower/alloc=plain", AtMost, 1.02},
	{"`Buffer`, nil arena", "times the time of plain Go",
		"Nil/func=Buffer/alloc=nil", "Nil/func=Buffer/alloc=plain", AtMost, 1.02},
}
