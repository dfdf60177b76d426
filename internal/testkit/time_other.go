//go:build !unix

package testkit

import "time"

var begun = time.Now()

// processorTime is the time that passes, where no other is known.
func processorTime() time.Duration { return time.Since(begun) }
