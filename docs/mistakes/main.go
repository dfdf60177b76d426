// Command mistakes makes one mistake with this module's memory on purpose. The table in docs/safety.md shows the
// outcome in each build, and a test compares it.
//
//	go run -C docs ./mistakes "return after Put"
//	go run -C docs -race ./mistakes "a goroutine keeps a value"
//	go run -C docs -tags arenacheck ./mistakes "overrun by unsafe"
//	go run -C docs ./mistakes guarded "a global keeps a value"
//	go run -C docs ./mistakes simulated 10000000 "a global keeps a value"
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

// A mistake is a row of the table and the function that makes the mistake.
type mistake struct {
	name  string
	make  func()
	where []string // the functions that the analyzer should report
}

var mistakes = []mistake{
	{"return after Put", returnAfterPut, []string{"returnAfterPut", "greeting"}},
	{"a string kept after Reset", stringAfterReset, []string{"stringAfterReset"}},
	{"a struct with pointers kept after Reset", structAfterReset, []string{"structAfterReset"}},
	{"a slice kept after Rewind", sliceAfterRewind, []string{"sliceAfterRewind"}},
	{"a Map used after Reset", mapAfterReset, []string{"mapAfterReset"}},
	{"a global keeps a value", globalKeeps, []string{"globalKeeps"}},
	{"a cache's field keeps a value", fieldKeeps, []string{"fieldKeeps", "fill"}},
	{"a map keeps a value", mapKeeps, []string{"mapKeeps", "fillMap"}},
	{"a forgotten Escape", forgottenEscape, []string{"forgottenEscape", "keepAnswers"}},
	{"a channel carries a value out", channelCarries, []string{"channelCarries", "sendGreeting"}},
	{"a goroutine keeps a value", goroutineKeeps, []string{"goroutineKeeps"}},
	{"two goroutines, one arena", twoGoroutines, []string{"twoGoroutines"}},
	{"an arena used after Put", arenaAfterPut, []string{"arenaAfterPut"}},
	{"a Fork that outlives its parent", forkOutlives, []string{"forkOutlives"}},
	{"an arena put twice", putTwice, []string{"putTwice"}},
	{"an arena never put", neverPut, []string{"neverPut", "getAndForget"}},
	{"a Mark after an outer Rewind", staleMark, []string{"staleMark"}},
	{"append of the language to an arena's slice", languageAppend, []string{"languageAppend"}},
	{"an Uninit slice read before it is written", uninitRead, []string{"uninitRead"}},
	{"overrun by unsafe", overrun, []string{"overrun"}},
	{"a fixedpool's slot freed twice", freedTwice, []string{"freedTwice"}},
	{"a fixedpool's slot written after it was freed", writtenAfterFree, []string{"writtenAfterFree"}},
}

func main() {
	name := strings.Join(os.Args[1:], " ")
	if sampled, ok := strings.CutPrefix(name, "guarded "); ok {
		name = sampled
		newArena = pool.Get
		pool.SetMisuseSampling(1, func(r *arena.MisuseReport) { fmt.Println("reported:", r.Text) })
	}
	if over, ok := strings.CutPrefix(name, "cost "); ok {
		cost(over)
		return
	}
	simulated := 0
	if n, _ := fmt.Sscanf(name, "simulated %d", &simulated); n == 1 {
		_, name, _ = strings.Cut(name, fmt.Sprint(simulated, " "))
	}
	for _, m := range mistakes {
		if m.name == name && simulated != 0 {
			simulate(simulated, m)
			return
		}
		if m.name == name {
			try(m.make)
			sound()
			return
		}
	}
	fmt.Fprintf(os.Stderr, "mistakes: there is no mistake %q; there are:\n", name)
	for _, m := range mistakes {
		fmt.Fprintf(os.Stderr, "  %s\n", m.name)
	}
	os.Exit(2)
}

// try makes a mistake as a server runs a request: a panic ends the request, not the process.
func try(f func()) {
	defer func() {
		if e := recover(); e != nil {
			text := fmt.Sprint(e)
			if err, ok := e.(error); ok && errors.As(err, new(*fixedpool.MisuseError)) {
				text = "MisuseError: " + text
			}
			line, _, _ := strings.Cut(text, "\n")
			fmt.Println("panic:", line)
		}
	}()
	defer arena.ExplainFaults()
	f()
}

// sound prints that the process is sound, after collections that visit the whole heap.
func sound() {
	for range 4 {
		kept := make([]*[64]string, 1000)
		for i := range kept {
			kept[i] = new([64]string)
			kept[i][i%64] = fmt.Sprint("object ", i)
		}
		runtime.GC()
		for i := range kept {
			if kept[i][i%64] != fmt.Sprint("object ", i) {
				fmt.Println("the heap is damaged")
				os.Exit(3)
			}
		}
	}
	fmt.Println("the process is sound")
}
