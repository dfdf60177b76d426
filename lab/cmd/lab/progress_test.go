package main

import (
	"strings"
	"testing"
	"time"
)

// Where there is no terminal a line tells how long it will still take; steps
// that an earlier run did count for nothing.
func TestTimeLeft(t *testing.T) {
	var b strings.Builder
	p := newProgress(&b, 100)
	p.set(40, "begin")
	p.began = p.began.Add(-30 * time.Second)
	p.next = time.Time{}
	p.set(60, "go on")
	if got := b.String(); got != " 40 %  begin\n 60 %  go on, about 1m0s left\n" {
		t.Errorf("%q", got)
	}
}
