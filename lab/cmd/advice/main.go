// Command advice compares what "arena advise" predicts with what conversions gain. For each
// program of package advice, and each module that package others converts, it takes profiles of the
// plain form, predicts, measures both forms, and writes advice/results.csv and the page
// docs/generated/advice.md. It runs in the lab's folder:
//
//	go run ./cmd/advice
//
// With -freeze it writes the predictions of the programs that are still to be converted into
// advice/frozen.csv, and measures nothing. The file keeps a prediction once it has one.
package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ebbpool/arena/internal/testkit/turns"
	"github.com/ebbpool/arena/lab/advice"
	"github.com/ebbpool/arena/lab/advice/others"
)

func main() {
	freeze := flag.Bool("freeze", false, "only predict, the programs whose conversion is to come")
	onlyPage := flag.Bool("page", false, "only write the page anew, from advice/results.csv")
	names := flag.String("names", "", "only these programs, with commas")
	convert := flag.String("conversions", "", "only what conversions gain, without and with live objects, into this `FILE`")
	byHand := flag.String("others", "", "only what conversions of others' modules gain, into this `FILE`")
	automatic := flag.String("automatic", "", "only what \"arena convert\" makes of others' modules, beside the conversions by hand, into this `FILE`")
	into := flag.String("into", "", "only make conversions of others' modules, in this `FOLDER`, NAME/module")
	rounds := flag.Int("rounds", 5, "how often both forms are measured, in turn")
	length := flag.Duration("for", time.Second, "processor time of one measurement")
	flag.Parse()
	err := error(nil)
	switch {
	case *onlyPage:
		err = writePage()
	case *convert != "":
		err = conversions(*convert, strings.Split(*names, ","), *rounds, *length)
	case *automatic != "":
		err = automatically(*automatic, *names, *rounds, *length)
	case *into != "":
		err = makeOthers(*into, *names)
	case *byHand != "":
		err = ofOthers(*byHand, *names, *rounds, *length)
	default:
		err = run(*freeze, *names, *rounds, *length)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "advice:", err)
		os.Exit(1)
	}
}

// row is one program's line in the data.
type row struct {
	name, goVersion        string
	gain, low, high        float64
	gogc                   float64
	measured, measuredGOGC float64
	min, max               float64 // of the rounds
}

type lab struct {
	work, arena string
	subject     func(form string) string // the file of a program's form
	dir         string                   // of the program
	packages    []string                 // that arena advise is asked about
	allocations float64                  // of a request, of the last that was served
}

func run(freeze bool, names string, rounds int, length time.Duration) error {
	work, err := os.MkdirTemp("", "advice")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	subject := filepath.Join(work, "subject.exe")
	l := lab{work: work, arena: filepath.Join(work, "arena.exe"), subject: func(string) string { return subject },
		packages: []string{"./advice", "./advice/subject", "github.com/ebbpool/arena/lab/load/handlers"}}
	if err := errors.Join(command("go", "build", "-o", subject, "./advice/subject"), command("go", "-C", "../arenavet", "build", "-o", l.arena, "./cmd/arena")); err != nil {
		return err
	}
	frozen, err := read("advice/frozen.csv")
	if err != nil {
		return err
	}
	var rows []row
	one := func(l lab, name string) error {
		i := slices.IndexFunc(frozen, func(r row) bool { return r.name == name })
		var r row
		if freeze && i >= 0 {
			r = frozen[i]
		} else if r, err = l.predict(name); err != nil {
			return err
		}
		fmt.Printf("%-10s predicted %.2f (%.2f to %.2f), GOGC=400 %.2f\n", r.name, r.gain, r.low, r.high, r.gogc)
		if !freeze {
			if err := l.measure(&r, rounds, length); err != nil {
				return err
			}
			fmt.Printf("%-10s measured  %.2f (%.2f to %.2f), GOGC=400 %.2f\n", r.name, r.measured, r.min, r.max, r.measuredGOGC)
		}
		rows = append(rows, r)
		return nil
	}
	for _, s := range advice.Subjects() {
		if names != "" && !slices.Contains(strings.Split(names, ","), s.Name) || freeze && !s.Frozen {
			continue
		}
		if err := one(l, s.Name); err != nil {
			return err
		}
	}
	if !freeze {
		if err := eachOther(work, names, func(c *others.Made) error {
			l.subject, l.dir, l.packages = c.Program, c.Folder("plain"), []string{".", c.Path + "/..."}
			return one(l, c.Path)
		}); err != nil {
			return err
		}
	}
	if freeze {
		return write("advice/frozen.csv", rows)
	}
	if names != "" {
		return nil
	}
	if err := write("advice/results.csv", rows); err != nil {
		return err
	}
	return writePage()
}

