//go:build !unix

package jsonbench

import "time"

var begun = time.Now()

// processorTime returns the elapsed time, because the processor time is not available.
func processorTime() time.Duration { return time.Since(begun) }
