// Command orders is a JSON service with an arena for each request; with -plain, the same service without.
//
//	orders [-addr localhost:8080] [-operator localhost:8081] [-db orders.db] [-plain]
//
// If DATABASE_URL is a postgres:// URL, it uses that database instead of the SQLite file.
package main

import (
	"cmp"
	"context"
	"flag"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenapprof"
	arenaorders "github.com/ebbpool/arena/examples/orders/arena"
	plainorders "github.com/ebbpool/arena/examples/orders/plain"
	"github.com/ebbpool/arena/examples/orders/store"
	"github.com/ebbpool/arena/examples/orders/web"
)

func main() {
	addr := flag.String("addr", "localhost:8080", "where customers are served")
	operator := flag.String("operator", "localhost:8081", "where /metrics and /debug/pprof are served")
	file := flag.String("db", "orders.db", "the SQLite file")
	plain := flag.Bool("plain", false, "serve without arenas")
	flag.Parse()
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, log, *addr, *operator, cmp.Or(os.Getenv("DATABASE_URL"), *file), *plain); err != nil {
		log.Error("orders", "error", err)
		os.Exit(1)
	}
}

// forOperators adds the memory held by requests to the operators' pages.
func forOperators(o *web.Options) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", web.Operator(o))
	mux.HandleFunc("/debug/pprof/arena.live", func(w http.ResponseWriter, _ *http.Request) {
		if err := arenapprof.WriteProfile(w); err != nil {
			o.Log.Warn("the profile was not sent", "error", err)
		}
	})
	return mux
}

func run(ctx context.Context, log *slog.Logger, addr, operator, database string, plain bool) error {
	s, err := store.Open(ctx, database)
	if err != nil {
		return err
	}
	defer s.Close()
	customers, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	defer customers.Close()
	operators, err := net.Listen("tcp", operator)
	if err != nil {
		return err
	}
	o := (web.Options{Log: log}).WithDefaults()
	behind := &http.Server{Handler: forOperators(o), ReadHeaderTimeout: web.DefaultLimits.ReadHeader}
	go behind.Serve(operators)
	defer behind.Close()

	var handler http.Handler
	if plain {
		handler = plainorders.New(s, *o, time.Now)
	} else {
		pool := arena.NewAutoPool(0)
		pool.SetLimit(8<<20, 256<<20) // of one request, and of all requests
		pool.SetLeakSampling(100)     // for Leaks and the profile
		handler = arenaorders.New(s, pool, *o, time.Now)
	}
	log.Info("serving", "customers", customers.Addr().String(), "operators", operators.Addr().String(), "plain", plain)
	return web.Serve(ctx, customers, handler, web.DefaultLimits)
}