func writePage() error {
	rows, err := read("advice/results.csv")
	if err != nil {
		return err
	}
	frozen, err := read("advice/frozen.csv")
	if err != nil {
		return err
	}
	return os.WriteFile("../docs/generated/advice.md", page(rows, frozen), 0o644)
}

func command(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// serve runs one form of a program: how many requests it served, and the processor time of
// each in nanoseconds.
func (l *lab) serve(name, form, gogc string, length time.Duration, args ...string) (requests, each float64, err error) {
	cmd := exec.Command(l.subject(form), append([]string{"-name", name, "-form", form, "-for", length.String()}, args...)...)
	cmd.Env = append(os.Environ(), "GOGC="+gogc)
	out, err := cmd.Output()
	if err != nil {
		return 0, 0, fmt.Errorf("%s, %s: %w", name, form, err)
	}
	var took float64
	if _, err := fmt.Sscan(string(out), &requests, &took, &l.allocations); err != nil {
		return 0, 0, err
	}
	l.allocations /= requests
	return requests, took / requests, nil
}

func (l *lab) predict(name string) (row, error) {
	cpu, allocs := filepath.Join(l.work, "cpu"), filepath.Join(l.work, "allocs")
	requests, _, err := l.serve(name, "plain", "100", 20*time.Second, "-cpu", cpu, "-allocs", allocs)
	if err != nil {
		return row{}, err
	}
	advise := exec.Command(l.arena, append([]string{"advise", "-json", "-cpu", cpu, "-allocs", allocs, "-requests", strconv.Itoa(int(requests))}, l.packages...)...)
	advise.Dir = l.dir
	out, err := advise.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return row{}, fmt.Errorf("arena advise, %s: %w\n%s", name, err, exit.Stderr)
	} else if err != nil {
		return row{}, err
	}
	var a struct{ Gain, Low, High, GOGC400 float64 }
	if err := json.Unmarshal(out, &a); err != nil {
		return row{}, err
	}
	return row{name: name, goVersion: runtime.Version(), gain: a.Gain, low: a.Low, high: a.High, gogc: a.GOGC400}, nil
}

// measure runs the forms in turn. The gain is the median of the rounds' ratios; GOGC=400 is
// measured once.
func (l *lab) measure(r *row, rounds int, length time.Duration) error {
	var failed error
	form := func(form, gogc string) func() float64 {
		return func() float64 {
			if failed != nil {
				return 0
			}
			_, each, err := l.serve(r.name, form, gogc, length)
			failed = err
			return each
		}
	}
	took := turns.Run(rounds, form("plain", "100"), form("arena", "100"))
	gain := turns.Ratio(took[0], took[1])
	r.measured, r.min, r.max = gain.Median, gain.Least, gain.Most
	r.measuredGOGC = took[0][rounds-1] / form("plain", "400")()
	return failed
}

var columns = []string{"program", "go", "predicted", "low", "high", "predicted GOGC=400", "measured", "least", "most", "measured GOGC=400"}

func (r *row) values() []*float64 {
	return []*float64{&r.gain, &r.low, &r.high, &r.gogc, &r.measured, &r.min, &r.max, &r.measuredGOGC}
}

func read(path string) (rows []row, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, rec := range records[1:] {
		r := row{name: rec[0], goVersion: rec[1]}
		for i, v := range r.values() {
			if *v, err = strconv.ParseFloat(rec[i+2], 64); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func write(path string, rows []row) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	w.Write(columns)
	for _, r := range rows {
		rec := []string{r.name, r.goVersion}
		for _, v := range r.values() {
			rec = append(rec, strconv.FormatFloat(*v, 'f', 3, 64))
		}
		w.Write(rec)
	}
	w.Flush()
	return errors.Join(w.Error(), f.Close())
}
