package arenaprom

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
	"github.com/prometheus/client_golang/prometheus"
)

type dashboard struct {
	Panels []struct {
		Title, Description string
		Targets            []struct{ Expr string }
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	text, err := os.ReadFile("dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// The dashboard and the alerts use existing metrics, and the dashboard uses all of them.
func TestDashboard(t *testing.T) {
	var exported []string
	for _, c := range []prometheus.Collector{
		NewPoolCollector(arena.NewAutoPool(0), "x"), NewFixedPoolCollector(fixedpool.NewSync[int](1), "x"),
	} {
		to := make(chan *prometheus.Desc, 100)
		c.Describe(to)
		close(to)
		for d := range to {
			exported = append(exported, regexp.MustCompile(`fqName: "([^"]*)"`).FindStringSubmatch(d.String())[1])
		}
	}
	histogram := regexp.MustCompile(`(put_used_bytes)_(bucket|sum|count)$`)
	dashboard := readDashboard(t)
	metric := regexp.MustCompile(`ebbpool_[a-z_]+`)
	var asked []string
	for _, p := range dashboard.Panels {
		if p.Title == "" || p.Description == "" || len(p.Targets) == 0 {
			t.Errorf("panel %q says nothing", p.Title)
		}
		for _, target := range p.Targets {
			names := metric.FindAllString(target.Expr, -1)
			if names == nil || strings.Count(target.Expr, "$pool") != len(names) {
				t.Errorf("panel %q: %s is not of the pools that are chosen", p.Title, target.Expr)
			}
			for _, name := range names {
				asked = append(asked, histogram.ReplaceAllString(name, "$1"))
			}
		}
	}
	for _, name := range exported {
		if !slices.Contains(asked, name) {
			t.Errorf("the dashboard does not show %s", name)
		}
	}
	alerts, err := os.ReadFile("alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	alerted := metric.FindAllString(string(alerts), -1)
	if len(alerted) < 8 {
		t.Errorf("the alerts name %q only", alerted)
	}
	for _, name := range append(asked, alerted...) {
		name = histogram.ReplaceAllString(name, "$1")
		if !slices.Contains(exported, name) {
			t.Errorf("there is no metric %s", name)
		}
	}
}

// Every alert is explained in the runbook.
func TestRunbook(t *testing.T) {
	alerts, err := os.ReadFile("alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	runbook, err := os.ReadFile("../../docs/production.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`alert: Ebbpool(\w+)`).FindAllSubmatch(alerts, -1) {
		if !strings.Contains(string(runbook), "| `"+string(m[1])+"` |") {
			t.Errorf("docs/production.md does not say what %s means", m[1])
		}
	}
}
