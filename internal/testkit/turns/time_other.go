//go:build !unix

package turns

import "time"

var begun = time.Now()

// ProcessorTime returns the elapsed time, because the processor time is not available.
func ProcessorTime() time.Duration { return time.Since(begun) }
