package guard

import (
	"io"
	"strconv"
	"sync"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// A fault in a goroutine without debug.SetPanicOnFault ends the process before any code of the program runs. So the
// records of guarded memory are written in advance.

var log struct {
	sync.Mutex
	to io.Writer
}

// LogTo makes each sampled cycle write a record to w at its end. If w is nil, no records are written.
func LogTo(w io.Writer) {
	log.Lock()
	log.to = w
	log.Unlock()
}

// A Range is a range of memory of a cycle.
type Range struct {
	Base xunsafe.Pointer
	Size uintptr
}

// Log writes the record of a cycle, before its memory becomes inaccessible.
func (c *Cycle) Log(memory []Range) {
	log.Lock()
	defer log.Unlock()
	if log.to == nil {
		return
	}
	if c.dead != nil {
		memory = append(memory, Range{c.dead, quarantineSlot})
	}
	text := []byte("arena: guarded memory")
	for _, m := range memory {
		at := uint64(xunsafe.Number(m.Base))
		text = strconv.AppendUint(append(text, " 0x"...), at, 16)
		text = strconv.AppendUint(append(text, "-0x"...), at+uint64(m.Size), 16)
	}
	if route := c.Route.Load(); route != nil {
		text = append(text, "\nthe arena was taken for "+*route...)
	}
	log.to.Write(append(text, c.History()+"\n"...))
}
