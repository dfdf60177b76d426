package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/ebbpool/arena/lab/figures"
	"github.com/ebbpool/arena/lab/load"
	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/rounds"
)

// root is the directory of package arena, relative to the lab.
const root = ".."

// keeping returns the flags common to all measuring commands.
func keeping(file string, n int, more ...cli.Flag) []cli.Flag {
	return append([]cli.Flag{
		&cli.IntFlag{Name: "rounds", Value: n, Usage: "number of rounds"},
		&cli.StringFlag{Name: "out", Value: file, Usage: "write the results to `FILE`"},
		&cli.StringFlag{Name: "from", Usage: "read the results from `FILE` instead of measuring"},
		&cli.BoolFlag{Name: "publish", Usage: "store the medians in docs/figures.csv, and regenerate the tables of the pages"},
	}, more...)
}

// results runs measure, which writes results to a file, and turns the file into figures.
func results(cmd *cli.Command, kind string, measure func(w io.Writer, rounds int) error) error {
	file := cmd.String("from")
	if file == "" {
		n := cmd.Int("rounds")
		if n < 1 {
			return bad(fmt.Errorf("-rounds %d: want at least 1", n))
		}
		warnLoad(cmd.Root().ErrWriter)
		file = cmd.String("out")
		f, err := create(file + ".part")
		if err != nil {
			return err
		}
		defer os.Remove(file + ".part") // after success the file has been renamed
		defer f.Close()
		if err := measure(f, n); err != nil {
			return err
		}
		if err := errors.Join(f.Close(), os.Rename(file+".part", file)); err != nil {
			return err
		}
	}
	all, err := figures.Of(kind, file)
	if err != nil {
		return bad(err)
	}
	if _, err := fmt.Fprintf(cmd.Root().Writer, "%s\nThe results, for benchstat: %s\n", figures.Text(all), file); err != nil {
		return err
	}
	if !cmd.Bool("publish") {
		return nil
	}
	return figures.Publish(root, all)
}

// create creates a file and its directory.
func create(name string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, err
	}
	return os.Create(name)
}

// warnLoad prints a warning if the machine is busy.
func warnLoad(w io.Writer) {
	if busy := load.Busy(); busy > 0.7 {
		fmt.Fprintf(w, "WARNING: this machine is busy (load average %.2f): times and ratios will be off\n", busy)
	}
}

// fail ends a run if a program fails.
func fail(_ rounds.Program, err error) error { return err }

// temporary calls f with a directory that it removes afterwards.
func temporary(f func(dir string) error) error {
	dir, err := os.MkdirTemp("", "lab")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return f(dir)
}

func benchCommand() *cli.Command {
	return &cli.Command{
		Name: "bench", Usage: "measure the benchmarks of the arena package",
		Flags: keeping("results/bench.txt", 5, &cli.StringFlag{Name: "benchtime", Value: "200ms", Usage: "duration of a benchmark, as for go test"},
			&cli.BoolFlag{Name: "strict", Usage: "fail if a claim does not hold"}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return results(cmd, "bench", func(w io.Writer, n int) error {
				return temporary(func(dir string) error {
					bench, err := filepath.Abs(filepath.Join(root, "internal/bench"))
					if err != nil {
						return err
					}
					time, plain, profiled := cmd.String("benchtime"), filepath.Join(dir, "bench.test"), filepath.Join(dir, "pgo.test")
					if err := rounds.Compile(ctx, bench, plain, ".", nil); err != nil {
						return err
					}
					// The second binary is built with a profile of the same benchmarks, made here, like a
					// program whose owner has a profile. The profile covers only the arena's benchmarks. With
					// the heap's benchmarks and the collector in it, no call of the arena would be among the
					// 99 % that the compiler considers hot.
					pattern, profile := figures.Pattern(true), filepath.Join(dir, "cpu.pprof")
					args := append(rounds.Benchmarks(pattern+"/./^alloc=arena$", "1s"), "-test.cpuprofile="+profile)
					if err := rounds.Run(ctx, io.Discard, 1, []rounds.Program{{Dir: bench, Path: plain, Args: args}}, fail); err != nil {
						return err
					}
					if err := rounds.Compile(ctx, bench, profiled, ".", []string{"-pgo=" + profile}); err != nil {
						return err
					}
					trees, err := binaryTrees(ctx, dir, cmd.Root().ErrWriter)
					if err != nil {
						return err
					}
					return rounds.Run(ctx, w, n, append(trees,
						rounds.Program{Dir: bench, Path: plain, Args: rounds.Benchmarks(figures.Pattern(false), time)},
						rounds.Program{Dir: bench, Build: figures.Profiled, Path: profiled, Args: rounds.Benchmarks(pattern, time)},
					), fail)
				})
			})
		},
	}
}

