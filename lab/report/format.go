package report

import (
	"math"
	"strconv"

	"github.com/dustin/go-humanize"
)

func thousands(n int) string { return humanize.Comma(int64(n)) }

// digits writes a number with three figures that mean something.
func digits(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= 1000:
		return humanize.Comma(int64(v + 0.5))
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 0.01:
		return strconv.FormatFloat(v, 'f', 2, 64)
	default:
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
}

// count writes a number of things: whole where it is whole.
func count(v float64) string {
	if v == math.Trunc(v) {
		return humanize.Comma(int64(v))
	}
	return digits(v)
}

// duration writes nanoseconds in the unit that suits them.
func duration(ns float64) string {
	switch {
	case ns >= 1e9:
		return digits(ns/1e9) + " s"
	case ns >= 1e6:
		return digits(ns/1e6) + " ms"
	case ns >= 10e3:
		return digits(ns/1e3) + " µs"
	default:
		return digits(ns) + " ns"
	}
}

func bytesOf(v float64) string { return humanize.Bytes(uint64(max(v, 0))) }

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 0, 64) + " %" }

func (i Interval) String() string {
	return digits(i.Center) + " (" + digits(i.Lo) + "–" + digits(i.Hi) + ")"
}
