package advise

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/profile"
)

// The time of an arena.
const (
	nanosOfNew   = 3
	nanosOfByte  = 0.035
	nanosOfCycle = 60 // Get and Put, and the first value of each type
)

// The range allows for an error of a third of the saved time, or of the remaining time if that is less, and of at
// least 7 % of all. It begins with no saving if convert has more than manyWarnings warnings.
const (
	modelError   = 0.33
	leastError   = 0.07
	manyWarnings = 10
)

// gogc400Saves is the part of the collector's time that GOGC=400 saves.
const gogc400Saves = 0.7

// time returns the time of the process's work in nanoseconds if the sites that counts reports move. Codecs take
// 1/faster of their time.
func (a *adviser) time(counts func(*Site) bool, faster func(*Site) float64) float64 {
	program := a.cpu.Classes[profile.Program]
	malloc := a.cpu.Classes[profile.Malloc]
	collector := a.cpu.Classes[profile.Collector] + a.cpu.Classes[profile.Schedule]*a.collectorsSchedule()
	program += a.cpu.Classes[profile.Schedule] * (1 - a.collectorsSchedule())
	all := a.bytes()
	left := all
	extra := 0.0
	for _, s := range a.all() {
		if !s.Moves || !counts(s) {
			continue
		}
		malloc -= s.Nanos
		left -= s.Bytes
		if s.codec == 0 {
			extra += s.Objects*nanosOfNew + s.Bytes*nanosOfByte
			program -= s.work
			collector += s.barrier
			continue
		}
		program -= s.program
		collector -= s.assists
		extra += (s.program + s.Nanos + s.assists) / faster(s)
	}
	if all > 0 {
		collector *= left / all
	}
	if extra > 0 {
		extra += nanosOfCycle * float64(a.Requests)
	}
	return program + malloc + extra + max(collector, 0)
}

// collectorsSchedule returns the part of the scheduler's time that is due to the collector, whose workers start and
// stop in each of its cycles. It is 0 if the program itself waits.
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

// waiting reports whether a function of the runtime may suspend its goroutine.
func waiting(entry string) bool {
	for _, p := range []string{"chan", "select", "sema", "sync_", "netpoll", "poll_", "entersyscall", "exitsyscall", "newproc", "gopark", "goready", "time"} {
		if strings.HasPrefix(entry, p) {
			return true
		}
	}
	return false
}

func (a *adviser) verdict() *Advice {
	full := func(s *Site) float64 { return s.codec }
	codec := func(s *Site) bool { return s.codec > 0 }
	every := func(*Site) bool { return true }
	total := a.cpu.Total
	v := &Advice{
		Samples: a.cpu.Count, CPUSeconds: total / 1e9, Requests: a.Requests, total: total, GoVersion: a.goVersion,
		Collector: a.cpu.Classes[profile.Collector] / total, Malloc: a.cpu.Classes[profile.Malloc] / total,
		Unknown: a.cpu.Unknown, Notes: a.notes, Root: a.Root,
	}
	after := a.time(every, full)
	v.Gain = total / after
	v.Low, v.High = rangeOf(total, after)
	if a.suggestion != nil && len(a.suggestion.Warnings) > manyWarnings {
		v.Low, _ = rangeOf(total, total)
	}
	v.GOGC400 = total / (total - gogc400Saves*a.cpu.Classes[profile.Collector])
	v.Pays = v.Gain >= Bar
	if t := a.time(codec, func(s *Site) float64 { return max(s.codec/2, 1) }); t < 0.98*total {
		v.JSON = total / t
	}
	v.Rest = after / total
	if t := a.time(codec, full); t < total {
		v.SavedCodec = 1 - t/total
	}
	v.SavedMemory = 1 - v.Rest - v.SavedCodec
	a.rank(v)
	if a.suggestion != nil && v.Pays {
		v.Convert = a.suggestion.Flags()
	}
	return v
}

// rangeOf returns the range of the gain if the time falls from total to after.
func rangeOf(total, after float64) (low, high float64) {
	off := max(modelError*min(max(total-after, 0), after), leastError*total)
	return total / (after + off), total / (after - off)
}

// rank lists the functions by what they save.
func (a *adviser) rank(v *Advice) {
	collector := a.cpu.Classes[profile.Collector] / max(a.bytes(), 1)
	functions := map[string]*Function{}
	var whole float64
	for _, s := range a.all() {
		if !s.Moves {
			v.BytesLeft += s.Bytes
			if s.Nanos > 0 || s.Bytes > 0 {
				v.Heap = append(v.Heap, *s)
			}
			continue
		}
		v.BytesTaken += s.Bytes
		s.Saved = s.Nanos + s.work - s.Objects*nanosOfNew - s.Bytes*nanosOfByte + s.Bytes*collector
		if s.codec > 0 {
			s.Saved = (s.program+s.Nanos+s.assists)*(1-1/s.codec) + s.Bytes*collector
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
		if saved := 1 - v.Rest; sumAll > 0 && saved > 0 { // their sum is the saving of the verdict
			f.Saved *= saved / sumAll
		}
		whole += max(f.Saved, 0)
		slices.SortFunc(f.Sites, func(x, y Site) int { return cmp.Or(cmp.Compare(y.Saved, x.Saved), cmp.Compare(x.Line, y.Line)) })
		v.Functions = append(v.Functions, *f)
	}
	slices.SortFunc(v.Functions, func(x, y Function) int {
		return cmp.Or(cmp.Compare(y.Saved, x.Saved), cmp.Compare(x.Name, y.Name))
	})
	// Leave out the functions that together save the last twentieth, unless they lose something.
	var sum float64
	v.Functions = slices.DeleteFunc(v.Functions, func(f Function) bool {
		sum += max(f.Saved, 0)
		return f.Saved > -0.01 && (f.Saved < 0.0005 || sum-f.Saved >= 0.95*whole)
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
