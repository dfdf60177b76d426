package matrix

import (
	"context"
	"fmt"
)

// Run carries out the steps of the folder's plan that it has no rows of yet,
// and keeps each as soon as it is measured. leave names programs that can't be built
// here. progress is told how many steps are done and what is next.
func (f *Folder) Run(ctx context.Context, measure Measurer, leave map[Program]bool, progress func(done int, what string)) error {
	s := f.Environment.Settings
	have := map[Step]bool{}
	for _, r := range f.Rows {
		have[Step{r.Cell, r.Round}] = true
	}
	for i, step := range s.Plan() {
		program, err := step.Program()
		if err != nil {
			return err
		}
		if have[step] || leave[program] {
			continue
		}
		progress(i, fmt.Sprintf("round %d of %d: %s", step.Round, s.Rounds, step.Cell))
		r, err := measure(ctx, step.Cell, s.Least)
		if err != nil {
			return fmt.Errorf("%s: %w", step.Cell, err)
		}
		if err := f.add(rowsOf(step.Cell, step.Round, r)); err != nil {
			return err
		}
	}
	return nil
}
