//go:build unix

// Package server starts database servers for tests, each with its data in its own directory.
package server

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// Postgres starts PostgreSQL with its data and socket in dir and a user "tester". It returns a function that
// stops the server.
func Postgres(dir string) (stop func(), err error) {
	initdb, err := program("initdb")
	if err != nil {
		return nil, err
	}
	postgres, err := program("postgres")
	if err != nil {
		return nil, err
	}
	attr, err := owner(dir, "postgres")
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	first := exec.Command(initdb, "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	first.Dir, first.SysProcAttr = dir, attr
	if out, err := first.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	return start(exec.Command(postgres, "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "timezone=UTC"), dir, attr, syscall.SIGINT)
}

// MySQL starts MariaDB with its data in dir and a socket there named "mysql". It returns a function that
// stops the server.
func MySQL(dir string) (stop func(), err error) {
	install, err := program("mariadb-install-db")
	if err != nil {
		return nil, err
	}
	mariadbd, err := program("mariadbd")
	if err != nil {
		return nil, err
	}
	attr, err := owner(dir, "mysql")
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	first := exec.Command(install, "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db")
	first.Dir, first.SysProcAttr = dir, attr
	if out, err := first.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mariadb-install-db: %w: %s", err, out)
	}
	return start(exec.Command(mariadbd, "--no-defaults", "--datadir="+data, "--socket="+filepath.Join(dir, "mysql"), "--skip-networking",
		"--pid-file="+filepath.Join(dir, "pid"), "--innodb-flush-log-at-trx-commit=0"), dir, attr, syscall.SIGTERM)
}

// owner gives dir to the named user, or to nobody, if the test runs as root, which the servers refuse.
func owner(dir, name string) (*syscall.SysProcAttr, error) {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() != 0 {
		return attr, nil
	}
	who, err := user.Lookup(name)
	if err != nil {
		if who, err = user.Lookup("nobody"); err != nil {
			return nil, fmt.Errorf("no user in place of root: %w", err)
		}
	}
	uid, _ := strconv.Atoi(who.Uid)
	gid, _ := strconv.Atoi(who.Gid)
	attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return attr, os.Chown(dir, uid, gid)
}

func start(server *exec.Cmd, dir string, attr *syscall.SysProcAttr, end syscall.Signal) (stop func(), err error) {
	server.Dir, server.SysProcAttr = dir, attr
	if err := server.Start(); err != nil {
		return nil, err
	}
	return func() {
		server.Process.Signal(end)
		server.Wait()
	}, nil
}

func program(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if other, _ := filepath.Glob("/usr/sbin/" + name); len(other) > 0 {
		found = other
	}
	if len(found) == 0 {
		return "", fmt.Errorf("no program %s", name)
	}
	return slices.Max(found), nil
}
