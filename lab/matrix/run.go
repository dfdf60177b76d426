package matrix

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Run carries out the steps of the folder's plan that it has no rows of yet,
// and keeps each as soon as it is measured; lanes is how many are at work at
// once. leave names programs that can't be built here. progress is told how
// many steps are done and what is next.
func (f *Folder) Run(ctx context.Context, measure Measurer, lanes int, leave map[Program]bool, progress func(done int, what string)) error {
	s := f.Environment.Settings
	have := map[Step]bool{}
	for _, r := range f.Rows {
		have[Step{r.Cell, r.Round}] = true
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// The lock is of the folder, and of progress.
	var mu sync.Mutex
	var wg sync.WaitGroup
	free := make(chan bool, lanes)
	one := func(step Step) error {
		r, err := measure(ctx, step.Cell, s.Least)
		if err != nil {
			return fmt.Errorf("%s: %w", step.Cell, err)
		}
		mu.Lock()
		defer mu.Unlock()
		return f.add(rowsOf(step.Cell, step.Round, r))
	}
	begun, round := time.Now(), 0
	for i, step := range s.Plan() {
		program, err := step.Program()
		if err != nil {
			return err
		}
		if have[step] || leave[program] {
			continue
		}
		if step.Round > round {
			if round > 0 && s.Within > 0 && time.Since(begun) > s.Within {
				wg.Wait()
				f.Environment.Notes = append(f.Environment.Notes,
					fmt.Sprintf("rounds %d to %d of the matrix: not begun after %s; lab run -resume measures them", step.Round, s.Rounds, s.Within))
				return errors.Join(context.Cause(ctx), f.SaveEnvironment())
			}
			round = step.Round
		}
		free <- true
		if ctx.Err() != nil {
			break
		}
		mu.Lock()
		progress(i, fmt.Sprintf("round %d of %d: %s", step.Round, s.Rounds, step.Cell))
		mu.Unlock()
		wg.Go(func() {
			defer func() { <-free }()
			if err := one(step); err != nil {
				stop(err) // the first one counts
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
