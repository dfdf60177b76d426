package profile

import (
	"cmp"
	"slices"
	"strings"
)

// Class is the part of a program that uses the time of a sample.
type Class int

const (
	Program   Class = iota // the program itself, with other functions of the runtime that it calls
	Malloc                 // finding and clearing memory for a value
	Collector              // marking, assists, sweeping, write barriers, scavenging
	Schedule               // starting and stopping goroutines
)

// Prefixes of names of functions of the runtime. A sample belongs to the collector if one of the runtime's
// frames at its leaf does. Otherwise it belongs to Malloc if one of them does.
var collectorNames = prefixes(`gcBgMark gcAssist gcDrain gcStart gcMark gcSweep gcWriteBarrier gcFlush
	gcmark gcPark gcController gcenable gcResetMarkState gcStopTheWorld wbBuf wbMove wbZero bulkBarrier
	typeBitsBulkBarrier bgsweep bgscavenge sweepone deductSweepCredit deductAssistCredit scanobject scanObject
	scanblock scanstack scanConservative scanSpan greyobject markroot tryDeferToSpanScan shade
	(*sweepLocked) (*sweepLocker) (*mspan).sweep (*mspan).moveInlineMarks (*pageAlloc).scavenge
	(*scavenge (*gcWork) (*gcControllerState) (*mheap).reclaim (*spanInlineMarkBits) (*spanQueue)
	(*spanSPMC) freeSomeWbufs forcegchelper GC _GC finishsweep clearpools expandAVX512 debug_freeOSMemory
	debug_scavenge`)

var mallocNames = prefixes(`mallocgc newobject newarray makeslice rawstring rawbyteslice rawruneslice
	reflect_unsafe_New reflectlite_unsafe_New maps_newobject maps_newarray mallocStub`)

var scheduleNames = prefixes(`schedule park_m gosched_m goschedImpl gopreempt_m preemptPark goexit0
	findRunnable findrunnable stealWork runqsteal runqgrab execute stopm startm mPark wakep handoffp sysmon
	retake resetspinning injectglist exitsyscall0 startlockedm stoplockedm`)

// programNames are prefixes of the other functions through which a program enters the runtime.
var programNames = prefixes(`newproc gopark goready ready goyield Gosched gogo goexit gosched note
	futex usleep osyield nanosleep osPreemptExtEnter entersyscall exitsyscall reentersyscall lock unlock sema
	acquireSudog releaseSudog getOrAddWeakHandle getWeakHandle sync_ netpoll (*poll poll_ epoll (*timers) (*timer) timeSleep newTimer resetTimer stopTimer resetForSleep goroutineReady
	nanotime walltime time_now time_ cputicks sig doSigPreempt asyncPreempt wantAsyncPreempt preempt (*profBuf)
	cpuprof (*cpuProfile) profileWriter setcpuprofilerate SetCPUProfileRate runtime_pprof pprof_ newstack copystack morestack
	adjust (*unwinder) gentraceback pcvalue func (*Func) (*Frames) Callers callers Caller FuncForPC
	CallersFrames runtime_ map makemap chan makechan closechan select send recv block conv assert typeAssert
	interfaceSwitch iface eface inter nilinter getitab itab concat slice string intstring cmpstring decoderune
	encoderune countrunes mem typedmem typedslice duff str hash f32 f64 c64 c128 aeshash growslice
	moveSlice reflect unsafe panic gopanic gorecover goPanic print defer rand cheaprand fastrand bootstrap_rand
	race msan asan checkptr libfuzzer cgo asmcgocall KeepAlive SetFinalizer AddCleanup runFinalizers
	runfinq runCleanups (*cleanupQueue) main doInit init schedinit rt0_go args osinit check LockOSThread UnlockOSThread
	NumGoroutine ReadMemStats readmemstats metrics_ readMetrics Stack GOMAXPROCS Version throw fatal recovery deferproc
	_System _ExternalCode _VDSO _Lost vdso read write open closefd mmap munmap madvise sysAlloc sysMap sysUsed
	persistentalloc stopTheWorld startTheWorld goroutineProfile int64 uint64 float64 uint32 uint8 complex128 addCovMeta
	throwinit unique_ weak_ internal_ atomic_ os_ syscall_ debug_ tls coro Goexit badsystemstack spillArgs
	unspillArgs bool2int add alignUp getg acquirem releasem acquirep releasep casgstatus tryRecordGoroutineProfile
	traceback traceEvent trace (*trace (*mutex) (*rwmutex) (*waitq) (*hchan) (*itabTableType) (*_type) (*rtype) (*moduledata)
	publicationBarrier procyield runqput runqget runqempty checkTimers mProf mprof (*bucket) (*maptype) badPointer
	gcall gostartcall getMCache (*mcache) (*mheap) (*mcentral) deductions (*linearAlloc) (*fixalloc) (*sysMemStat)
	(*consistentHeapStats) isSystemGoroutine findfunc exit tgkill gettid clone setitimer timer_ rt_sig fcntl pipe
	(*guintptr) (*muintptr) (*gQueue) (*gList) (*randomEnum) (*pMask) pidle (*synctest synctest secret
	allocm newm malg newosproc mstart minit mcommoninit newextram dropg mcall systemstack retpoline
	nextSample (*waitReason) getStackMap stackpool stackalloc stackfree stackcache (*stkframe) (*pinner) (*Pinner)
	(*_panic) procPin procUnpin rtype resolveNameOff resolveTypeOff toRType roundupsize gosave
	(*Error) (*TypeAssertionError) (*boundsError) plainError errorString`)

func prefixes(list string) []string { return strings.Fields(list) }

// wrappers lists functions that only call another function of the runtime.
var wrappers = map[string]bool{
	"systemstack": true, "mcall": true, "mstart": true, "mstart0": true, "mstart1": true, "goexit": true, "systemstack_switch": true, "gosave_systemstack_switch": true,
}

// runtimeName returns the name of a function of the runtime without its package.
func runtimeName(function string) (name string, ok bool) {
	if name, ok = strings.CutPrefix(function, "runtime."); ok {
		return name, true
	}
	if strings.HasPrefix(function, "internal/runtime/") {
		return function, true
	}
	// An assembly function has no package: gcWriteBarrier, memeqbody, aeshashbody.
	return function, !strings.ContainsAny(function, "./")
}

func begins(name string, list []string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return strings.HasPrefix(name, p) })
}

// classOf returns the class of a function of the runtime. Functions in none of the lists are unknown and
// count as the program's.
func classOf(name string) (c Class, known bool) {
	switch {
	case strings.HasPrefix(name, "internal/runtime/gc"), begins(name, collectorNames):
		return Collector, true
	case strings.HasPrefix(name, "internal/runtime/"):
		return Program, true
	case begins(name, mallocNames):
		return Malloc, true
	case begins(name, scheduleNames):
		return Schedule, true
	}
	return Program, begins(name, programNames)
}

// Unknown is a function of the runtime in none of the lists, with its time in nanoseconds, which counts as
// the program's.
type Unknown struct {
	Name  string  `json:"name"`
	Nanos float64 `json:"nanoseconds"`
}

func sortedUnknown(all map[string]float64) []Unknown {
	var list []Unknown
	for name, n := range all {
		list = append(list, Unknown{name, n})
	}
	slices.SortFunc(list, func(x, y Unknown) int {
		return cmp.Or(cmp.Compare(y.Nanos, x.Nanos), cmp.Compare(x.Name, y.Name))
	})
	return list
}
