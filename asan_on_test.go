//go:build asan

package arena

const asanEnabled = true