func isolationCommand() *cli.Command {
	return &cli.Command{
		Name: "isolation", Usage: "compare isolated pools with plain pools and the heap",
		Flags: keeping("results/isolation.txt", 5),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return results(cmd, "isolation", func(w io.Writer, n int) error {
				return temporary(func(dir string) error {
					var programs []rounds.Program
					for i, from := range []string{root + "/internal/bench", "load/handlers"} {
						path := filepath.Join(dir, fmt.Sprint(i, ".test"))
						if err := rounds.Compile(ctx, from, path, ".", nil); err != nil {
							return err
						}
						programs = append(programs, rounds.Program{Dir: from, Path: path, Args: rounds.Benchmarks("^BenchmarkIsolation$", "1x")})
					}
					return rounds.Run(ctx, w, n, programs, fail)
				})
			})
		},
	}
}

func matrixCommand() *cli.Command {
	return &cli.Command{
		Name: "matrix", Usage: "measure every workload with every subject, by size",
		Flags: keeping("results/matrix.txt", 7,
			&cli.StringFlag{Name: "build", Usage: "measure a `BUILD`: asan, cover or race"},
			&cli.BoolFlag{Name: "full", Usage: "also measure the large sizes"},
			&cli.StringFlag{Name: "benchtime", Value: "15ms", Usage: "duration of a benchmark, as for go test"},
			&cli.StringSliceFlag{Name: "only", Usage: "measure only this `WORKLOAD`; may be repeated"},
			&cli.StringSliceFlag{Name: "subject", Usage: "measure only this `SUBJECT`; may be repeated"}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			o := matrix.Options{Build: cmd.String("build"), Full: cmd.Bool("full"), Workloads: cmd.StringSlice("only"), Subjects: cmd.StringSlice("subject"), Benchtime: cmd.String("benchtime")}
			return results(cmd, "matrix", func(w io.Writer, n int) error {
				return temporary(func(dir string) error {
					programs, err := matrix.Programs(ctx, dir, o)
					if err != nil {
						return bad(err)
					}
					return rounds.Run(ctx, w, n, programs, func(p rounds.Program, err error) error {
						fmt.Fprintln(cmd.Root().ErrWriter, "no result:", err)
						return nil
					})
				})
			})
		},
	}
}

func jsonCommand() *cli.Command {
	return &cli.Command{
		Name: "json", Usage: "compare arenajson with other JSON codecs",
		Flags: keeping("results/json.txt", 7, &cli.StringFlag{Name: "benchtime", Value: "100ms", Usage: "duration of a benchmark, as for go test"},
			&cli.StringFlag{Name: "only", Usage: "measure the benchmarks that match `PATTERN`", Value: "^Benchmark(JSON|Value)$"}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return results(cmd, "json", func(w io.Writer, n int) error {
				return temporary(func(dir string) error {
					programs := []rounds.Program{{Path: filepath.Join(dir, "json.test"), Args: rounds.Benchmarks(cmd.String("only"), cmd.String("benchtime"))}}
					if err := rounds.Compile(ctx, "", programs[0].Path, "./jsonbench", nil); err != nil {
						return err
					}
					if !cmd.IsSet("only") {
						more, err := anchors(ctx, dir, cmd.String("benchtime"), cmd.Root().ErrWriter)
						if err != nil {
							return err
						}
						programs = append(programs, more...)
					}
					return rounds.Run(ctx, w, n, programs, fail)
				})
			})
		},
	}
}

