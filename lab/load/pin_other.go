//go:build unix && !linux

package load

func pin([]int) {} // the system has no such call
