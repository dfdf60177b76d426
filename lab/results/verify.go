package results

import (
	"errors"
	"fmt"
)

// ErrMismatch tells that runs which must give the same answers did not.
var ErrMismatch = errors.New("results: the answers differ")

// Verify fails when a run had errors, or when two runs of the same number of
// requests gave different answers. A subject that is fast and wrong is no
// result.
func Verify(runs []Run) error {
	first := map[int]Run{}
	var errs []error
	for _, r := range runs {
		if r.Errors > 0 {
			errs = append(errs, fmt.Errorf("results: %s, %s, %s loop, round %d: %d requests of %d failed",
				r.Mode, r.Subject, r.Loop(), r.Round, r.Errors, r.Requests))
		}
		f, ok := first[r.Requests]
		if !ok {
			first[r.Requests] = r
			continue
		}
		if f.Checksum != r.Checksum {
			errs = append(errs, fmt.Errorf("%w: %s, %s, %s loop, round %d has the checksum %016x; %s, %s, %s loop, round %d has %016x",
				ErrMismatch, r.Mode, r.Subject, r.Loop(), r.Round, r.Checksum, f.Mode, f.Subject, f.Loop(), f.Round, f.Checksum))
		}
	}
	return errors.Join(errs...)
}
