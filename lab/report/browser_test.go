package report

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is the first Chromium that the machine has.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("SKIPPED: no chromium, chromium-browser or google-chrome here: the page is not opened")
	return ""
}

// seen is what a browser says of a page.
type seen struct {
	Width, Inner int      // of all that is there, and of the window
	Pale         []string // texts that are hard to read on their ground
	Pictures     []drawing
}

// drawing is what it says of a picture: its name, its size and that of its smallest
// text on the screen, how many shapes it has, and what of it lies outside.
type drawing struct {
	Name                   string
	Width, Height, Letters float64
	Shapes                 int
	Outside, Overlap       []string
}

// look measures. A text is hard to read below a contrast of 4.5 (WCAG AA). Numbers on
// the cells of a heat map have a ground of their own.
const look = `(() => {
  const rgb = c => c.match(/[\d.]+/g).map(Number);
  const light = c => { const [r, g, b] = rgb(c).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if ((rgb(c)[3] ?? 1) > 0) return c; } return 'rgb(255,255,255)'; };
  const pale = [];
  for (const e of document.querySelectorAll('h1,h2,h3,p,a,th,td,button,figcaption,label,input,dt,dd,svg text')) {
    const text = e instanceof SVGElement, style = getComputedStyle(e);
    if (!e.textContent.trim() || text && e.closest('svg').getAttribute('aria-label').includes("times as fast as glibc's malloc")) continue;
    const a = light(text ? style.fill : style.color), b = light(ground(e));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) pale.push(e.tagName + ' ' + e.textContent.slice(0, 30) + ' ' + contrast.toFixed(1));
  }
  const pictures = Array.from(document.querySelectorAll('svg')).map(svg => {
    const box = svg.getBoundingClientRect(), texts = Array.from(svg.querySelectorAll('text'));
    const outside = [], overlap = [], boxes = texts.map(t => t.getBoundingClientRect());
    boxes.forEach((b, i) => {
      if (b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1) outside.push(texts[i].textContent);
      boxes.slice(0, i).forEach((o, k) => {
        const w = Math.min(b.right, o.right) - Math.max(b.left, o.left), h = Math.min(b.bottom, o.bottom) - Math.max(b.top, o.top);
        if (w > 1 && h > 0.35 * Math.min(b.height, o.height)) overlap.push(texts[k].textContent + ' / ' + texts[i].textContent);
      });
    });
    const scale = box.width / svg.viewBox.baseVal.width;
    return {Name: svg.getAttribute('aria-label') || '', Width: box.width, Height: box.height, Shapes: svg.querySelectorAll('path').length, Outside: outside, Overlap: overlap,
      Letters: Math.min(...texts.map(t => parseFloat(getComputedStyle(t).fontSize) * scale))};
  });
  return {Width: document.documentElement.scrollWidth, Inner: window.innerWidth, Pale: pale, Pictures: pictures};
})()`

// The page opens in a browser, on a phone and on a wide screen, light and dark: nothing
// is wider than the window, every picture is there, all texts can be read, there is
// no error in the console and no request to anyone.
func TestPageInBrowser(t *testing.T) {
	path := browser(t)
	for name, r := range map[string]*Report{"small": load(t, small), "kept": newest(t)} {
		t.Run(name, func(t *testing.T) { opens(t, path, r) })
	}
}

