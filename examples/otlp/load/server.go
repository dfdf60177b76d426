//go:build unix

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/examples/otlp/receiver"
)

// serve is the child: it says where it listens, and for each line that it reads how much
// CPU time it has used.
func serve(kind string, in io.Reader, out io.Writer) error {
	var pool *arena.ArenaPool
	switch kind {
	case "arena":
		pool = arena.NewAutoPool(0)
		pool.SetLimit(64<<20, 512<<20)
	case "plain":
	default:
		return fmt.Errorf("-serve %s; plain or arena", kind)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := receiver.Server(receiver.New(), pool)
	go s.Serve(l)
	defer s.Stop()
	fmt.Fprintln(out, l.Addr())
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			return err
		}
		fmt.Fprintln(out, time.Duration(u.Utime.Nano()+u.Stime.Nano()))
	}
	if pool != nil {
		if s := pool.Stats(); s.Gets != s.Puts {
			return fmt.Errorf("%d arenas are still out", s.Gets-s.Puts)
		}
	}
	return nil
}

// server is a child, as its parent sees it.
type server struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	conns []*grpc.ClientConn
}

func start(ctx context.Context, kind string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "-serve", kind)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd: cmd, in: in, out: bufio.NewReader(out)}
	addr, err := s.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the %s server: %w", kind, errors.Join(err, s.stop()))
	}
	for range 4 {
		conn, err := grpc.NewClient(strings.TrimSpace(addr), grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.ForceCodecV2(ready{})))
		if err != nil {
			return nil, errors.Join(err, s.stop())
		}
		s.conns = append(s.conns, conn)
	}
	return s, nil
}

// used is the CPU time that the server has used so far, system calls included.
func (s *server) used() (time.Duration, error) {
	if _, err := fmt.Fprintln(s.in); err != nil {
		return 0, err
	}
	line, err := s.out.ReadString('\n')
	if err != nil {
		return 0, err
	}
	return time.ParseDuration(strings.TrimSpace(line))
}

func (s *server) stop() error {
	for _, conn := range s.conns {
		conn.Close()
	}
	s.in.Close()
	return s.cmd.Wait()
}
