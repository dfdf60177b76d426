package advise

import (
	"fmt"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/profile"
)

func short(function string) string {
	return function[strings.LastIndexByte(profile.CutTypes(function), '/')+1:]
}

// plain returns a function's name without type arguments and without the parentheses of its receiver.
func plain(function string) string {
	return strings.NewReplacer("(*", "", "(", "", ")", "").Replace(profile.CutTypes(function))
}

func size(b float64) string {
	for _, unit := range []string{"B", "KB", "MB"} {
		if b < 1000 {
			return fmt.Sprintf("%.3g %s", b, unit)
		}
		b /= 1000
	}
	return fmt.Sprintf("%.3g GB", b)
}

// outer returns the function that contains a function literal.
func outer(function string) string {
	for {
		at := strings.LastIndexByte(function, '.')
		if at < 0 {
			return function
		}
		last := strings.TrimPrefix(function[at+1:], "func")
		if last == "" || strings.Trim(last, "0123456789") != "" {
			return function
		}
		function = function[:at]
	}
}
