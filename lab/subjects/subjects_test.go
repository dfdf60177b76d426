package subjects_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/ebbpool/arena/lab/subjects"
	"github.com/ebbpool/arena/lab/workloads"
)

// TestSubjectsAgree runs many requests over each subject, from several goroutines
// at once, so that recycled memory is in play.
func TestSubjectsAgree(t *testing.T) {
	const requests = 2000
	src := workloads.NewSource(11, requests)
	ref, err := subjects.New(subjects.Heap)
	if err != nil {
		t.Fatal(err)
	}
	want := make([][]byte, requests)
	for i := range want {
		if want[i], err = ref.Serve(nil, src.AppendPayload(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range subjects.Names() {
		t.Run(name, func(t *testing.T) {
			s, err := subjects.New(name)
			if err != nil {
				t.Fatal(err)
			}
			const workers = 4
			var wg sync.WaitGroup
			for w := range workers {
				wg.Go(func() {
					var payload, out []byte
					for i := w; i < requests; i += workers {
						payload = src.AppendPayload(payload[:0], i)
						out, err := s.Serve(out[:0], payload)
						if err != nil || !bytes.Equal(out, want[i]) {
							t.Errorf("request %d: %v\ngot  %s\nwant %s", i, err, out, want[i])
							return
						}
						// A subject that kept a view of the payload shows it in
						// what the next request overwrites.
						clear(payload)
					}
				})
			}
			wg.Wait()
		})
	}
}

// TestErrorsDoNotSpoilTheNextRequest: a refused payload leaves nothing behind
// in recycled memory.
func TestErrorsDoNotSpoilTheNextRequest(t *testing.T) {
	src := workloads.NewSource(5, 200)
	for _, name := range subjects.Names() {
		s, err := subjects.New(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 200 {
			payload := src.AppendPayload(nil, i)
			want, err := s.Serve(nil, payload)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Serve(nil, payload[:len(payload)-1-i%50]); err == nil {
				t.Fatalf("%s: a cut payload was accepted", name)
			}
			if got, err := s.Serve(nil, payload); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s: request %d after a bad one: %v\n%s\n%s", name, i, err, got, want)
			}
		}
	}
}

func TestUnknownSubject(t *testing.T) {
	if _, err := subjects.New("jemalloc"); err == nil {
		t.Error("no error")
	}
}

// BenchmarkServe is the handler on one goroutine, without the stress's load.
func BenchmarkServe(b *testing.B) {
	src := workloads.NewSource(1, 4096)
	for _, name := range subjects.Names() {
		b.Run("alloc="+name, func(b *testing.B) {
			s, err := subjects.New(name)
			if err != nil {
				b.Fatal(err)
			}
			var payload, out []byte
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				payload = src.AppendPayload(payload[:0], i)
				if out, err = s.Serve(out[:0], payload); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
