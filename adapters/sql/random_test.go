package arenasql_test

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	arenasql "github.com/ebbpool/arena/adapters/sql"
)

// kinds has a field for each way to store a value.
type kinds struct {
	A string
	B flag
	C float32
	D seen
	E *seen
	F []byte
	G any
	H time.Time
	I *int32
	J sql.Null[flag]
	K sql.NullString
	L uint16
}

// seen is a Scanner that records each call.
type seen struct{ all []string }

func (s *seen) Scan(src any) error {
	s.all = append(s.all, fmt.Sprintf("%v", src))
	return nil
}

// Random rows, with the columns in random order, are read like by Rows.Scan, with one call of each Scanner
// per row. If one column's value needs database/sql, the other columns' Scanners must not be called again,
// because they may accumulate.
func TestRowsAreThoseOfDatabaseSQL(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	typ := reflect.TypeFor[kinds]()
	read, failed := 0, 0
	for range 3000 {
		order := r.Perm(typ.NumField())[:1+r.IntN(typ.NumField())]
		source := &table{}
		for _, f := range order {
			source.columns = append(source.columns, typ.Field(f).Name)
		}
		for range 1 + r.IntN(3) {
			var row []driver.Value
			for _, f := range order {
				row = append(row, fitting(r, f))
			}
			source.rows = append(source.rows, row)
		}
		db := source.open(t)
		var want []kinds
		var wrong error
		rows := source.query(t, db)
		for rows.Next() && wrong == nil {
			var k kinds
			var dest []any
			for _, f := range order {
				dest = append(dest, reflect.ValueOf(&k).Elem().Field(f).Addr().Interface())
			}
			wrong = rows.Scan(dest...)
			want = append(want, k)
		}
		rows.Close()
		if wrong != nil {
			want = nil
			failed++
		}
		a := arena.NewArena(1<<10, 0)
		got, err := arenasql.Collect[kinds](a, source.query(t, db))
		if fmt.Sprint(err) != fmt.Sprint(wrong) || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v of %#v:\n%+v, error %v\ndatabase/sql has\n%+v, error %v", source.columns, source.rows, got, err, want, wrong)
		}
		read += len(got)
		db.Close()
	}
	if read < 1000 || failed < 300 {
		t.Errorf("%d rows and %d errors were compared", read, failed)
	}
}

// fitting returns a value that usually fits the field of kinds with the given index.
func fitting(r *rand.Rand, field int) driver.Value {
	if r.IntN(40) == 0 {
		return values[r.IntN(len(values))]
	}
	var fit []driver.Value
	switch typ := reflect.TypeFor[kinds]().Field(field).Type; typ {
	case reflect.TypeFor[string](), reflect.TypeFor[[]byte](), reflect.TypeFor[any](), reflect.TypeFor[seen](), reflect.TypeFor[*seen]():
		fit = []driver.Value{"text", []byte("bytes"), int64(17), 1.5, true, time.Unix(1, 2).UTC()}
	case reflect.TypeFor[flag](), reflect.TypeFor[sql.Null[flag]]():
		fit = []driver.Value{true, false}
	case reflect.TypeFor[time.Time]():
		fit = []driver.Value{time.Unix(3, 4).UTC()}
	case reflect.TypeFor[float32]():
		fit = []driver.Value{1.5, int64(3), "2.5", []byte("7"), halfway}
	case reflect.TypeFor[sql.NullString]():
		fit = []driver.Value{"text", []byte("bytes"), nil, int64(5), 0.25}
	default:
		fit = []driver.Value{int64(r.IntN(100)), "17", []byte("18"), 19.0}
	}
	return fit[r.IntN(len(fit))]
}
