//go:build unix

// Command load measures the receiver with arenas and without, over the loopback
// interface: both servers are processes of their own, and take turns. It prints ratios.
//
//	go run ./load            # 90 KB and 457 B, closed and open loop, about 3 minutes
//	go run ./load -rounds 3 -seconds 1
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena/examples/otlp/batch"
)

func main() {
	rounds := flag.Int("rounds", 7, "rounds of each measurement, at most 50")
	seconds := flag.Float64("seconds", 2, "length of a round for each server, at most 60")
	clients := flag.Int("clients", 8, "requests under way at once in the closed loop, at most 256")
	child := flag.String("serve", "", "plain or arena: be that server, for the other process")
	flag.Parse()
	var err error
	switch {
	case *child != "":
		err = serve(*child, os.Stdin, os.Stdout)
	case *rounds < 1 || *rounds > 50 || *seconds <= 0 || *seconds > 60 || *clients < 1 || *clients > 256:
		err = fmt.Errorf("-rounds, -seconds or -clients is out of its bounds")
	default:
		err = measure(*rounds, time.Duration(*seconds*float64(time.Second)), *clients)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// measure prints both sizes.
func measure(rounds int, span time.Duration, clients int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var servers [2]*server
	for i, kind := range []string{"plain", "arena"} {
		s, err := start(ctx, kind)
		if err != nil {
			return err
		}
		defer s.stop()
		servers[i] = s
	}
	fmt.Println("| spans | bytes | requests/s, closed loop | CPU per request | p50, equal load | p99 | p99.9 |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- |")
	for _, n := range []int{375, 1} {
		data, err := proto.Marshal(batch.Traces("orders", n))
		if err != nil {
			return err
		}
		r, err := compare(ctx, servers, data, rounds, span, clients)
		if err != nil {
			return err
		}
		fmt.Printf("| %d | %d | %s | %s | %s | %s | %s |\n", n, len(data), r.rate, r.cpu, r.p50, r.p99, r.p999)
	}
	fmt.Println("\nArena / plain: the median of the rounds, and their least and greatest.")
	return nil
}
