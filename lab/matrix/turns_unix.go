//go:build unix

package matrix

import (
	"os"
	"syscall"
)

const canStop = true

// A process that has ended meanwhile can't be stopped, and needs not be.
func pause(p *os.Process)  { p.Signal(syscall.SIGSTOP) }
func resume(p *os.Process) { p.Signal(syscall.SIGCONT) }
