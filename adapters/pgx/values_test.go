package arenapgx_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	arenapgx "github.com/ebbpool/arena/adapters/pgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// expressions are values of every kind that is decoded here, and some others.
var expressions = []string{
	"null::text", "''::text", "'text'::text", "'17'::varchar", "'padded'::char(10)", "'n'::name", "'untyped'", "'b'::\"char\"", "'citext'::xml",
	"null::bytea", "''::bytea", `'\x0102ff'::bytea`, "null::bool", "true", "false",
	"null::int2", "0::int2", "-1::int2", "32767::int2", "null::int4", "127", "128", "255", "-129", "65536", "-2147483648", "1::int8",
	"9223372036854775807", "(-9223372036854775808)::int8", "4294967296", "1.5::float4", "'NaN'::float4", "1e300::float8", "'-Infinity'::float8", "null::float8", "3::float8",
	"null::numeric", "0::numeric", "0.00::numeric", "1::numeric", "-1.5::numeric", "12345.6789::numeric", "100::numeric", "1000000::numeric", "1.500::numeric(10,3)",
	"123456789012345678::numeric", "1234567890123456789012345.678::numeric", "0.000000000000000001::numeric", "0.00001234::numeric", "-70000::numeric", "9999::numeric",
	"'NaN'::numeric", "'Infinity'::numeric", "99999999.9999::numeric", "42.0::numeric", "1e20::numeric", "120000::numeric(20,0)", "1e-20::numeric",
	"null::uuid", "'6ba7b810-9dad-11d1-80b4-00c04fd430c8'::uuid",
	"null::date", "'2026-01-02'::date", "'1952-06-16'::date", "'0001-01-01'::date", "'infinity'::date", "'4000-01-01 BC'::date",
	"null::timestamptz", "'2026-01-02 03:04:05.678901Z'::timestamptz", "'1969-12-31 23:59:59.999999Z'::timestamptz", "'infinity'::timestamptz", "'290000-01-01'::timestamptz",
	"'2026-01-02 03:04:05.6'::timestamp", "'1999-12-31 23:59:59.000001'::timestamp", "'-infinity'::timestamp", "'0044-03-15 BC'::timestamp", "null::timestamp",
	"null::json", `'{"A":1,"B":["x"]}'::json`, `'{"A":1,"B":["x"]}'::jsonb`, `'null'::jsonb`, "'null'::json", "' null'::json", `'[1,2]'::jsonb`, `'"s"'::jsonb`, `'{"A":"wrong"}'::jsonb`, "null::jsonb",
	"null::int4[]", "'{}'::int4[]", "'{1,2,3}'::int4[]", "'{1,null}'::int4[]", "'{{1,2},{3,4}}'::int4[]", "'[5:6]={1,2}'::int4[]", "'{70000}'::int4[]",
	"'{a,bc,\"\"}'::text[]", "'{a,null}'::text[]", "'{1.5,2}'::float8[]", "'{t,f}'::bool[]", "'{1.25}'::numeric[]", "'{2026-01-02}'::date[]", `'{"\\x01"}'::bytea[]`,
	"'{1,2}'::int8[]", "'{1,2}'::int2[]", "'{\"2026-01-02 03:04:05Z\"}'::timestamptz[]", "array['{\"A\":1}'::jsonb, 'null', null]", "array['6ba7b810-9dad-11d1-80b4-00c04fd430c8'::uuid]",
	"'1 day'::interval", "'10.0.0.1'::inet", "'[1,2]'::int4range", "'12:00'::time", "17::oid", "point(1,2)", "row(1,'a')", "'happy'::mood",
}

type (
	status   string
	level    int8
	document struct {
		A int
		B []string
	}
	tags []string
	blob []byte
	flag bool
	id   [16]byte
)

// shout scans its own values.
type shout struct{ text string }

func (s *shout) Scan(src any) error {
	s.text = fmt.Sprintf("%v!", src)
	return nil
}

