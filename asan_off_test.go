//go:build !asan

package arena

const asanEnabled = false
