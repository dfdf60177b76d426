// Package store is the database of orders: schema and statements, for SQLite and PostgreSQL. Rows are read by
// the two services, which differ in that.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"
)

// The lines of an order are one JSON document, because they are written once and always read together.
const schema = `
CREATE TABLE IF NOT EXISTS orders (
	id       {SERIAL},
	customer TEXT NOT NULL,
	status   TEXT NOT NULL,
	currency TEXT NOT NULL,
	note     TEXT NOT NULL,
	created  BIGINT NOT NULL, -- milliseconds since 1970
	total    BIGINT NOT NULL,
	lines    {JSON} NOT NULL
);
CREATE INDEX IF NOT EXISTS orders_by_customer ON orders (customer, id);`

const columns = `SELECT id, customer, status, currency, note, created, total, lines FROM orders `

// Store is an open database. Its statements may be used by any number of goroutines.
type Store struct {
	DB     *sql.DB
	writer *sql.DB // has one connection if the database allows one writer: waiting costs less than retrying

	Insert     *sql.Stmt // customer, status, currency, note, created, total, lines: id
	ByID       *sql.Stmt // id
	List       *sql.Stmt // after, status or "", minimum total, maximum number of rows
	ByCustomer *sql.Stmt // the same, customer
}

// Open opens a database: a postgres:// URL, or the path of a SQLite file, which it creates if needed.
func Open(ctx context.Context, where string) (*Store, error) {
	if strings.HasPrefix(where, "postgres://") || strings.HasPrefix(where, "postgresql://") {
		return OpenWith(ctx, "pgx", where)
	}
	return OpenWith(ctx, "sqlite", SQLite(where))
}

// SQLite returns the data source name for a file. Readers do not wait for a writer, nor the writer for them
// (WAL); a second writer waits for up to 5 seconds.
func SQLite(path string) string {
	q := url.Values{"_pragma": {"journal_mode(WAL)", "synchronous(NORMAL)", "busy_timeout(5000)"}, "_txlock": {"immediate"}}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// OpenWith is Open with the name of a database/sql driver: pgx, or one compatible with SQLite.
func OpenWith(ctx context.Context, driver, dsn string) (*Store, error) {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	db.SetMaxOpenConns(4 * runtime.GOMAXPROCS(0))
	db.SetMaxIdleConns(4 * runtime.GOMAXPROCS(0))
	s := &Store{DB: db, writer: db}
	if driver != "pgx" {
		if s.writer, err = sql.Open(driver, dsn); err != nil {
			return nil, errors.Join(fmt.Errorf("store: %w", err), db.Close())
		}
		s.writer.SetMaxOpenConns(1)
	}
	if err := s.prepare(ctx, driver == "pgx"); err != nil {
		return nil, errors.Join(fmt.Errorf("store: %w", err), s.Close())
	}
	return s, nil
}

func (s *Store) prepare(ctx context.Context, postgres bool) error {
	dialect := strings.NewReplacer("{SERIAL}", "INTEGER PRIMARY KEY AUTOINCREMENT", "{JSON}", "TEXT")
	if postgres {
		dialect = strings.NewReplacer("{SERIAL}", "BIGSERIAL PRIMARY KEY", "{JSON}", "JSONB", "?", "$")
	}
	for _, statement := range strings.SplitAfter(schema, ";") {
		if _, err := s.DB.ExecContext(ctx, dialect.Replace(statement)); err != nil {
			return err
		}
	}
	for _, p := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&s.Insert, `INSERT INTO orders (customer, status, currency, note, created, total, lines) VALUES (?1, ?2, ?3, ?4, ?5, ?6, CAST(?7 AS {JSON})) RETURNING id`},
		{&s.ByID, columns + `WHERE id = ?1`},
		{&s.List, columns + `WHERE id > ?1 AND (?2 = '' OR status = ?2) AND total >= ?3 ORDER BY id LIMIT ?4`},
		{&s.ByCustomer, columns + `WHERE customer = ?5 AND id > ?1 AND (?2 = '' OR status = ?2) AND total >= ?3 ORDER BY id LIMIT ?4`},
	} {
		var err error
		db := s.DB
		if p.to == &s.Insert {
			db = s.writer
		}
		if *p.to, err = db.PrepareContext(ctx, dialect.Replace(p.text)); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the database and its statements.
func (s *Store) Close() error { return errors.Join(s.DB.Close(), s.writer.Close()) }

// InUse returns the number of connections in use.
func (s *Store) InUse() int {
	n := s.writer.Stats().InUse
	if s.writer != s.DB {
		n += s.DB.Stats().InUse
	}
	return n
}

// Begin begins a transaction for many inserts.
func (s *Store) Begin(ctx context.Context) (*sql.Tx, *sql.Stmt, error) {
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	return tx, tx.StmtContext(ctx, s.Insert), nil
}
