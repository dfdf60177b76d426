package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ebbpool/arena/examples/orders/pair"
	"github.com/ebbpool/arena/examples/orders/traffic"
)

// Concurrent requests get their own data and nothing of another request, neither in the body nor in a header,
// which the server writes after the arena was put back.
func TestNothingOfAnotherRequest(t *testing.T) {
	p := pair.Run(t, pair.Config{})
	rounds := 60
	if testing.Short() {
		rounds = 5
	}
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			own := fmt.Sprintf("client%d-", client)
			source := traffic.New(uint64(client), own, 3, 1)
			for range rounds {
				posted := source.Create()
				a, err := p.Arena.Ask(context.Background(), posted)
				if err != nil || a.Status != 201 {
					t.Errorf("%v, %v", a, err)
					return
				}
				b, err := p.Plain.Ask(context.Background(), posted)
				if err != nil || a.WithoutID() != b.WithoutID() {
					t.Errorf("arena: %v\nplain: %v, %v", a, b, err)
					return
				}
				for _, r := range []traffic.Request{
					{Method: "GET", Path: a.Location}, {Method: "GET", Path: a.Location + "/receipt"},
					{Method: "GET", Path: b.Location}, source.List(),
				} {
					a, err := p.Arena.Ask(context.Background(), r)
					if err != nil || a.Status != 200 {
						t.Errorf("%s: %v, %v", r.Path, a, err)
						return
					}
					if b, err := p.Plain.Ask(context.Background(), r); err != nil || a != b {
						t.Errorf("%s\narena: %v\nplain: %v, %v", r.Path, a, b, err)
						return
					}
					if n := strings.Count(a.Body, "client"); n != strings.Count(a.Body, own) {
						t.Errorf("%s: of another client: %s", r.Path, a.Body)
						return
					}
				}
			}
		})
	}
	clients.Wait()
	p.AwaitIdle(t)
}
