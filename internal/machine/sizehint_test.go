package machine

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A size class holds its sizes, with little waste, for every size.
func TestSizeClasses(t *testing.T) {
	last := uintptr(0)
	for class := range sizeClasses {
		size := classSize(class)
		if size <= last {
			break // beyond the address space
		}
		if sizeClass(size) != class || sizeClass(last+1) != class {
			t.Errorf("class %d has sizes to %d: they are in %d, and the smallest, %d, is in %d", class, size, sizeClass(size), last+1, sizeClass(last+1))
		}
		if size > 8 && size-last > 8 && size > last+last/4 {
			t.Errorf("class %d goes from %d to %d", class, last+1, size)
		}
		last = size
	}
	if last < MaxAlloc {
		t.Errorf("the largest class is for %d bytes", last)
	}
}

// Three of four requests fit into the hint, whatever their sizes, and it follows changes. The reference is a
// sorted list of the samples.
func TestSizeHintFitsThreeOfFour(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for name, size := range map[string]func(i int) uintptr{
		"constant":    func(i int) uintptr { return 5000 },
		"uniform":     func(i int) uintptr { return 1 + uintptr(r.UintN(10_000)) },
		"lognormal":   func(i int) uintptr { return 1 + uintptr(1000*(1+r.ExpFloat64()*r.ExpFloat64())) },
		"one in five": func(i int) uintptr { return [...]uintptr{100, 100, 100, 100, 900_000}[i%5] },
		"one in two":  func(i int) uintptr { return [...]uintptr{100, 900_000}[i%2] },
		"changing":    func(i int) uintptr { return [...]uintptr{100, 30_000}[i/1000%2] },
	} {
		var u SizeHint
		var seen []uintptr
		for i := range 5000 {
			n := size(i)
			u.Add(n, 4096)
			seen = append(seen, n)
			if i%1000 < 300 {
				continue // still learning
			}
			recent := slices.Clone(seen[len(seen)-200:])
			slices.Sort(recent)
			if got, low, high := u.Size(), recent[120], fitted(recent[180]); got < low || got > high+high/3 {
				t.Fatalf("%s: after %d samples the size is %d, not from %d to %d", name, i, got, low, high)
			}
		}
	}
}

// The hint leaves room for requests that vary by an eighth, and no more.
func TestSizeHintHasAnEighthToSpare(t *testing.T) {
	for n, want := range map[uintptr]uintptr{7000: 8192, 7400: 10_240} {
		var u SizeHint
		for range memory {
			u.Add(n, 16<<10)
		}
		if got := u.Size(); got != want {
			t.Errorf("for requests of %d bytes the size is %d, want %d", n, got, want)
		}
	}
}

// One client's request, of any size and at any time, at most doubles the hint, and increases it by no more
// than the request needed.
func TestOneRequestAtMostDoublesTheSizeHint(t *testing.T) {
	for before := range 300 {
		for _, common := range []uintptr{7, 1000, 20_000} {
			var u SizeHint
			for range before {
				u.Add(common, 4096)
			}
			size := u.Size()
			if before == 0 {
				size = 4096
			}
			u.Add(600_000, 4096)
			if got := u.Size(); got > 2*size {
				t.Fatalf("after %d of %d bytes one of 600000 made %d of %d", before, common, got, size)
			}
			large := u.Size()
			for range 100 {
				u.Add(common, 4096)
				if got := u.Size(); got > max(large, 2*common+8) {
					t.Fatalf("after %d of %d bytes, and one of 600000, small ones made %d of %d", before, common, got, large)
				}
			}
			if got := u.Size(); got > fitted(common)+common/4+8 {
				t.Fatalf("after %d of %d bytes, one of 600000, and 100 small ones it is %d", before, common, got)
			}
		}
	}
}

// Three of four, exactly: at most a fourth of the samples does not fit, and more would not fit into the class
// below.
func TestThreeOfFourToTheSample(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 2000 {
		var u SizeHint
		var seen []int
		classes := 1 + r.IntN(40)
		for n := 1; n <= memory; n++ {
			class := r.IntN(classes)
			if n > memory/3 {
				class /= 1 + r.IntN(40) // decreases to the smallest class
			}
			got := u.count(class)
			seen = append(seen, class)
			slices.Sort(seen)
			if want := classSize(seen[(3*n+3)/4-1]); got != want {
				t.Fatalf("three of four of %v fit in %d, not %d", seen, want, got)
			}
		}
	}
}

// A Put does not wait for another Put's sample.
func TestSamplesDoNotWait(t *testing.T) {
	var u SizeHint
	u.Add(1000, 4096)
	was := u.Size()
	u.mu.Lock()
	done := make(chan bool)
	go func() {
		u.Add(100_000, 4096)
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("a sample waits for another one")
	}
	u.mu.Unlock()
	if u.Size() != was {
		t.Error("a sample was added while another one was")
	}
}
