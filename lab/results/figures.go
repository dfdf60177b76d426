package results

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Figures are what was measured last on one maker's processors.
type Figures struct {
	Processor, Date string
	Table           Table
}

// keptHead are the columns of a file of several processors that those of Figures has
// not: every row of it would say the same there.
var keptHead = []string{"processor", "date"}

// Name heads the processor's columns.
func (k Figures) Name() string { return k.Processor + ", " + k.Date }

// Maker is whose processor it is. Figures of one maker's replace each other; those
// of two stand side by side.
func Maker(processor string) string {
	for _, maker := range []string{"AMD", "Intel"} {
		if strings.Contains(processor, maker) {
			return maker
		}
	}
	return processor
}

// ReadFigures reads a CSV file that Save has written, ordered by maker.
func ReadFigures(file string) ([]Figures, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := ReadCSV(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	at := len(t.Head) - len(keptHead)
	if at < 1 || !slices.Equal(t.Head[at:], keptHead) {
		return nil, fmt.Errorf("%s: the last columns must be %q: they say what was measured where", file, keptHead)
	}
	var all []Figures
	for i, row := range t.Rows {
		k := slices.IndexFunc(all, func(k Figures) bool { return k.Processor == row[at] && k.Date == row[at+1] })
		if k < 0 {
			if slices.ContainsFunc(all, func(k Figures) bool { return Maker(k.Processor) == Maker(row[at]) }) {
				return nil, fmt.Errorf("%s: line %d: a second run on a processor of %s", file, i+2, Maker(row[at]))
			}
			k = len(all)
			all = append(all, Figures{Processor: row[at], Date: row[at+1], Table: Table{Head: t.Head[:at:at]}})
		}
		all[k].Table.Rows = append(all[k].Table.Rows, row[:at:at])
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no row", file)
	}
	slices.SortFunc(all, func(a, b Figures) int { return cmp.Compare(Maker(a.Processor), Maker(b.Processor)) })
	return all, nil
}

// Save writes the figures into a file in place of those of the same maker's
// processor. What was measured on another's stays.
func (k Figures) Save(file string) error {
	all := []Figures{k}
	old, err := ReadFigures(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, o := range old {
		if Maker(o.Processor) != Maker(k.Processor) {
			all = append(all, o)
		}
	}
	var merged Table
	for _, one := range all { // runs of two sizes don't have all columns in common
		for _, h := range one.Table.Head {
			merged.Head = AppendNew(merged.Head, h)
		}
	}
	for _, one := range all {
		for _, cells := range one.Table.Rows {
			row := make([]string, len(merged.Head), len(merged.Head)+len(keptHead))
			for i, cell := range cells {
				row[slices.Index(merged.Head, one.Table.Head[i])] = cell
			}
			merged.Rows = append(merged.Rows, append(row, one.Processor, one.Date))
		}
	}
	merged.Head = append(merged.Head, keptHead...)
	return merged.Save(file)
}

// Newest is the latest of all.
func Newest(all []Figures) Figures {
	return slices.MaxFunc(all, func(a, b Figures) int { return cmp.Compare(a.Date, b.Date) })
}

// Save writes the table as a CSV file, all of it or nothing.
func (t Table) Save(file string) error {
	f, err := os.Create(file + ".part")
	if err != nil {
		return err
	}
	if err := errors.Join(t.WriteCSV(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(file+".part", file)
}

// Beside joins tables of several processors whose first columns, keys of them, say
// what a row is of. Each has its other columns, under its name.
func Beside(keys int, names []string, tables []Table) Table {
	t := Table{Head: slices.Clone(tables[0].Head[:keys])}
	for i, one := range tables {
		before := len(t.Head)
		t.Head = append(t.Head, one.Head[keys:]...)
		t.Head[before] = strings.TrimSuffix(names[i]+": "+t.Head[before], ": ")
		for r := range t.Rows {
			t.Rows[r] = append(t.Rows[r], slices.Repeat([]string{None}, len(one.Head)-keys)...)
		}
		for _, cells := range one.Rows {
			r := slices.IndexFunc(t.Rows, func(row []string) bool { return slices.Equal(row[:keys], cells[:keys]) })
			if r < 0 {
				r = len(t.Rows)
				t.Rows = append(t.Rows, append(slices.Clone(cells[:keys]), slices.Repeat([]string{None}, len(t.Head)-keys)...))
			}
			copy(t.Rows[r][before:], cells[keys:])
		}
	}
	return t
}

// RatiosBeside makes one table of those that Ratios made on several processors.
func RatiosBeside(all []Figures) (Table, error) {
	var names []string
	var tables []Table
	for _, f := range all {
		one := Table{Head: []string{"mode", "ratio", "at least", "median (min–max)", ""}}
		at := map[string]int{}
		for _, name := range []string{"mode", "ratio", "median", "min", "max", "at least", "verdict"} {
			if at[name] = slices.Index(f.Table.Head, name); at[name] < 0 {
				return Table{}, fmt.Errorf("results: a table of ratios without the column %q", name)
			}
		}
		for _, row := range f.Table.Rows {
			one.Rows = append(one.Rows, []string{row[at["mode"]], row[at["ratio"]], row[at["at least"]],
				fmt.Sprintf("%s (%s–%s)", row[at["median"]], row[at["min"]], row[at["max"]]), row[at["verdict"]]})
		}
		names, tables = append(names, f.Name()), append(tables, one)
	}
	return Beside(3, names, tables), nil
}
