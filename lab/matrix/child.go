package matrix

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"time"
)

// Names of what a child process is started for; flags follow.
const (
	MeasureChild = "measure"
	MisuseChild  = "misuse"
)

// Child is the work of one child process, by its arguments: what it found goes
// to w, as JSON.
func Child(args []string, w io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("name what to do: %s or %s", MeasureChild, MisuseChild)
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it, too
	subject := flags.String("subject", "", "")
	switch args[0] {
	case MeasureChild:
		workload := flags.String("workload", "", "")
		n := flags.Int("n", 0, "")
		least := flags.Duration("least", 0, "")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		o, err := Measure(Cell{Workload: *workload, N: *n, Subject: *subject}, *least)
		if err != nil {
			return err
		}
		return json.NewEncoder(w).Encode(o)
	case MisuseChild:
		variant := flags.String("variant", "", "")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		seen, err := Misuse(*subject, *variant)
		if err != nil {
			return err
		}
		return json.NewEncoder(w).Encode(seen)
	}
	return fmt.Errorf("there is no %q: name %s or %s", args[0], MeasureChild, MisuseChild)
}

// arguments are those that have a child measure a cell.
func (c Cell) arguments(least time.Duration) []string {
	return []string{MeasureChild, "-workload", c.Workload, "-n", fmt.Sprint(c.N), "-subject", c.Subject, "-least", least.String()}
}
