//go:build !linux

package load

func pin([]int) {} // not supported

// Busy returns 0, because the load is unknown.
func Busy() float64 { return 0 }

// Processor returns "", because the name is unknown.
func Processor() string { return "" }
