package main

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// Without it the disk fills up in the middle of test-all, and all that is left fails.
func TestRoom(t *testing.T) {
	var free atomic.Uint64
	free.Store(10)
	emptied := 0
	r := &room{least: 5, free: free.Load, empty: func() error { emptied++; free.Store(10); return nil }}
	r.enter()
	if emptied != 0 {
		t.Fatal("emptied, though there is room")
	}
	free.Store(4)
	second := make(chan bool)
	go func() { r.enter(); close(second) }()
	select {
	case <-second:
		t.Fatal("a second part started with too little room, or emptied the cache under the first")
	case <-time.After(20 * time.Millisecond):
	}
	r.leave()
	<-second
	if emptied != 1 {
		t.Fatalf("emptied %d times, want 1", emptied)
	}
	r.leave()

	for name, c := range map[string]struct {
		after uint64
		err   error
		want  int
	}{
		"enough":  {10, nil, 3},
		"some":    {3, nil, 3},
		"nothing": {1, nil, 1}, // else each part would begin without what the last one has built
		"failure": {10, errors.New("no go"), 1},
	} {
		r := &room{least: 5, free: free.Load, empty: func() error { emptied++; free.Store(c.after); return c.err }}
		emptied = 0
		for range 3 {
			free.Store(1)
			r.enter()
			r.leave()
		}
		if emptied != c.want {
			t.Errorf("%s: emptied %d times, want %d", name, emptied, c.want)
		}
		if c.want == 1 { // two parts start, and neither waits for the other
			r.enter()
			free.Store(1)
			r.enter()
		}
	}
}

func TestCacheRoom(t *testing.T) {
	r, err := cacheRoom(1)
	if err != nil {
		t.Fatal(err)
	}
	if r.free() < 1<<20 {
		t.Errorf("%d bytes are free, and yet this test was built", r.free())
	}
}
