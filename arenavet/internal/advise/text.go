package advise

import (
	"fmt"
	"strings"
)

func short(function string) string {
	return function[strings.LastIndexByte(cutShape(function), '/')+1:]
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

// cutShape returns a function's name without its type arguments.
func cutShape(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return name
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
