package advise

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/ebbpool/arena/arenavet/internal/profile"
)

// Print writes the answer as text, the verdict first.
func (v *Advice) Print(w io.Writer) error { return texts.ExecuteTemplate(w, "advice", v) }

// Verdict is the answer in one sentence.
func (v *Advice) Verdict() string {
	gain := fmt.Sprintf("about %.2f times the throughput of this process (%.2f to %.2f)", v.Gain, v.Low, v.High)
	alone := fmt.Sprintf("GOGC=400 alone: %.2f", v.GOGC400)
	if v.JSON > 0 {
		alone += fmt.Sprintf("; arenajson alone, without an arena: %.2f", v.JSON)
	}
	if !v.Pays {
		return fmt.Sprintf("no: %s, and %.2f is the least that is worth it; %s", gain, Bar, alone)
	}
	what := "this function takes"
	if n := len(v.Functions); n != 1 {
		what = fmt.Sprintf("these %d functions take", n)
	}
	answer := "yes: "
	if v.Low < Bar {
		answer = "perhaps: "
	}
	return fmt.Sprintf("%s%s, if %s an arena; %s", answer, gain, what, alone)
}

// Instead returns what to do where an arena doesn't pay, or nothing.
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
		all = append(all, "fewer allocations where they are: the list below has what stays on the heap, the costliest first")
	}
	if len(all) == 0 {
		all = append(all, "allocation isn't what this program's time goes to: look at the profile's own functions")
	}
	return all
}

// TopHeap are the sites that stay on the heap and are worth a line.
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

// Memory returns what the arenas hold.
func (v *Advice) Memory() string {
	if v.Requests > 0 {
		per := v.BytesTaken / float64(v.Requests)
		return fmt.Sprintf("memory: %s for each request under way (%s of values, and as much again for free chunks), for as long as it runs", size(2*per), size(per))
	}
	return fmt.Sprintf("memory: %s for each second of processor time lie in arenas until their requests end; -requests N says how much that is for one", size(v.BytesTaken/v.CPUSeconds))
}

// UnknownPart returns what part of the time the runtime's functions take that nobody knows here.
func (v *Advice) UnknownPart() (part float64) {
	for _, u := range v.Unknown {
		part += u.Nanos / v.total
	}
	return part
}

// Warning says which functions of the runtime aren't known.
func (v *Advice) Warning() string {
	if len(v.Unknown) == 0 {
		return ""
	}
	var names []string
	for _, u := range v.Unknown {
		names = append(names, fmt.Sprintf("%s (%.1f %%)", u.Name, 100*u.Nanos/v.total))
	}
	return fmt.Sprintf("WARNING: %s has functions in its runtime that this command doesn't know, with %.1f %% of the time, counted as the program's: %s. If they are the collector's, the gain is larger than it says here.",
		v.GoVersion, 100*v.UnknownPart(), strings.Join(names, ", "))
}

var texts = template.Must(template.New("texts").Funcs(template.FuncMap{
	"percent": func(x float64) string { return fmt.Sprintf("%5.1f %%", 100*x) },
	"short":   short,
	"base":    filepath.Base,
	"of":      func(v *Advice, nanos float64) float64 { return nanos / v.total },
	"at":      func(s Site) string { return fmt.Sprintf("%s:%d", filepath.Base(s.File), s.Line) },
	"min":     func() int { return profile.MinSamples },
}).Parse(`{{define "advice"}}{{with .Warning}}{{.}}

{{end}}{{.Verdict}}
{{range .Instead}}  instead: {{.}}
{{end}}
{{printf "%d samples, %.1f s of processor time: allocation" .Samples .CPUSeconds}} {{percent .Malloc}}, the collector {{percent .Collector}}
{{.Memory}}
{{range .Notes}}note: {{.}}
{{end}}{{if .Functions}}{{percent .SavedMemory}} saved in allocation and collection,{{with .SavedCodec}}{{percent .}} in the codec,{{end}}{{percent .Rest}} of the time is left
{{end}}{{with .Convert}}to convert it: arena convert {{.}}
{{end}}{{$v := .}}{{if .Functions}}
what an arena would save, of the process's time
{{range .Functions}}{{percent .Saved}}  {{short .Name}}
{{range $i, $s := .Sites}}{{if lt $i 4}}           {{at $s}}  {{with $s.Called}}{{short .}}{{else}}{{$s.Kind}}{{end}}: {{$s.Use}}{{if eq $s.Outcome "rewrite"}} (to be rewritten){{end}}
{{end}}{{end}}{{end}}{{if ge .Others 0.0005}}{{percent .Others}}  other functions
{{end}}{{end}}{{with .TopHeap}}
what stays on the heap, by its part of the time
{{range .}}{{percent (of $v .Nanos)}}  {{if .Function}}{{short .Function}}  {{at .}}  {{with .Called}}{{short .}}: {{end}}{{end}}{{.Use}}
{{end}}{{end}}{{end}}{{define "tests"}}{{.Verdict}}
{{range .Lines}}{{if .Live}}{{printf "%5.1f %%" .Percent}}  {{.At}}  {{.Live}} of {{.Objects}} objects outlive {{.Test}}
{{end}}{{end}}{{end}}`))
