package advise

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// TestCalculator checks that the site's calculator uses the numbers of this model.
func TestCalculator(t *testing.T) {
	page, err := os.ReadFile("../../../docs/site/calculator.html")
	if err != nil {
		t.Skip("SKIPPED: this is no clone: ", err)
	}
	for name, want := range map[string]float64{
		"modelError": modelError, "leastError": leastError, "nanosOfNew": nanosOfNew, "nanosOfByte": nanosOfByte, "bar": Bar, "ofCollector": gogc400Saves,
		"mallocBase": nanosOfMalloc(0), "mallocByte": (nanosOfMalloc(1000) - nanosOfMalloc(0)) / 1000,
	} {
		m := regexp.MustCompile(`\b` + name + ` = ([\d.]+)`).FindSubmatch(page)
		if m == nil {
			t.Errorf("the calculator has no %s", name)
		} else if got, err := strconv.ParseFloat(string(m[1]), 64); err != nil || got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%s is %v in the calculator, %v here", name, got, want)
		}
	}
}
