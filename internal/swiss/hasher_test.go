package swiss

import (
	"fmt"
	"testing"
)

// Each table that has grown beyond one group has its own secret, for all types of keys. With a known secret,
// or half of one, a client could make a table as slow as a list.
func TestTablesHaveSecretsOfTheirOwn(t *testing.T) {
	ownSecret(t, func(i int) int { return i })
	ownSecret(t, func(i int) string { return fmt.Sprint("key ", i) })
	ownSecret(t, func(i int) [3]uint64 { return [3]uint64{1: uint64(i)} })
	ownSecret(t, func(i int) float64 { return float64(i) })
	ownSecret(t, func(i int) any { return i })
	ownSecret(t, func(i int) struct{ s string } { return struct{ s string }{fmt.Sprint(i)} })
}

func ownSecret[K comparable](t *testing.T, key func(int) K) {
	t.Helper()
	keys := make([]K, 300)
	for i := range keys {
		keys[i] = key(i)
	}
	few, a, b := build(keys[:20]), build(keys), build(keys)
	same := 0
	for _, k := range keys {
		if a.hasher.hash(k) == b.hasher.hash(k) {
			same++
		}
	}
	if same != 0 {
		t.Errorf("%T: %d of %d keys hash alike in two tables", keys[0], same, len(keys))
	}
	if a.hasher.kind == other {
		return
	}
	for i := range a.hasher.secret {
		if x := a.hasher.secret[i]; x == b.hasher.secret[i] || x == small[i] {
			t.Errorf("%T: word %d of the secret is the same in two tables", keys[0], i)
		}
	}
	if a.hasher.secret[1]%2 == 0 {
		t.Errorf("%T: a factor is even", keys[0])
	}
	// The secret is drawn once, because drawing one costs as much as two look-ups.
	was := few.hasher.secret
	for i, k := range keys[20:] {
		if few.Slot(k) == nil {
			few.Move(make([]Group[K, int], few.Wants()), nil, true)
			*few.Slot(k) = i
		}
	}
	if few.hasher.secret != was {
		t.Errorf("%T: the secret has changed with the growth", keys[0])
	}
}

// A table of one group draws no random number but still tells keys apart by their tags. With equal tags, each
// search would compare all keys.
func TestSmallTablesHaveTags(t *testing.T) {
	tagged(t, func(i int) int { return i })
	tagged(t, func(i int) uint16 { return uint16(i) })
	tagged(t, func(i int) string { return fmt.Sprint("a name ", i) })
	tagged(t, func(i int) string { return fmt.Sprintf("%020d", i) })
	tagged(t, func(i int) [2]uint64 { return [2]uint64{uint64(i), 1} })
	tagged(t, func(i int) [2]uint64 { return [2]uint64{1, uint64(i)} })
	tagged(t, func(i int) [3]byte { return [3]byte{1, byte(i), byte(i >> 8)} })
	tagged(t, func(i int) float64 { return float64(i) })
	tagged(t, func(i int) any { return fmt.Sprint(i) })
}

func tagged[K comparable](t *testing.T, key func(int) K) {
	t.Helper()
	const tables = 100
	sum := 0
	for n := range tables {
		var keys [slots]K
		for i := range keys {
			keys[i] = key(n*slots + i)
		}
		table := build(keys[:])
		if len(table.groups) != 1 {
			t.Fatalf("%d groups", len(table.groups))
		}
		if h := &table.hasher; h.kind == other && h.seed != smallSeed || h.kind != other && h.kind != few && h.secret != small {
			t.Fatalf("%T: a table of one group has a secret of its own", keys[0])
		}
		tags := map[ctrl]bool{}
		for i := range uint(slots) {
			tags[table.groups[0].ctrl.at(i)] = true
		}
		sum += len(tags)
	}
	if sum < tables*(slots-1) { // 7.8 of 8 are expected at random
		t.Errorf("%T: %d different tags in %d tables", key(0), sum, tables)
	}
}
