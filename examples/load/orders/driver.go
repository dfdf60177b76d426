//go:build linux

package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"time"

	"golang.org/x/sys/unix"
	"modernc.org/sqlite"
)

// timed is SQLite's driver, which measures the time spent in it, without the work of database/sql and the
// service.
type timed struct{ driver.Driver }

// inDriver is that time, as processor time of the process, because only one goroutine uses the driver. calls
// is the number of measured calls.
var (
	inDriver time.Duration
	calls    int
)

// cpu returns the processor time of the process.
func cpu() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err) // Linux has this clock
	}
	return time.Duration(t.Nano())
}

// clockCost returns the time of reading the clock twice.
func clockCost() time.Duration {
	const n = 20_000
	before := cpu()
	for range n {
		cpu()
	}
	return 2 * (cpu() - before) / n
}

func init() { sql.Register("timed", timed{&sqlite.Driver{}}) }

func since(begin time.Duration) {
	inDriver += cpu() - begin
	calls++
}

func (d timed) Open(name string) (driver.Conn, error) {
	c, err := d.Driver.Open(name)
	return &conn{c}, err
}

type conn struct{ driver.Conn }

func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	defer since(cpu())
	s, err := c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, query)
	return &stmt{s}, err
}

func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	return c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	defer since(cpu())
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
}

func (c *conn) ResetSession(ctx context.Context) error {
	defer since(cpu())
	if r, ok := c.Conn.(driver.SessionResetter); ok {
		return r.ResetSession(ctx)
	}
	return nil
}

func (c *conn) IsValid() bool {
	v, ok := c.Conn.(driver.Validator)
	return !ok || v.IsValid()
}

type stmt struct{ driver.Stmt }

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	defer since(cpu())
	r, err := s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	return &rows{r}, err
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	defer since(cpu())
	return s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
}

type rows struct{ driver.Rows }

func (r *rows) Next(to []driver.Value) error {
	defer since(cpu())
	return r.Rows.Next(to)
}

func (r *rows) Close() error {
	defer since(cpu())
	return r.Rows.Close()
}
