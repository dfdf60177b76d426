package arenagrpc_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	pb "google.golang.org/grpc/interop/grpc_testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// outliving lists ways in which servers keep memory of a call.
var outliving = map[string]func(ctx context.Context, client pb.TestServiceClient, k *keeper) error{
	// a goroutine that goes on
	"goroutine": func(ctx context.Context, client pb.TestServiceClient, k *keeper) error {
		k.keep = func(r *pb.SimpleRequest) {
			go func() {
				if !check.Race || check.Tag { // under the race detector nothing may order the two accesses
					<-k.ended
				}
				k.read(r)
				k.done <- true
			}()
		}
		return k.calls(ctx, client)
	},
	// a batcher that writes requests of many calls
	"batcher": func(ctx context.Context, client pb.TestServiceClient, k *keeper) error {
		batch := make(chan *pb.SimpleRequest, 10)
		go func() {
			if !check.Race || check.Tag {
				<-k.ended
			}
			k.read(<-batch)
			k.done <- true
		}()
		k.keep = func(r *pb.SimpleRequest) { batch <- r }
		return k.calls(ctx, client)
	},
	// a cache that a later call reads, on another goroutine but ordered after the first
	"cache": func(ctx context.Context, client pb.TestServiceClient, k *keeper) error {
		cache := map[string]*pb.SimpleRequest{}
		k.keep = func(r *pb.SimpleRequest) { cache["newest"] = r }
		if err := k.calls(ctx, client); err != nil {
			return err
		}
		k.read(cache["newest"])
		return nil
	},
}

type keeper struct {
	keep  func(*pb.SimpleRequest)
	ended chan bool
	done  chan bool
	sum   int
}

//go:noinline
func (k *keeper) read(r *pb.SimpleRequest) {
	for _, b := range r.Payload.Body {
		k.sum += int(b)
	}
}

// calls makes a call whose request is kept, and one that reuses the memory.
func (k *keeper) calls(ctx context.Context, client pb.TestServiceClient) error {
	_, err := client.UnaryCall(ctx, request(strings.Repeat("kept ", 100)))
	if err == nil {
		k.keep = func(*pb.SimpleRequest) {}
		_, err = client.UnaryCall(ctx, request(strings.Repeat("other ", 100)))
	}
	close(k.ended)
	return err
}

// Each checked build finds memory that was kept. The race detector alone does not find it if the end of the
// memory is ordered before its use, as with a cache.
func TestOutlivingIsFound(t *testing.T) {
	if !check.On {
		t.Skip("a build without the checks for misuse")
	}
	if kind := os.Getenv("EBBPOOL_OUTLIVE"); kind != "" {
		outlive(t, kind)
		return
	}
	for kind := range outliving {
		t.Run(kind, func(t *testing.T) {
			if kind == "cache" && check.Race && !check.Tag {
				t.Skip("no race")
			}
			child := testkit.Self(t.Context(), t, "-test.run=^TestOutlivingIsFound$")
			child.Env = append(os.Environ(), "EBBPOOL_OUTLIVE="+kind)
			out, err := child.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "AddressSanitizer") && !strings.Contains(string(out), "DATA RACE") &&
				!strings.Contains(string(out), "unexpected fault address") && !strings.Contains(string(out), "arena") {
				t.Errorf("nothing was found (%v):\n%s", err, out)
			}
			if strings.Contains(string(out), "the program's own error") {
				t.Errorf("%s", out)
			}
		})
	}
}

func outlive(t *testing.T, kind string) {
	k := &keeper{ended: make(chan bool), done: make(chan bool, 1)}
	client := serveTests(t, arena.NewAutoPool(0), &service{unary: func(_ context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		k.keep(r)
		return &pb.SimpleResponse{}, nil
	}})
	if err := outliving[kind](within(t), client, k); err != nil {
		fmt.Println("the program's own error:", err)
	}
	if kind != "cache" {
		<-k.done
	}
}