func opens(t *testing.T, path string, r *Report) {
	dir := t.TempDir()
	if err := r.Write(dir, func(int, int, string) {}); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, a := range r.answers() {
		want = append(want, a.picture.title)
	}
	front := len(want)
	for _, s := range r.sections() {
		for _, p := range s.pictures {
			want = append(want, p.title)
		}
	}
	if front != 4 || len(want) < 12 {
		t.Fatalf("pictures %q", want)
	}
	v := visit(t, path, filepath.Join(dir, "index.html"))
	if len(v.problems) > 0 {
		t.Errorf("the page has problems:\n%s", strings.Join(v.problems, "\n"))
	}
	for name, s := range v.seen {
		if s.Width > s.Inner {
			t.Errorf("%s: the page is %d pixels wide, the window %d", name, s.Width, s.Inner)
		}
		if len(s.Pale) > 0 {
			t.Errorf("%s: too little contrast: %q", name, s.Pale)
		}
		if len(s.Pictures) != len(want) {
			t.Fatalf("%s: %d pictures, want %d", name, len(s.Pictures), len(want))
		}
		for i, p := range s.Pictures {
			if p.Name != want[i] || p.Width < 300 || p.Height < 100 || p.Shapes < 10 {
				t.Errorf("%s: the picture %q, which is to be %q, is %.0f x %.0f with %d shapes", name, p.Name, want[i], p.Width, p.Height, p.Shapes)
			}
			if len(p.Outside) > 0 || len(p.Overlap) > 0 {
				t.Errorf("%s: %q has texts outside of it: %q, on each other: %q", name, p.Name, p.Outside, p.Overlap)
			}
			if i < front && p.Letters < 8 {
				t.Errorf("%s: letters of %q are %.1f pixels high", name, p.Name, p.Letters)
			}
		}
		img, err := png.Decode(bytes.NewReader(v.screenshots[name]))
		if err != nil {
			t.Fatal(err)
		}
		if b := img.Bounds(); b.Dx() < 390 || b.Dy() < 3000 {
			t.Errorf("the screenshot is %v", b)
		}
	}
	if len(v.seen) != 4 {
		t.Errorf("the page was seen in %d ways", len(v.seen))
	}
}

// use sorts the table of a section by its column, twice, then filters it, as a reader
// does, and returns the cells of that column each time.
const use = `(section => column => words => {
  const box = document.getElementById(section), body = box.querySelector('tbody'), field = box.querySelector('input');
  const cells = () => Array.from(body.rows).filter(r => r.offsetParent !== null).map(r => r.cells[column].textContent);
  const states = [cells()];
  for (let i = 0; i < 2; i++) { box.querySelectorAll('th button')[column].click(); states.push(cells()); }
  field.value = words; field.dispatchEvent(new Event('input')); states.push(cells());
  field.value = ''; field.dispatchEvent(new Event('input')); states.push(cells());
  return states;
})("%s")(%d)("%s")`

// Tables can be sorted, numbers by what they are with their unit, and filtered.
func TestTablesInBrowser(t *testing.T) {
	path := browser(t)
	dir := t.TempDir()
	if err := load(t, small).Write(dir, func(int, int, string) {}); err != nil {
		t.Fatal(err)
	}
	v := visit(t, path, filepath.Join(dir, "index.html"), fmt.Sprintf(use, "under-load", 7, "1,000,000 OPEN heap"))
	if len(v.problems) > 0 {
		t.Fatalf("%q", v.problems)
	}
	if len(v.used) != 5 {
		t.Fatalf("%q", v.used)
	}
	asThere, up, down, filtered, all := v.used[0], v.used[1], v.used[2], v.used[3], v.used[4]
	if len(asThere) != 12 || len(up) != 12 || len(all) != 12 || slices.Equal(asThere, up) {
		t.Errorf("rows %q, %q, %q", asThere, up, all)
	}
	back := slices.Clone(down)
	slices.Reverse(back)
	us := func(cell string) float64 {
		number, unit, _ := strings.Cut(cell, " ")
		value, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
		scale, ok := map[string]float64{"ns": 1e-3, "µs": 1, "ms": 1e3}[unit]
		if err != nil || !ok {
			t.Errorf("%q is no time", cell)
		}
		return value * scale
	}
	for _, order := range [][]string{up, back} {
		if !slices.IsSortedFunc(order, func(a, b string) int { return cmp.Compare(us(a), us(b)) }) {
			t.Errorf("not sorted: %q", order)
		}
	}
	if len(filtered) != 1 {
		t.Errorf("filtered: %q, want the row of one subject in one loop", filtered)
	}
}

