package escape

import (
	"iter"
	"log/slog"
	"os/exec"
	"slices"
	"strings"

	"github.com/ebbpool/arena"
)

// What holds memory of an arena for longer than it shows: closures, iterators, loggers and processes.

var (
	lastText func() string
	allTexts iter.Seq[string]
	logger   *slog.Logger
)

func closureInGlobal(pool *arena.ArenaPool) {
	pool.Do(func(a *arena.Arena) {
		s := a.AllocString("x")
		lastText = func() string { return s } // want `stored where it outlives the function`
	})
}

func fineClosureOfCopy(pool *arena.ArenaPool) {
	pool.Do(func(a *arena.Arena) {
		s := strings.Clone(a.AllocString("x"))
		lastText = func() string { return s }
	})
}

func fineClosureOfLocal(pool *arena.ArenaPool) (n int) {
	pool.Do(func(a *arena.Arena) {
		s := a.AllocString("x")
		f := func() string { return s }
		n = len(f())
	})
	return n
}

func iteratorInGlobal(pool *arena.ArenaPool) {
	a := pool.Get()
	defer pool.Put(a)
	allTexts = slices.Values(arena.SliceOf(a, "x")) // want `stored where it outlives the function`
}

func fineIteratorOfCopy(pool *arena.ArenaPool) {
	a := pool.Get()
	defer pool.Put(a)
	allTexts = slices.Values(slices.Clone(arena.SliceOf(a, "x")))
}

func fineIteratorWalked(pool *arena.ArenaPool) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	for s := range slices.Values(arena.SliceOf(a, "x")) {
		n += len(s)
	}
	return n
}

func loggerInGlobal(pool *arena.ArenaPool) {
	a := pool.Get()
	defer pool.Put(a)
	logger = slog.With("k", a.AllocString("v")) // want `stored where it outlives the function`
}

func loggerOfLogger(pool *arena.ArenaPool) {
	a := pool.Get()
	defer pool.Put(a)
	logger = logger.With("k", a.AllocString("v")) // want `stored where it outlives the function`
}

func loggerByDefault(pool *arena.ArenaPool) {
	a := pool.Get()
	defer pool.Put(a)
	slog.SetDefault(slog.With("k", a.AllocString("v"))) // want `kept by slog.SetDefault`
}

func fineLogger(pool *arena.ArenaPool) {
	a := pool.Get()
	defer pool.Put(a)
	l := slog.With("k", a.AllocString("v"))
	l.Info("x", "more", a.AllocString("w"))
	logger = slog.With("k", strings.Clone(a.AllocString("v")))
}

func startedWith(pool *arena.ArenaPool) error {
	a := pool.Get()
	defer pool.Put(a)
	cmd := exec.Command("cat")
	cmd.Stdin = strings.NewReader(a.AllocString("x"))
	return cmd.Start() // want `used by a goroutine of os/exec`
}

func writtenTo(pool *arena.ArenaPool) error {
	a := pool.Get()
	defer pool.Put(a)
	cmd := exec.Command("cat")
	cmd.Stdout = arena.NewBuffer(a, 0)
	return cmd.Start() // want `used by a goroutine of os/exec`
}

func fineWaitedFor(pool *arena.ArenaPool) error {
	a := pool.Get()
	defer pool.Put(a)
	cmd := exec.Command("cat")
	cmd.Stdin = strings.NewReader(a.AllocString("x"))
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Wait()
}

func fineRuns(pool *arena.ArenaPool) error {
	a := pool.Get()
	defer pool.Put(a)
	cmd := exec.Command("cat")
	cmd.Stdin = strings.NewReader(a.AllocString("x"))
	return cmd.Run()
}
