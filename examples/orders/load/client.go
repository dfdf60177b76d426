//go:build linux

package main

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/ebbpool/arena/examples/orders/traffic"
)

// mix is n requests, 80 % of which read. Those ask for the customers that the database
// began with, and new orders are others': so each service's answers are the same,
// whatever comes first.
func mix(seed uint64, n int, orders int) []traffic.Request {
	reads := traffic.New(seed, "c", customers, int64(orders))
	writes := traffic.New(seed, "new", customers, 1)
	rng := rand.New(rand.NewPCG(seed, 0x6d6978))
	requests := make([]traffic.Request, n)
	for i := range requests {
		if rng.IntN(100) < 20 {
			requests[i] = writes.Create()
		} else {
			requests[i] = reads.Read()
		}
	}
	return requests
}

const customers = 200

// outcome is what the clients saw.
type outcome struct {
	latency *hdrhistogram.Histogram // in nanoseconds
	took    time.Duration
	sum     uint32 // of the answers to what reads
}

// send sends the requests: in a closed loop of that many workers if rate is 0; else at
// the times of a Poisson process of that rate, the same for each service, with latency
// counted from the time that a request was meant to start.
func send(addr string, requests []traffic.Request, workers int, rate float64, seed uint64) (outcome, error) {
	transport := &http.Transport{MaxIdleConnsPerHost: workers, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	var due []time.Duration
	if rate > 0 {
		rng := rand.New(rand.NewPCG(seed, 0x647565))
		at := 0.0
		for range requests {
			at += rng.ExpFloat64() / rate
			due = append(due, time.Duration(at*float64(time.Second)))
		}
		workers *= 4 // so that one is free when a request is due
	}
	total := outcome{latency: hdrhistogram.New(1000, int64(time.Minute), 3)}
	var next atomic.Int64
	var mu sync.Mutex
	var failed error
	var g sync.WaitGroup
	begin := time.Now()
	for range workers {
		g.Go(func() {
			own := outcome{latency: hdrhistogram.New(1000, int64(time.Minute), 3)}
			var buf bytes.Buffer
			var err error
			for err == nil {
				k := int(next.Add(1)) - 1
				if k >= len(requests) {
					break
				}
				start := time.Now()
				if due != nil {
					start = begin.Add(due[k])
					time.Sleep(time.Until(start))
				}
				if err = one(client, addr, requests[k], &buf); err == nil {
					err = own.latency.RecordValue(int64(time.Since(start)))
				}
				if requests[k].Method == http.MethodGet {
					own.sum += crc32.ChecksumIEEE(buf.Bytes())
				}
			}
			mu.Lock()
			defer mu.Unlock()
			total.latency.Merge(own.latency)
			total.sum += own.sum
			if err != nil {
				failed = err
			}
		})
	}
	g.Wait()
	total.took = time.Since(begin)
	return total, failed
}

func one(client *http.Client, addr string, r traffic.Request, buf *bytes.Buffer) error {
	req, err := http.NewRequest(r.Method, "http://"+addr+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	buf.Reset()
	if _, err := io.Copy(buf, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", r.Method, r.Path, resp.Status, buf)
	}
	return nil
}
