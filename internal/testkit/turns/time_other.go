//go:build !unix

package turns

import "time"

var begun = time.Now()

// ProcessorTime is the time that passes, where no other is known.
func ProcessorTime() time.Duration { return time.Since(begun) }
