package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ebbpool/arena/lab/matrix"
)

// runCpp measures the C++ half, and says in one line each what it can't.
func runCpp(ctx context.Context, folder *matrix.Folder, dir string, w io.Writer) error {
	fmt.Fprintln(w, "building the C++ benchmark")
	var bar *progress
	notes, err := folder.RunCpp(ctx, dir, func(done, total int, what string) {
		if bar == nil {
			bar = newProgress(w, total)
		}
		bar.set(done, "C++, "+what)
	})
	if bar != nil {
		bar.finish()
	}
	if errors.Is(err, matrix.ErrNoCpp) {
		notes, err = append(notes, err.Error()), nil
	}
	env := &folder.Environment
	for _, note := range notes {
		if !slices.Contains(env.CppNotes, note) { // a run that goes on has some
			fmt.Fprintln(w, note)
			env.CppNotes = append(env.CppNotes, note)
		}
	}
	return errors.Join(err, folder.SaveEnvironment())
}
