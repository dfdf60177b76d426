package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
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
	t.Skip("no chromium, chromium-browser or google-chrome here: the page is not opened")
	return ""
}

// shown is what the page says of one of its pictures: its size, and how many
// colours a sample of its points has.
type shown struct {
	Alt           string
	Width, Height int
	Colours       int
}

// look draws each picture of the page on a canvas and counts colours.
const look = `Array.from(document.images).map(img => {
  if (!img.complete || !img.naturalWidth) return {Alt: img.alt, Width: 0, Height: 0, Colours: 0};
  const c = document.createElement('canvas');
  c.width = 200; c.height = 200;
  const g = c.getContext('2d');
  g.drawImage(img, 0, 0, 200, 200);
  const d = g.getImageData(0, 0, 200, 200).data, seen = new Set();
  for (let i = 0; i < d.length; i += 4) seen.add(d[i] + ',' + d[i+1] + ',' + d[i+2]);
  return {Alt: img.alt, Width: img.naturalWidth, Height: img.naturalHeight, Colours: seen.size};
})`

// The page opens in a browser, light and dark, with every picture there and
// not blank, no error in the console and no request to anyone.
func TestPageInBrowser(t *testing.T) {
	path := browser(t)
	r := load(t, small)
	dir := t.TempDir()
	if err := r.Write(dir, func(int, int, string) {}); err != nil {
		t.Fatal(err)
	}
	problems, pictures, screenshot := visit(t, path, filepath.Join(dir, "index.html"))
	for scheme, all := range pictures {
		if len(all) != len(r.pictures()) {
			t.Errorf("%s: %d pictures, want %d", scheme, len(all), len(r.pictures()))
		}
		for _, p := range all {
			if p.Width < 300 || p.Height < 100 || p.Colours < 10 {
				t.Errorf("%s: the picture %q is %d x %d with %d colours", scheme, p.Alt, p.Width, p.Height, p.Colours)
			}
		}
	}
	if len(pictures) != 2 {
		t.Errorf("the page was seen in %d colour schemes", len(pictures))
	}
	if len(problems) > 0 {
		t.Errorf("the page has problems:\n%s", strings.Join(problems, "\n"))
	}
	img, err := png.Decode(bytes.NewReader(screenshot))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() < 500 || b.Dy() < 3000 {
		t.Errorf("the screenshot is %v", b)
	}
}

// The test above would see a page with faults.
func TestBrowserSeesFaults(t *testing.T) {
	path := browser(t)
	page := filepath.Join(t.TempDir(), "index.html")
	text := `<!doctype html><link rel="icon" href="data:,"><img alt="gone" src="gone.png">
<img alt="blank" src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='400' height='400'/%3E">
<script>console.error("a complaint"); nothing.there()</script>`
	if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	problems, pictures, _ := visit(t, path, page)
	all := strings.Join(problems, "\n")
	for _, want := range []string{"gone.png", "a complaint", "nothing is not defined"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q was not seen: %s", want, all)
		}
	}
	if p := pictures["light"]; len(p) != 2 || p[0].Width != 0 || p[1].Colours != 1 {
		t.Errorf("pictures that are gone or blank: %+v", p)
	}
}

// visit opens a page in both colour schemes. Problems are errors of the
// console and of scripts, failed requests, and any request beyond the page
// itself and what is in it.
func visit(t *testing.T, path, page string) (problems []string, pictures map[string][]shown, screenshot []byte) {
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
		problems = append(problems, fmt.Sprintf(format, args...))
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
	pictures = map[string][]shown{}
	ctx, stop = context.WithTimeout(ctx, time.Minute)
	defer stop()
	err = chromedp.Do(ctx, chromedp.EmulateViewport(1200, 900), chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err1 := cdp.Call(ctx, target, network.Enable, network.EnableParams{})
		_, err2 := cdp.Call(ctx, target, log.Enable, cdp.Empty{})
		_, err3 := cdp.Call(ctx, target, runtime.Enable, cdp.Empty{})
		return errors.Join(err1, err2, err3)
	}))
	for _, scheme := range []string{"light", "dark"} {
		err = errors.Join(err, chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
			})
			return err
		}), chromedp.Navigate(url)))
		all, errLook := chromedp.Run(ctx, chromedp.Evaluate[[]shown](look))
		pictures[scheme], err = all, errors.Join(err, errLook)
	}
	screenshot, errShot := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err = errors.Join(err, errShot); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	return problems, pictures, screenshot
}
