// Package boxed gives what it makes to functions that put it into an interface, and give that to others that
// keep it: no item may move.
package boxed

// Item is what they keep.
type Item struct{ Name string }

// Part has one.
type Part struct{ item *Item }

// Keep is for keeper.
func (p *Part) Keep() { keep(p.item) }

type keeper interface{ Keep() }

// failure is an error where it is taken for one.
type failure struct{ item *Item }

func (f *failure) Error() string { return f.item.Name }

type field struct{ k keeper }

var (
	kept    any
	keptBy  keeper
	keptErr error
	shared  = &Part{}
)

func keep(v any)            { kept = v }
func keepBy(k keeper)       { keptBy = k }
func keepErr(err error)     { keptErr = err }
func keepField(f *field)    { keptBy = f.k }
func keepList(all []keeper) { keptBy = all[0] }
func same(v any) any        { return v }
func fill(v any, i *Item)   { v.(*Part).item = i }

func generic[T any](v T)          { keep(v) }
func plain(i *Item)               { keep(i) }
func change(k keeper)             { keep(k) }
func returned(i *Item)            { kept = same(i) }
func taken(i *Item)               { kept = same(i).(*Item) }
func filled[T any](v T, i *Item)  { fill(v, i) }
func inField(p *Part)             { keepField(&field{p}) }
func inList(p *Part)              { keepList([]keeper{p}) }
func called(i *Item, f func(any)) { f(i) }
func inClosure(p *Part)           { var k any = p; func() { keep(k) }() }
func inStruct(p Part)             { keep(p) }
func inFunc(f func())             { keep(f) }
func behind(p *keeper)            { keepBy(*p) }
func addressed(p *Part)           { var k keeper = p; behind(&k) }
func asserted(v any) {
	if k, ok := v.(keeper); ok {
		keepBy(k)
	}
}
func assertedErr(v any) {
	if err, ok := v.(error); ok {
		keepErr(err)
	}
}

// Parse is the root.
func Parse() {
	generic(&Item{})
	plain(&Item{})
	change(&Part{&Item{}})
	returned(&Item{})
	taken(&Item{})
	filled(shared, &Item{})
	inField(&Part{&Item{}})
	inList(&Part{&Item{}})
	called(&Item{}, keep)
	inClosure(&Part{&Item{}})
	inStruct(Part{&Item{}})
	addressed(&Part{&Item{}})
	asserted(&Part{&Item{}})
	assertedErr(&failure{&Item{}})
	i := &Item{}
	inFunc(func() { i.Name = "" })
}
