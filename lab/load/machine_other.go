//go:build !linux

package load

func pin([]int) {} // the system has no such call

// Busy is 0: the system doesn't tell.
func Busy() float64 { return 0 }

// Processor is "": the system doesn't tell.
func Processor() string { return "" }
