package guard

import (
	"runtime/debug"
	"testing"
)

// A goroutine leaves no record behind once its users are restored, whichever goroutine restores them.
func TestRestoreForgetsGoroutines(t *testing.T) {
	users := make(chan FaultUser)
	for range 100 {
		go func() {
			f := PanicOnFault()
			PanicOnFault().Restore(false)
			users <- f
		}()
		(<-users).Restore(false)
		go func() {
			f, g := PanicOnFault(), PanicOnFault()
			f.Restore(true)
			g.Restore(false)
			if !debug.SetPanicOnFault(true) {
				t.Error("Restore(true) followed by Restore(false) turns debug.SetPanicOnFault off, want on")
			}
			users <- PanicOnFault()
		}()
		if f := <-users; f != (FaultUser{}) {
			t.Errorf("PanicOnFault with the setting on = %v, want nothing to restore", f)
		}
	}
	for i := range faults {
		if n := len(faults[i].users); n != 0 {
			t.Errorf("shard %d has %d goroutines, want 0", i, n)
		}
	}
}