// The tests above would see a page with faults.
func TestBrowserSeesFaults(t *testing.T) {
	path := browser(t)
	page := filepath.Join(t.TempDir(), "index.html")
	text := `<!doctype html><link rel="icon" href="data:,"><body style="background:#fff"><img alt="gone" src="gone.png">
<svg aria-label="empty" style="width:100px" viewBox="0 0 400 400"><text x="1" y="20">one</text><text x="3" y="22">two</text><text x="500" y="20">three</text></svg>
<p style="color:#999">pale</p><div style="width:3000px">wide</div>
<script>console.error("a complaint"); nothing.there()</script>`
	if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	v := visit(t, path, page)
	all := strings.Join(v.problems, "\n")
	for _, want := range []string{"gone.png", "a complaint", "nothing is not defined"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q was not seen: %s", want, all)
		}
	}
	s := v.seen["light, 400 pixels"]
	if s.Width <= s.Inner || len(s.Pale) != 1 || len(s.Pictures) != 1 {
		t.Fatalf("%+v", s)
	}
	if p := s.Pictures[0]; p.Shapes != 0 || p.Letters > 8 || len(p.Outside) != 1 || len(p.Overlap) != 1 {
		t.Errorf("%+v", p)
	}
}

// visited is what came of a visit.
type visited struct {
	problems    []string
	seen        map[string]seen // by scheme and width
	screenshots map[string][]byte
	used        [][]string
}

// visit opens a page in both colour schemes and two widths, and runs a script if there
// is one. Problems are errors of the
// console and of scripts, failed requests, and any request beyond the page
// itself and what is in it.
func visit(t *testing.T, path, page string, script ...string) (v visited) {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	defer stop()
	ctx, stop = chromedp.NewContext(ctx)
	defer stop()

	var mu sync.Mutex
	url := "file://" + page
	problem := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		v.problems = append(v.problems, fmt.Sprintf(format, args...))
	}
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
				for _, a := range e.Args {
					problem("console: %s", a.Value)
				}
			}
		case *runtime.EventExceptionThrown:
			text := e.ExceptionDetails.Text
			if e.ExceptionDetails.Exception != nil {
				text += " " + e.ExceptionDetails.Exception.Description
			}
			problem("script: %s", text)
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError {
				problem("log: %s %s", e.Entry.Text, e.Entry.URL)
			}
		case *network.EventLoadingFailed:
			problem("request failed: %s", e.ErrorText)
		case *network.EventRequestWillBeSent:
			if e.Request.URL != url && !strings.HasPrefix(e.Request.URL, "data:") {
				problem("request: %s", e.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	v.seen, v.screenshots = map[string]seen{}, map[string][]byte{}
	ctx, stop = context.WithTimeout(ctx, 30*time.Minute)
	defer stop()
	err = chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err1 := cdp.Call(ctx, target, network.Enable, network.EnableParams{})
		_, err2 := cdp.Call(ctx, target, log.Enable, cdp.Empty{})
		_, err3 := cdp.Call(ctx, target, runtime.Enable, cdp.Empty{})
		return errors.Join(err1, err2, err3)
	}))
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{400, 1300} {
			name := fmt.Sprintf("%s, %d pixels", scheme, width)
			err = errors.Join(err, chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
				_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
					Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
				})
				return err
			}), chromedp.Navigate(url)))
			one, errLook := chromedp.Run(ctx, chromedp.Evaluate[seen](look))
			shot, errShot := chromedp.Run(ctx, chromedp.FullScreenshot(100))
			v.seen[name], v.screenshots[name] = one, shot
			err = errors.Join(err, errLook, errShot)
		}
	}
	for _, s := range script {
		used, errUse := chromedp.Run(ctx, chromedp.Evaluate[[][]string](s))
		v.used, err = used, errors.Join(err, errUse)
	}
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	return v
}
