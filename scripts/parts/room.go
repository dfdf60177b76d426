package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// room keeps parts from filling the disk. Go's build cache has nearly all of what they
// write, and is emptied only of what nobody has asked for in days.
type room struct {
	least uint64 // bytes that must be free before a part starts
	free  func() uint64
	empty func() error

	parts sync.RWMutex // held for reading by each part that runs
	vain  atomic.Bool  // emptying it has gained little, or failed
}

// enter waits until there is room for a part, which must leave. A cache is not emptied
// under those that build.
func (r *room) enter() {
	if r.free() < r.least && !r.vain.Load() {
		r.parts.Lock()
		if before := r.free(); before < r.least && !r.vain.Load() {
			err := r.empty()
			after := r.free()
			r.vain.Store(err != nil || after < before+r.least/4)
			fmt.Printf("%d MB of disk were free: Go's build cache is emptied, %d MB are free now\n", before>>20, after>>20)
			if err != nil {
				fmt.Printf("go clean -cache: %v\n", err)
			}
		}
		r.parts.Unlock()
	}
	r.parts.RLock()
}

func (r *room) leave() { r.parts.RUnlock() }

// cacheRoom is the room on the disk of Go's build cache.
func cacheRoom(least uint64) (*room, error) {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOCACHE: %w", err)
	}
	dir := strings.TrimSpace(string(out))
	return &room{
		least: least,
		free: func() uint64 {
			var fs syscall.Statfs_t
			if os.MkdirAll(dir, 0o755) != nil || syscall.Statfs(dir, &fs) != nil {
				return least
			}
			return fs.Bavail * uint64(fs.Bsize)
		},
		empty: func() error { return exec.Command("go", "clean", "-cache").Run() },
	}, nil
}
