package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cheggaaa/pb/v3"
	"github.com/mattn/go-isatty"
)

// progress shows how far long work is: a bar on a terminal, elsewhere a line
// now and then, which a log can keep.
type progress struct {
	w     io.Writer
	bar   *pb.ProgressBar
	total int
	what  string
	next  time.Time

	began time.Time // of the first step that was not done before
	first int
}

// pause between two lines where there is no terminal.
const pause = 10 * time.Second

func newProgress(w io.Writer, total int) *progress {
	p := &progress{w: w, total: total}
	if f, ok := w.(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		p.bar = pb.New(total).SetWriter(f).
			SetTemplateString(`{{bar . }} {{percent . }} {{rtime . "%s left"}}  {{string . "what"}}`).Start()
		if p.bar.Width() == 0 { // a terminal that doesn't know its size
			p.bar.SetWidth(80)
		}
	}
	return p
}

func (p *progress) set(done int, what string) {
	p.what = what
	if p.bar != nil {
		p.bar.Set("what", what).SetCurrent(int64(done))
		return
	}
	now := time.Now()
	if p.began.IsZero() {
		p.began, p.first = now, done
	}
	if now.After(p.next) {
		p.next = now.Add(pause)
		fmt.Fprintf(p.w, "%3d %%  %s%s\n", 100*done/max(p.total, 1), what, p.left(done, now))
	}
}

// left estimates the rest from what has been done so far, "" while that says
// nothing.
func (p *progress) left(done int, now time.Time) string {
	steps, took := done-p.first, now.Sub(p.began)
	if steps <= 0 || took < time.Second {
		return ""
	}
	rest := time.Duration(float64(took) / float64(steps) * float64(p.total-done))
	return fmt.Sprintf(", about %s left", rest.Round(time.Second))
}

func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
