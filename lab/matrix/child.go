package matrix

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
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
		turns := flags.Bool("turns", false, "")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		turn := func() {}
		if *turns {
			turn = func() { awaitTurn(w) }
		}
		o, err := measure(Cell{Workload: *workload, N: *n, Subject: *subject}, *least, turn)
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

// ready is the line by which a child says that its warm-up is over.
const ready = "ready\n"

// awaitTurn says so, and waits until the parent has stopped the others.
func awaitTurn(w io.Writer) {
	fmt.Fprint(w, ready)
	io.Copy(io.Discard, os.Stdin) // the end of the input is its turn
}

// arguments are those that have a child measure a cell; with turns it waits for
// its turn before it times.
func (c Cell) arguments(least time.Duration, turns bool) []string {
	return []string{MeasureChild, "-workload", c.Workload, "-n", fmt.Sprint(c.N), "-subject", c.Subject, "-least", least.String(),
		"-turns=" + fmt.Sprint(turns)}
}
