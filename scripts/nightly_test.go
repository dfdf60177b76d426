package scripts

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Each part of make test-all and make test-long is in the nightly run, too: as a job of the
// matrix, or in a job of its own.
func TestNightlyHasEveryPart(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	makefile, nightly := strings.ReplaceAll(read("../Makefile"), "\\\n", " "), read("../.github/workflows/nightly.yml")
	n := 0
	for _, list := range regexp.MustCompile(`(?m)^(?:REMAINING|LONGEST) = (.*)$`).FindAllStringSubmatch(makefile, -1) {
		for part := range strings.FieldsSeq(list[1]) {
			n++
			name := regexp.QuoteMeta(strings.TrimPrefix(part, "test-"))
			if !regexp.MustCompile(`(?m)(^ +|[\[ ])` + name + `[],]|\btest-` + name + `( |$)`).MatchString(nightly) {
				t.Errorf("%s is in no job of nightly.yml", part)
			}
		}
	}
	if n < 40 {
		t.Errorf("the Makefile has %d parts", n)
	}
}