// same reads every expression into a T and compares value and error with pgx's.
func same[T any](t *testing.T, recordings map[string]*recording) {
	t.Helper()
	if old && strings.Contains(reflect.TypeFor[T]().String(), "[2]") || old && strings.Contains(reflect.TypeFor[T]().String(), "[16]") || old && reflect.TypeFor[T]() == reflect.TypeFor[*id]() {
		return // it recurses without end
	}
	for _, expr := range expressions {
		r := recordings[expr]
		if old && expr == "' null'::json" {
			continue // a pointer is nil there
		}
		if panics(func() { pgx.CollectRows(pgx.Rows(r.again()), pgx.RowTo[T]) }) {
			continue // an old pgx
		}
		check := func(in string, got T, err error) {
			t.Helper()
			var want []T
			var wrong error
			// For NULL, pgx tries types in the order of a map: null::bool into a time.Time gives a zero in 1
			// of 120 cases, and otherwise an error. Our result must be one of them.
			for range 10_000 {
				want, wrong = pgx.CollectRows(r.again(), pgx.RowTo[T])
				if text(err) == text(wrong) && (err != nil || equal(reflect.ValueOf(got), reflect.ValueOf(want[0]))) {
					return
				}
				if !strings.HasPrefix(expr, "null::") {
					break
				}
			}
			t.Errorf("%s into %T%s: %#v, error %v; pgx has %#v, error %v", expr, got, in, got, err, want, wrong)
		}
		for _, a := range []*arena.Arena{nil, arena.NewArena(1<<10, 0)} {
			if reflect.TypeFor[T]() != reflect.TypeFor[document]() { // whose fields are columns
				got, err := arenapgx.Collect[T](a, r.again())
				if r.closed == 0 {
					t.Error("the rows stay open")
				}
				var first T
				if len(got) != 0 {
					first = got[0]
				}
				check("", first, err)
				if v := reflect.ValueOf(first); strings.HasSuffix(expr, "[]") && v.Kind() == reflect.Slice && v.Cap() != v.Len() {
					t.Errorf("%s into %T has room for %d elements beyond its %d", expr, first, v.Cap()-v.Len(), v.Len())
				}
			}
			one, err := arenapgx.OneByPos[struct{ X T }](a, r.again())
			if one == nil {
				one = new(struct{ X T })
			}
			check(" in a struct", one.X, err)
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return
}

// text returns the text of an error without the type that does not accept NULL, which varies in pgx.
func text(err error) string {
	s := fmt.Sprint(err)
	if strings.Contains(s, "cannot scan NULL into") {
		return "NULL"
	}
	return s
}

// equal is reflect.DeepEqual, with NaN equal to itself.
func equal(a, b reflect.Value) bool {
	switch {
	case !a.IsValid() || !b.IsValid() || a.Type() != b.Type():
		return a.IsValid() == b.IsValid() && !a.IsValid()
	case a.CanFloat():
		return a.Float() == b.Float() || math.IsNaN(a.Float()) && math.IsNaN(b.Float())
	case a.Kind() == reflect.Interface, a.Kind() == reflect.Pointer && !a.IsNil() && !b.IsNil():
		return equal(a.Elem(), b.Elem())
	case a.Kind() == reflect.Struct && !slices.ContainsFunc(reflect.VisibleFields(a.Type()), func(f reflect.StructField) bool { return !f.IsExported() }):
		for i := range a.NumField() {
			if !equal(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case a.Kind() == reflect.Slice && a.IsNil() == b.IsNil() && a.Len() == b.Len():
		for i := range a.Len() {
			if !equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

func TestValuesAreThoseOfPgx(t *testing.T) {
	conn := connect(t)
	if _, err := conn.Exec(t.Context(), "create type mood as enum ('sad', 'happy')"); err != nil {
		t.Fatal(err)
	}
	defer conn.Exec(t.Context(), "drop type mood")
	recordings := map[string]*recording{}
	for _, expr := range expressions {
		recordings[expr] = record(t, conn, "select "+expr+" as x")
	}
	if f := recordings["1::int8"].fields[0]; f.DataTypeOID != pgtype.Int8OID || f.Format != pgtype.BinaryFormatCode {
		t.Fatalf("1::int8 is %+v: nothing would be decoded here", f)
	}
	same[string](t, recordings)
	same[status](t, recordings)
	same[[]byte](t, recordings)
	same[json.RawMessage](t, recordings)
	same[bool](t, recordings)
	same[int](t, recordings)
	same[int8](t, recordings)
	same[level](t, recordings)
	same[int16](t, recordings)
	same[int32](t, recordings)
	same[int64](t, recordings)
	same[uint8](t, recordings)
	same[uint16](t, recordings)
	same[uint32](t, recordings)
	same[uint64](t, recordings)
	same[uint](t, recordings)
	same[float32](t, recordings)
	same[float64](t, recordings)
	same[time.Time](t, recordings)
	same[time.Duration](t, recordings)
	same[[16]byte](t, recordings)
	same[any](t, recordings)
	same[document](t, recordings)
	same[map[string]any](t, recordings)
	same[shout](t, recordings)
	same[big.Int](t, recordings)
	same[*string](t, recordings)
	same[*status](t, recordings)
	same[*int32](t, recordings)
	same[*float64](t, recordings)
	same[*bool](t, recordings)
	same[*[]byte](t, recordings)
	same[*time.Time](t, recordings)
	same[*document](t, recordings)
	same[*json.RawMessage](t, recordings)
	same[*map[string]any](t, recordings)
	same[[]*document](t, recordings)
	same[blob](t, recordings)
	same[flag](t, recordings)
	same[*id](t, recordings)
	same[[]flag](t, recordings)
	same[[2]int32](t, recordings)
	same[*shout](t, recordings)
	same[**int32](t, recordings)
	same[[]string](t, recordings)
	same[tags](t, recordings)
	same[[]status](t, recordings)
	same[[]*string](t, recordings)
	same[[]int32](t, recordings)
	same[[]int16](t, recordings)
	same[[]int64](t, recordings)
	same[[]*int32](t, recordings)
	same[[]float64](t, recordings)
	same[[]bool](t, recordings)
	same[[][]byte](t, recordings)
	same[[]time.Time](t, recordings)
	same[[]document](t, recordings)
	same[[][16]byte](t, recordings)
	same[[][]int32](t, recordings)
	same[*[]int32](t, recordings)
	same[[]pgtype.Numeric](t, recordings)
	same[[]pgtype.Int4](t, recordings)
	same[[]sql.NullString](t, recordings)
	same[pgtype.Text](t, recordings)
	same[pgtype.Bool](t, recordings)
	same[pgtype.Int2](t, recordings)
	same[pgtype.Int4](t, recordings)
	same[pgtype.Int8](t, recordings)
	same[pgtype.Float4](t, recordings)
	same[pgtype.Float8](t, recordings)
	same[pgtype.Numeric](t, recordings)
	same[*pgtype.Numeric](t, recordings)
	same[pgtype.Date](t, recordings)
	same[pgtype.Timestamp](t, recordings)
	same[pgtype.Timestamptz](t, recordings)
	same[*pgtype.Timestamptz](t, recordings)
	same[pgtype.UUID](t, recordings)
	same[pgtype.Interval](t, recordings)
	same[pgtype.FlatArray[string]](t, recordings)
	same[pgtype.Array[int32]](t, recordings)
	same[sql.NullString](t, recordings)
	same[sql.NullInt64](t, recordings)
	same[sql.NullInt32](t, recordings)
	same[sql.NullInt16](t, recordings)
	same[sql.NullByte](t, recordings)
	same[sql.NullBool](t, recordings)
	same[sql.NullFloat64](t, recordings)
	same[sql.NullTime](t, recordings)
	same[sql.Null[status]](t, recordings)
	same[sql.Null[[]byte]](t, recordings)
	same[*sql.NullInt32](t, recordings)
}
