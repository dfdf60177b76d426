package load

import "github.com/prometheus/procfs"

// Busy is the machine's load average over the last minute, or 0 where the system doesn't
// tell.
func Busy() float64 {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return 0
	}
	load, err := fs.LoadAvg()
	if err != nil {
		return 0
	}
	return load.Load1
}

// Processor is the name of this machine's, as Go's benchmarks print it, or "" where the
// system doesn't tell.
func Processor() string {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return ""
	}
	all, err := fs.CPUInfo()
	if err != nil || len(all) == 0 {
		return ""
	}
	return all[0].ModelName
}
