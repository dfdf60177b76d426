package arenapgx_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	arenapgx "github.com/ebbpool/arena/adapters/pgx"
	"github.com/ebbpool/arena/internal/testkit/server"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// postgres is the server of these tests, started at first use.
var postgres struct {
	once sync.Once
	dir  string
	stop func()
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if postgres.stop != nil {
		postgres.stop()
	}
	if postgres.dir != "" {
		os.RemoveAll(postgres.dir)
	}
	os.Exit(code)
}

// connect returns a connection to PostgreSQL, or skips the test.
func connect(tb testing.TB) *pgx.Conn {
	tb.Helper()
	postgres.once.Do(func() {
		if postgres.dir, postgres.err = os.MkdirTemp("", "arenapgx"); postgres.err == nil {
			postgres.stop, postgres.err = server.Postgres(postgres.dir)
		}
	})
	if postgres.err != nil {
		tb.Skip("SKIPPED: no PostgreSQL here: ", postgres.err)
	}
	for tries := 0; ; tries++ {
		conn, err := pgx.Connect(context.Background(), "host="+postgres.dir+" user=tester dbname=postgres")
		if err == nil {
			tb.Cleanup(func() { conn.Close(context.Background()) })
			return conn
		}
		if tries == 100 {
			tb.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// query is Query without its error, which the rows also report.
func query(conn *pgx.Conn, sql string, args ...any) pgx.Rows {
	rows, _ := conn.Query(context.Background(), sql, args...)
	return rows
}

// A recording holds a server's response, to be read repeatedly. Its Scan acts like pgx's, with a plan for
// each column that is made once per query.
type recording struct {
	types  *pgtype.Map
	fields []pgconn.FieldDescription
	rows   [][][]byte
	at     int
	closed int
	buffer []byte
	row    [][]byte
	plans  []pgtype.ScanPlan
}

func record(tb testing.TB, conn *pgx.Conn, sql string, args ...any) *recording {
	tb.Helper()
	rows := query(conn, sql, args...)
	// Copy the descriptions, because the connection reuses their memory.
	r := &recording{types: pgtype.NewMap(), fields: slices.Clone(rows.FieldDescriptions())}
	for rows.Next() {
		var row [][]byte
		for _, v := range rows.RawValues() {
			if v != nil {
				v = append([]byte{}, v...)
			}
			row = append(row, v)
		}
		r.rows = append(r.rows, row)
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(sql, ": ", err)
	}
	return r
}

// again restarts the recording.
func (r *recording) again() *recording {
	r.at, r.closed, r.plans = 0, 0, nil
	return r
}

// Next stores the row in memory that it reuses, like a connection.
func (r *recording) Next() bool {
	for i := range r.buffer {
		r.buffer[i] = '#'
	}
	if r.closed > 0 || r.at == len(r.rows) {
		r.closed++
		return false
	}
	r.buffer, r.row = r.buffer[:0], r.row[:0]
	size := 0
	for _, v := range r.rows[r.at] {
		size += len(v)
	}
	if cap(r.buffer) <= size { // also if empty, because values that are not NULL are not nil
		r.buffer = make([]byte, 0, 2*size+1)
	}
	for _, v := range r.rows[r.at] {
		if v == nil {
			r.row = append(r.row, nil)
			continue
		}
		from := len(r.buffer)
		r.buffer = append(r.buffer, v...)
		r.row = append(r.row, r.buffer[from:len(r.buffer):len(r.buffer)])
	}
	r.at++
	return true
}

func (r *recording) Scan(dest ...any) error {
	if len(dest) != len(r.fields) && len(dest) != 1 {
		return errors.New("wrong number of destinations")
	}
	if len(dest) == 1 {
		if one, ok := dest[0].(pgx.RowScanner); ok {
			return one.ScanRow(r)
		}
	}
	if r.plans == nil {
		r.plans = make([]pgtype.ScanPlan, len(dest))
		for i, d := range dest {
			r.plans[i] = r.types.PlanScan(r.fields[i].DataTypeOID, r.fields[i].Format, d)
		}
	}
	for i, d := range dest {
		if err := r.plans[i].Scan(r.row[i], d); err != nil {
			return arenapgx.ScanError(i, r.fields[i].Name, err)
		}
	}
	return nil
}

func (r *recording) Close()                                       { r.closed++ }
func (r *recording) Err() error                                   { return nil }
func (r *recording) CommandTag() pgconn.CommandTag                { return pgconn.CommandTag{} }
func (r *recording) FieldDescriptions() []pgconn.FieldDescription { return r.fields }
func (r *recording) Values() ([]any, error)                       { panic("not asked for") }
func (r *recording) RawValues() [][]byte                          { return r.row }
func (r *recording) Conn() *pgx.Conn                              { return nil }
func (r *recording) TypeMap() *pgtype.Map                         { return r.types }

// old reports whether the installed pgx has bugs fixed after 5.7: it panics on NaN for an integer and on
// arrays with wrong sizes, and recurses without end on Go arrays.
var old = panics(func() {
	array := []byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 1, 0, 0, 0, 1, 0x7f, 0xff, 0xff, 0xff}
	var to []int32
	pgtype.NewMap().Scan(pgtype.Int4ArrayOID, pgtype.BinaryFormatCode, array, &to)
})

// needsNewPgx skips a comparison that an old pgx gets wrong.
func needsNewPgx(t *testing.T) {
	if old {
		t.Skip("this pgx panics on broken values")
	}
}
