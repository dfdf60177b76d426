//go:build !race

package stress_test

const raceEnabled = false
