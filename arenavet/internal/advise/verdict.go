package advise

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/profile"
)

// What a value in an arena takes.
const (
	nanosOfNew  = 3
	nanosOfByte = 0.035
	// nanosOfLife is the time of Get and Put, and of the first value of each type.
	nanosOfLife = 60
)

// The range is wide enough for four of five programs that were predicted, and converted by hand.
const (
	// modelError is how far the model may be off, as a part of the time that is saved or that
	// is left, whichever is less.
	modelError = 0.33
	// leastError is how far off it is at least, as a part of all: what is measured differs by that much.
	leastError = 0.07
)

// gogc400Saves is the part of the collector's time that GOGC=400 saves.
const gogc400Saves = 0.7

// time returns what the process's work takes in nanoseconds when each site has the outcome that
// taken reports. Codecs take the part that share tells.
func (a *adviser) time(taken func(*Site) bool, share func(codec) float64) float64 {
	program := a.cpu.Classes[profile.Program]
	malloc := a.cpu.Classes[profile.Malloc]
	collector := a.cpu.Classes[profile.Collector] + a.cpu.Classes[profile.Schedule]*a.collectorsSchedule()
	program += a.cpu.Classes[profile.Schedule] * (1 - a.collectorsSchedule())
	all := a.bytes()
	left := all
	extra := 0.0
	for _, s := range a.all() {
		if !taken(s) {
			continue
		}
		malloc -= s.Nanos
		left -= s.Bytes
		if s.codec == nil {
			extra += s.Objects*nanosOfNew + s.Bytes*nanosOfByte
			program -= s.work
			collector += s.barrier
			continue
		}
		program -= s.program
		collector -= s.assists
		extra += (s.program + s.Nanos + s.assists) / share(*s.codec)
	}
	if all > 0 {
		collector *= left / all
	}
	if extra > 0 {
		extra += nanosOfLife * float64(a.Requests)
	}
	return program + malloc + extra + max(collector, 0)
}

// collectorsSchedule returns what part of the scheduler's time is the collector's doing: its
// workers are started and stopped with each cycle. It is the program's where that waits.
func (a *adviser) collectorsSchedule() float64 {
	var waits float64
	for _, s := range a.cpu.Samples {
		if s.Class == profile.Program && waiting(s.Entry) {
			waits += s.Nanos
		}
	}
	if 4*waits > a.cpu.Classes[profile.Schedule] {
		return 0
	}
	return 1
}

// waiting reports whether a function of the runtime may lay down its goroutine.
func waiting(entry string) bool {
	for _, p := range []string{"chan", "select", "sema", "sync_", "netpoll", "poll_", "entersyscall", "exitsyscall", "newproc", "gopark", "goready", "time"} {
		if strings.HasPrefix(entry, p) {
			return true
		}
	}
	return false
}

func (a *adviser) verdict() *Advice {
	likely := func(c codec) float64 { return c.likely }
	least := func(c codec) float64 { return c.least }
	takes := func(from Outcome) func(*Site) bool { return func(s *Site) bool { return s.outcome >= from } }
	total := a.cpu.Total
	v := &Advice{
		Samples: a.cpu.Count, CPUSeconds: total / 1e9, Requests: a.Requests, total: total, GoVersion: a.goVersion,
		Collector: a.cpu.Classes[profile.Collector] / total, Malloc: a.cpu.Classes[profile.Malloc] / total,
		Unknown: a.cpu.Unknown, Notes: a.notes,
	}
	after := a.time(takes(Likely), likely)
	v.Gain = total / after
	saved := total - after
	part := min(max(saved/total, 0), 1)
	chance := 2 * total * math.Sqrt(part*(1-part)/float64(v.Samples)) // twice the standard deviation
	off := max(math.Hypot(modelError*min(math.Abs(saved), after), chance), leastError*total)
	v.Low = total / max(after+off, min(a.time(takes(Taken), least), total))
	v.High = total / (after - off)
	v.GOGC400 = total / (total - gogc400Saves*a.cpu.Classes[profile.Collector])
	v.Pays = v.Gain >= Bar
	if codecTime := a.time(func(s *Site) bool { return s.codec != nil }, func(c codec) float64 { return c.likely / 2 }); codecTime < 0.98*total {
		v.JSON = total / codecTime
	}
	v.Rest = after / total
	if withCodec := a.time(func(s *Site) bool { return s.codec != nil && s.outcome >= Likely }, likely); withCodec < total {
		v.SavedCodec = 1 - withCodec/total
	}
	v.SavedMemory = 1 - v.Rest - v.SavedCodec
	a.rank(v)
	v.Root = a.root()
	v.flames = a.flame()
	return v
}

// rank lists the functions by what they save.
func (a *adviser) rank(v *Advice) {
	collector := a.cpu.Classes[profile.Collector] / max(a.bytes(), 1)
	functions := map[string]*Function{}
	var whole float64
	for _, s := range a.all() {
		if s.outcome == Stays {
			v.BytesLeft += s.Bytes
			if s.Nanos > 0 || s.Bytes > 0 {
				v.Heap = append(v.Heap, *s)
			}
			continue
		}
		v.BytesTaken += s.Bytes
		s.Saved = s.Nanos + s.work - s.Objects*nanosOfNew - s.Bytes*nanosOfByte + s.Bytes*collector
		if s.codec != nil {
			s.Saved = (s.program+s.Nanos+s.assists)*(1-1/s.codec.likely) + s.Bytes*collector
		}
		name := outer(s.Function)
		f := functions[name]
		if f == nil {
			f = &Function{Name: name, File: s.File}
			functions[name] = f
		}
		f.Saved += s.Saved / v.total
		f.Sites = append(f.Sites, *s)
	}
	var sumAll float64
	for _, f := range functions {
		sumAll += f.Saved
	}
	for _, f := range functions {
		if saved := 1 - v.Rest; sumAll > 0 && saved > 0 { // their sum is what the verdict says
			f.Saved *= saved / sumAll
		}
		whole += max(f.Saved, 0)
		slices.SortFunc(f.Sites, func(x, y Site) int { return cmp.Or(cmp.Compare(y.Saved, x.Saved), cmp.Compare(x.Line, y.Line)) })
		v.Functions = append(v.Functions, *f)
	}
	slices.SortFunc(v.Functions, func(x, y Function) int {
		return cmp.Or(cmp.Compare(y.Saved, x.Saved), cmp.Compare(x.Name, y.Name))
	})
	// Those that save the last twentieth together are not worth a line, but those that lose something.
	var sum float64
	v.Functions = slices.DeleteFunc(v.Functions, func(f Function) bool {
		sum += max(f.Saved, 0)
		return f.Saved > -0.01 && sum-f.Saved >= 0.95*whole
	})
	v.Others = 1 - v.Rest
	for _, f := range v.Functions {
		v.Others -= f.Saved
	}
	slices.SortFunc(v.Heap, func(x, y Site) int {
		return cmp.Or(cmp.Compare(y.Nanos, x.Nanos), cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
	})
	for _, s := range a.all() {
		v.Sites = append(v.Sites, *s)
	}
	slices.SortFunc(v.Sites, func(x, y Site) int {
		return cmp.Or(cmp.Compare(y.Nanos, x.Nanos), cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Called, y.Called))
	})
}
