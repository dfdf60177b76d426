package guard

import (
	"reflect"
	"testing"
	"time"
)

// A large buffer beside a pointer has no words that get dead values. Looking at
// each of its bytes would take half a minute here.
func TestDeadValuesSkipBuffers(t *testing.T) {
	type value struct {
		buffer [1 << 30]byte
		p      *int
	}
	began := time.Now()
	words := wordsOf(reflect.TypeFor[value](), 0, nil)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("looking at a type of 1 GB took %v", took)
	}
	if len(words) != 1 || words[0] != (word{1 << 30, true}) {
		t.Errorf("words = %v, want the pointer behind the buffer", words)
	}
}
