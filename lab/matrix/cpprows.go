package matrix

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// CppCell is what one C++ subject does, built by one compiler.
type CppCell struct {
	Compiler          string // with its version
	Workload, Touched string
	Size, Count       int // bytes of an object; capacity of the pool
	Subject           string
}

// CppRow is one run of one C++ subject.
type CppRow struct {
	CppCell
	Round     int
	NsPerCall float64
}

// LatencyRow is a percentile of one run's batches of calls.
type LatencyRow struct {
	CppCell
	Round      int
	Percentile float64 // 100 is the longest
	NsPerCall  float64
}

var (
	cppHead     = []string{"compiler", "workload", "touched", "size", "count", "subject", "round", "ns_per_call"}
	latencyHead = []string{"compiler", "workload", "touched", "size", "count", "subject", "round", "percentile", "ns_per_call"}
)

// Cpp reads the folder's C++ rows, of all compilers; none if there is no file.
func (f *Folder) Cpp() (all []CppRow, err error) {
	for _, c := range Compilers {
		rows, err := readCppFile(filepath.Join(f.Dir, CppFile(c)))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// Latencies reads the folder's percentiles, of all compilers; none if there is
// no file.
func (f *Folder) Latencies() (all []LatencyRow, err error) {
	for _, c := range Compilers {
		rows, err := readLatencyFile(filepath.Join(f.Dir, LatencyFile(c)))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

func readCppFile(name string) ([]CppRow, error) { return readFile(name, ReadCpp) }

func readLatencyFile(name string) ([]LatencyRow, error) { return readFile(name, ReadLatencies) }

func readFile[R any](name string, read func(io.Reader) ([]R, error)) ([]R, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rows, nil
}

// ReadCpp reads what the C++ benchmark writes with --csv.
func ReadCpp(r io.Reader) (rows []CppRow, err error) {
	err = eachRecord(r, cppHead, func(rec []string) error {
		cell, err := cppCell(rec)
		round, roundErr := strconv.Atoi(rec[6])
		ns, nsErr := nanoseconds(rec[7])
		rows = append(rows, CppRow{cell, round, ns})
		return firstOf(err, roundErr, nsErr)
	})
	return rows, err
}

// ReadLatencies reads what the C++ benchmark writes with --latencies.
func ReadLatencies(r io.Reader) (rows []LatencyRow, err error) {
	err = eachRecord(r, latencyHead, func(rec []string) error {
		cell, err := cppCell(rec)
		round, roundErr := strconv.Atoi(rec[6])
		p, pErr := strconv.ParseFloat(rec[7], 64)
		if pErr != nil || !(p > 0 && p <= 100) {
			pErr = fmt.Errorf("%q is no percentile", rec[7])
		}
		ns, nsErr := nanoseconds(rec[8])
		rows = append(rows, LatencyRow{cell, round, p, ns})
		return firstOf(err, roundErr, pErr, nsErr)
	})
	return rows, err
}

// eachRecord reads a table with the heading given. An error tells the line.
func eachRecord(r io.Reader, head []string, take func(rec []string) error) error {
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return err
	}
	if len(records) == 0 || !slices.Equal(records[0], head) {
		return fmt.Errorf("the first line must be %q", strings.Join(head, ","))
	}
	for i, rec := range records[1:] {
		if err := take(rec); err != nil {
			return fmt.Errorf("line %d: %w", i+2, err)
		}
	}
	return nil
}

func cppCell(rec []string) (CppCell, error) {
	size, sizeErr := strconv.Atoi(rec[3])
	count, countErr := strconv.Atoi(rec[4])
	return CppCell{rec[0], rec[1], rec[2], size, count, rec[5]}, firstOf(sizeErr, countErr)
}

func nanoseconds(text string) (float64, error) {
	ns, err := strconv.ParseFloat(text, 64)
	if err != nil || ns < 0 || math.IsNaN(ns) || math.IsInf(ns, 0) {
		return 0, fmt.Errorf("%q is no time", text)
	}
	return ns, nil
}

// firstOf is one error, for one line of text.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
