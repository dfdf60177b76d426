package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Limits are the server's timeouts, which handlers cannot observe.
type Limits struct {
	ReadHeader time.Duration // for the header: 5 seconds
	Read       time.Duration // for the body: 15 seconds
	Write      time.Duration // for the response: 30 seconds
	Shutdown   time.Duration // for requests in progress at shutdown: 20 seconds
}

// DefaultLimits suit clients on the Internet.
var DefaultLimits = Limits{5 * time.Second, 15 * time.Second, 30 * time.Second, 20 * time.Second}

// Serve serves h on l until ctx is done. Then it accepts no more requests, completes those in progress, and
// returns nil if all of them were completed.
func Serve(ctx context.Context, l net.Listener, h http.Handler, limits Limits) error {
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: limits.ReadHeader,
		ReadTimeout:       limits.Read,
		WriteTimeout:      limits.Write,
		IdleTimeout:       time.Minute,
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), limits.Shutdown)
	defer cancel()
	err := s.Shutdown(last)
	if err != nil {
		s.Close()
	}
	if e := <-ended; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

// Operator returns the handler for operators only: metrics and profiles. Serve it on a separate address.
func Operator(o *Options) http.Handler {
	o.Metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(o.Metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
