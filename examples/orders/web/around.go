// Package web is the middleware of both services: limits, deadlines, logging, metrics, pprof, and a graceful
// shutdown.
package web

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Options are an operator's settings. Zero values mean defaults.
type Options struct {
	Log     *slog.Logger
	Metrics *prometheus.Registry

	MaxBody     int64         // bytes of one request's body: 1 MB
	MaxUnderWay int           // concurrent requests: 256
	Deadline    time.Duration // of one request, including its queries: 10 seconds

	// Inside wraps the handlers, for tests that make them fail.
	Inside func(http.Handler) http.Handler
}

// WithDefaults returns o with defaults for zero values.
func (o Options) WithDefaults() *Options {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Metrics == nil {
		o.Metrics = prometheus.NewRegistry()
	}
	if o.Inside == nil {
		o.Inside = func(h http.Handler) http.Handler { return h }
	}
	o.MaxBody = cmp.Or(o.MaxBody, 1<<20)
	o.MaxUnderWay = cmp.Or(o.MaxUnderWay, 256)
	o.Deadline = cmp.Or(o.Deadline, 10*time.Second)
	return &o
}

const slogError = slog.LevelError

func slogErr(err error) slog.Attr { return slog.String("error", err.Error()) }

// Around adds limits, log and metrics to a service's handlers.
func Around(o *Options, h http.Handler) http.Handler {
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "orders_request_seconds", Help: "Time until a request was answered.", Buckets: prometheus.ExponentialBuckets(1e-4, 4, 8),
	}, []string{"method", "status"})
	busy := prometheus.NewGauge(prometheus.GaugeOpts{Name: "orders_requests_under_way", Help: "Requests that are not answered yet."})
	o.Metrics.MustRegister(seconds, busy)
	places := make(chan struct{}, o.MaxUnderWay)

	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		w := &writer{ResponseWriter: rw}
		busy.Inc()
		defer func() {
			v := recover()
			aborted := false
			if v != nil {
				aborted = o.panicked(w, r, v)
			}
			busy.Dec()
			took := time.Since(begin)
			seconds.WithLabelValues(method(r), statusText(w.status)).Observe(took.Seconds())
			o.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("method", r.Method),
				slog.String("path", r.URL.Path), slog.Int("status", w.status), slog.Int("bytes", w.bytes), slog.Duration("took", took))
			if aborted {
				panic(http.ErrAbortHandler)
			}
		}()
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		default:
			Fail(w, http.StatusServiceUnavailable, "too many requests are under way")
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), o.Deadline)
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = http.MaxBytesReader(w, r.Body, o.MaxBody)
		h.ServeHTTP(w, r)
	})
}

// panicked responds to a request whose handler panicked, and reports whether the connection must be closed
// because a part of the response was sent.
func (o *Options) panicked(w *writer, r *http.Request, v any) bool {
	if v != http.ErrAbortHandler {
		o.Log.LogAttrs(r.Context(), slog.LevelError, "panic", slog.String("path", r.URL.Path),
			slog.String("value", fmt.Sprint(v)), slog.String("stack", string(debug.Stack())))
	}
	if w.status != 0 || v == http.ErrAbortHandler {
		return true
	}
	Fail(w, http.StatusInternalServerError, "the service failed")
	return false
}

// writer records the response.
type writer struct {
	http.ResponseWriter
	status, bytes int
}

func (w *writer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(b []byte) (int, error) {
	w.status = cmp.Or(w.status, http.StatusOK)
	n, err := w.ResponseWriter.Write(b)
	w.bytes += n
	return n, err
}

// Unwrap is for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// method limits the values of a label, because clients may send any method.
func method(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodPost:
		return r.Method
	}
	return "other"
}

// statusText returns the status as text, without an allocation for the usual ones.
func statusText(status int) string {
	switch status {
	case 0, 200:
		return "200"
	case 201:
		return "201"
	}
	return fmt.Sprint(status)
}
