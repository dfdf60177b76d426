package rounds

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// FromCpp converts google/benchmark's JSON output to Go's benchmark format: a line for each benchmark and
// round, with the counters that the benchmark has set and whose names are units, like ns/op or p99-ns.
func FromCpp(w io.Writer, text []byte) error {
	var said struct{ Benchmarks []map[string]any }
	if err := json.Unmarshal(text, &said); err != nil {
		return fmt.Errorf("not google/benchmark's JSON: %w", err)
	}
	number := func(b map[string]any, key string) float64 { v, _ := b[key].(float64); return v }
	runs := slices.DeleteFunc(said.Benchmarks, func(b map[string]any) bool { return b["run_type"] != "iteration" })
	slices.SortStableFunc(runs, func(a, b map[string]any) int {
		return cmp.Compare(number(a, "repetition_index"), number(b, "repetition_index"))
	})
	for _, b := range runs {
		if b["error_occurred"] == true {
			return fmt.Errorf("%v: %v", b["name"], b["error_message"])
		}
		name, _, _ := strings.Cut(fmt.Sprint(b["run_name"]), "/iterations:")
		name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "/manual_time"), "/real_time"), "/process_time")
		line := fmt.Sprintf("Benchmark%s %.0f", strings.ReplaceAll(name, " ", "-"), number(b, "iterations"))
		for _, key := range slices.Sorted(maps.Keys(b)) {
			if v, ok := b[key].(float64); ok && strings.ContainsAny(key, "/-") {
				line += fmt.Sprintf(" %.6g %s", v, key)
			}
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