func codecsCommand() *cli.Command {
	return &cli.Command{
		Name: "codecs", Usage: "compare the adapters with the packages that they replace",
		Flags: keeping("results/codecs.txt", 7),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return results(cmd, "codecs", func(w io.Writer, n int) error {
				return temporary(func(dir string) error {
					var programs []rounds.Program
					// Except for protobuf, an iteration is a turn of both sides (testkit.Duel).
					for _, m := range [][3]string{{"protobuf", "/bench", "100ms"}, {"grpc", "", "5x"}, {"connect", "", "5x"}, {"pgx", "", "5x"}, {"fasthttp", "", "5x"}} {
						p := rounds.Program{Build: m[0], Dir: filepath.Join(root, "adapters", m[0]+m[1]), Path: filepath.Join(dir, m[0]+".test"), Args: rounds.Benchmarks(".", m[2])}
						if err := rounds.Compile(ctx, p.Dir, p.Path, ".", []string{"-tags=vt"}); err != nil {
							return err
						}
						programs = append(programs, p)
					}
					return rounds.Run(ctx, w, n, programs, fail)
				})
			})
		},
	}
}

// keepCommand returns the command that stores results measured by other modules.
func keepCommand() *cli.Command {
	return &cli.Command{
		Name: "keep", Usage: "store the medians of another program's results", ArgsUsage: "KIND FILE",
		Action: func(_ context.Context, cmd *cli.Command) error {
			kind, file := cmd.Args().Get(0), cmd.Args().Get(1)
			if figures.Kinds[kind] == nil {
				return bad(fmt.Errorf("unknown kind %q", kind))
			}
			all, err := figures.Of(kind, file)
			if err != nil {
				return bad(err)
			}
			fmt.Fprintln(cmd.Root().Writer, figures.Text(all))
			return figures.Publish(root, all)
		},
	}
}

func cppCommand() *cli.Command {
	return &cli.Command{
		Name: "cpp", Usage: "measure the C++ benchmark, a program on google/benchmark", ArgsUsage: "COMPILER=PROGRAM...",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "rounds", Value: 7, Usage: "number of rounds"},
			&cli.StringFlag{Name: "filter", Value: ".", Usage: "measure the benchmarks that match `PATTERN`"},
			&cli.StringFlag{Name: "time", Value: "0.02", Usage: "minimum `SECONDS` of a benchmark"},
			&cli.StringFlag{Name: "instructions", Usage: "read instructions per call from `FILE`, in Go's benchmark format"},
			&cli.StringFlag{Name: "dir", Value: "results", Usage: "write the results to `DIR`"},
			&cli.BoolFlag{Name: "publish", Usage: "store the medians in docs/figures.csv, and regenerate the tables of the pages"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() == 0 {
				return bad(errors.New("missing COMPILER=PROGRAM, such as gcc=../cpp/build/release/bench"))
			}
			var all []figures.Figure
			for i, arg := range cmd.Args().Slice() {
				compiler, program, ok := strings.Cut(arg, "=")
				if !ok {
					return bad(fmt.Errorf("%s: want COMPILER=PROGRAM", arg))
				}
				file := filepath.Join(cmd.String("dir"), "cpp-"+strings.ReplaceAll(compiler, " ", "-")+".txt")
				if err := runCpp(ctx, cmd, file, program); err != nil {
					return err
				}
				fresh, err := figures.Of("cpp", file)
				if err != nil {
					return err
				}
				for k := range fresh {
					fresh[k].Run = compiler
				}
				if i > 0 { // pictures show the first compiler
					fresh = figures.Only(fresh, "cpp")
				}
				all = append(all, fresh...)
			}
			if file := cmd.String("instructions"); file != "" {
				counted, err := figures.Of("instructions", file)
				if err != nil {
					return err
				}
				for i := range counted {
					counted[i].Run = all[0].Run
				}
				all = append(all, counted...)
			}
			fmt.Fprintln(cmd.Root().Writer, figures.Text(all))
			if !cmd.Bool("publish") {
				return nil
			}
			return figures.Publish(root, all)
		},
	}
}

// runCpp runs a google/benchmark program, which interleaves its rounds itself, and converts its results to
// Go's benchmark format.
func runCpp(ctx context.Context, cmd *cli.Command, file, program string) error {
	c := exec.CommandContext(ctx, program, "--benchmark_format=json", "--benchmark_enable_random_interleaving=true",
		fmt.Sprintf("--benchmark_repetitions=%d", cmd.Int("rounds")), "--benchmark_min_time="+cmd.String("time"), "--benchmark_filter="+cmd.String("filter"))
	c.Stderr = cmd.Root().ErrWriter
	out, err := c.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	f, err := create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return errors.Join(rounds.FromCpp(f, out), f.Close())
}
