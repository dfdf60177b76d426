package advise

import (
	"strings"
	"testing"
)

// advice is what is said of a profile without one of allocations, and what becomes of each line.
func advice(t *testing.T, c *maker) (*Advice, map[string]string) {
	t.Helper()
	v, err := Advise(Config{Dir: shop, CPU: c.file(), Patterns: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]string{}
	for _, s := range v.Sites {
		for _, name := range []string{"list", "list2", "listed", "filled", "count", "count2", "sum", "sum2", "product"} {
			if s.Called == "" && s.Line == int(lineOf(t, name)) {
				outcomes[name] = s.Outcome + ", " + s.Use
			}
		}
	}
	return v, outcomes
}

// A map that gets into an interface stays a builtin one: who takes it out would not know an arena's.
// It was counted as saved, which made a machine of expressions gain a twentieth that it has not.
func TestAdviseMapInInterface(t *testing.T) {
	c := newMaker(t, "samples", "cpu")
	c.cpu(600, "shop.find")
	c.cpu(100, mallocs+"runtime.makemap_small shop.list")
	c.cpu(100, mallocs+"internal/runtime/maps.newTable runtime.mapassign_faststr shop.list2")
	c.cpu(100, mallocs+"runtime.makemap_small shop.listed")
	c.cpu(100, mallocs+"runtime.makemap_small shop.filled")
	c.cpu(100, mallocs+"runtime.makemap_small shop.count")
	c.cpu(100, mallocs+"internal/runtime/maps.newTable runtime.mapassign_faststr shop.count2")
	_, outcomes := advice(t, c)
	for _, name := range []string{"list", "list2", "listed", "filled", "count", "count2"} {
		want := "stays, a map that gets"
		if strings.HasPrefix(name, "count") {
			want = "taken, arena.NewMap"
		}
		if !strings.HasPrefix(outcomes[name], want) {
			t.Errorf("%s: %q, want %q", name, outcomes[name], want)
		}
	}
}

// What is boxed goes into an arena that is there for something else, or where boxes take much of the time.
func TestAdviseBoxes(t *testing.T) {
	for _, b := range []struct {
		other, boxes int64
		sum, product string
	}{
		{10, 10, "taken, arena.BoxOf", "stays, a box of an interface: arena.BoxOf, if"},
		{0, 10, "stays, a box of an interface: arena.BoxOf, if", "stays, a box of an interface: arena.BoxOf, if"},
		{10, 90, "taken, arena.BoxOf", "taken, arena.BoxOf"},
	} {
		c := newMaker(t, "samples", "cpu")
		c.cpu(1200, "shop.find")
		if b.other > 0 {
			c.cpu(b.other, "runtime.mallocgc runtime.growslice shop.sum")
		}
		c.cpu(10, "runtime.mallocgc runtime.convT64 shop.sum2")
		c.cpu(b.boxes, "runtime.mallocgc runtime.convT64 shop.product")
		if _, outcomes := advice(t, c); !strings.HasPrefix(outcomes["sum2"], b.sum) || !strings.HasPrefix(outcomes["product"], b.product) {
			t.Errorf("%+v: %q", b, outcomes)
		}
	}
}
