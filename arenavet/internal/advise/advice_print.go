package advise

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/template"
)

// Print writes the answer as text, the verdict first.
func (v *Advice) Print(w io.Writer) error { return texts.Execute(w, v) }

// Verdict is the answer in one sentence.
func (v *Advice) Verdict() string {
	alone := fmt.Sprintf("GOGC=400 alone: %.2f", v.GOGC400)
	if v.JSON > 0 {
		alone += fmt.Sprintf("; arenajson alone, without an arena: %.2f", v.JSON)
	}
	answer := "yes"
	switch {
	case !v.Pays:
		answer = "no"
	case v.Low < Bar:
		answer = "perhaps"
	}
	return fmt.Sprintf("%s: %.2f to %.2f times the throughput of this process; %s", answer, v.Low, v.High, alone)
}

// Instead lists alternatives if an arena does not pay.
func (v *Advice) Instead() []string {
	var all []string
	if v.Pays {
		return nil
	}
	if v.JSON >= Bar {
		all = append(all, "arenajson with a nil arena: a faster codec, and nothing else changes")
	}
	if v.GOGC400 >= Bar {
		all = append(all, "GOGC=400, or GOMEMLIMIT with GOGC=off: fewer collections, more memory")
	}
	if len(v.Heap) > 0 && v.Malloc+v.Collector > 0.15 {
		all = append(all, "allocate less: the list below has the sites that stay on the heap, the costliest first")
	}
	if len(all) == 0 {
		all = append(all, "the program's own functions: allocation takes little of its time")
	}
	return all
}

// TopHeap lists the costliest sites that stay on the heap.
func (v *Advice) TopHeap() []Site {
	var top []Site
	for _, s := range v.Heap {
		if len(top) == 10 || s.Nanos < 0.002*v.total && s.Bytes < 0.01*(v.BytesLeft+v.BytesTaken) {
			break
		}
		top = append(top, s)
	}
	return top
}

// Memory describes the memory of the arenas.
func (v *Advice) Memory() string {
	if v.Requests > 0 {
		per := v.BytesTaken / float64(v.Requests)
		return fmt.Sprintf("memory: %s for each request in progress (%s of values, and as much again of free chunks)", size(2*per), size(per))
	}
	return fmt.Sprintf("memory: arenas hold %s for each second of processor time, until their requests end; -requests N prints the memory of one", size(v.BytesTaken/v.CPUSeconds))
}

// UnknownPart returns the part of the time in functions of the runtime that this command does not know.
func (v *Advice) UnknownPart() (part float64) {
	for _, u := range v.Unknown {
		part += u.Nanos / v.total
	}
	return part
}

// Warning names the functions of the runtime that this command does not know.
func (v *Advice) Warning() string {
	if len(v.Unknown) == 0 {
		return ""
	}
	var names []string
	for _, u := range v.Unknown {
		names = append(names, fmt.Sprintf("%s (%.1f %%)", u.Name, 100*u.Nanos/v.total))
	}
	return fmt.Sprintf("WARNING: unknown functions in the runtime of %s, with %.1f %% of the time, counted as the program's: %s",
		v.GoVersion, 100*v.UnknownPart(), strings.Join(names, ", "))
}

var texts = template.Must(template.New("texts").Funcs(template.FuncMap{
	"percent": func(x float64) string { return fmt.Sprintf("%5.1f %%", 100*x) },
	"short":   short,
	"base":    filepath.Base,
	"of":      func(v *Advice, nanos float64) float64 { return nanos / v.total },
	"at":      func(s Site) string { return fmt.Sprintf("%s:%d", filepath.Base(s.File), s.Line) },
}).Parse(`{{with .Warning}}{{.}}

{{end}}{{.Verdict}}
{{range .Instead}}  instead: {{.}}
{{end}}
{{printf "%d samples, %.1f s of processor time: allocation" .Samples .CPUSeconds}} {{percent .Malloc}}, the collector {{percent .Collector}}
{{.Memory}}
{{range .Notes}}note: {{.}}
{{end}}{{with .Convert}}to convert: arena convert {{.}}
{{end}}{{$v := .}}
the time of the process
{{percent .SavedCodec}}  saved in the codec
{{percent .SavedMemory}}  saved in allocation and collection
{{percent .Rest}}  stays
{{if .Functions}}
the functions that save it{{with .Root}}, in calls of {{short .}}{{end}}
{{range .Functions}}{{percent .Saved}}  {{short .Name}}
{{range $i, $s := .Sites}}{{if lt $i 4}}           {{at $s}}{{with $s.Called}}  {{short .}}{{end}}
{{end}}{{end}}{{end}}{{if ge .Others 0.0005}}{{percent .Others}}  other functions
{{end}}{{end}}{{with .TopHeap}}
allocations that stay on the heap
{{range .}}{{percent (of $v .Nanos)}}  {{if .Function}}{{short .Function}}  {{at .}}: {{end}}{{.Why}}
{{end}}{{end}}`))
