package export

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// fleet reads a file of docs/fleet, or docs/fleet.md.
func fleet(t *testing.T, name string) string {
	t.Helper()
	text := testkit.Must(os.ReadFile(filepath.Join("..", "..", "docs", name)))(t)
	return string(text)
}

// TestPageListsInstruments holds that docs/fleet.md defines every instrument in
// the words of the page of metrics, and no other.
func TestPageListsInstruments(t *testing.T) {
	page := fleet(t, "fleet.md")
	for i := range instruments {
		in := &instruments[i]
		name := "| `" + in.name + "`"
		if in.extra != "" {
			name += " `" + in.extra + "`"
		}
		kind := [...]string{"histogram", "counter", "gauge"}[in.kind] + map[string]string{"s": ", s", "1": ", ratio"}[in.unit]
		testkit.Has(t, page, name+" | "+kind+" | "+strings.TrimSuffix(in.help, ".")+" |")
	}
	names := map[string]bool{}
	for i := range instruments {
		names[instruments[i].name] = true
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `((?:tokscope|gen_ai)[a-z_.]+)`.* \\| "+
		"(?:histogram|counter|gauge)").FindAllStringSubmatch(page, -1) {
		if !names[m[1]] {
			t.Errorf("docs/fleet.md has a row for %s, which is not exported", m[1])
		}
	}
}

// TestDashboard holds that the queries of the dashboard and of the alerts name
// what is exported, that every panel has a unit, and that no two overlap.
func TestDashboard(t *testing.T) {
	known := map[string]bool{"tokscope_build_info": true}
	for i := range instruments {
		name := instruments[i].prom()
		switch instruments[i].kind {
		case counter:
			known[name+"_total"] = true
		case gauge:
			known[name] = true
		case histogram:
			known[name+"_bucket"], known[name+"_sum"], known[name+"_count"] = true, true, true
		}
	}
	metric := regexp.MustCompile(`\b(?:tokscope|gen_ai_client)_[a-z_]+`)
	names := metric.FindAllString(fleet(t, "fleet/grafana.json")+fleet(t, "fleet/alerts.yml"), -1)
	for _, name := range names {
		testkit.That(t, known[name], "a query names %s, which is not exported", name)
	}
	testkit.That(t, len(names) >= 30, "found %d names: the search does not work", len(names))
	var d struct {
		SchemaVersion int
		Templating    struct{ List []struct{ Name string } }
		Panels        []struct {
			ID          int
			Title, Type string
			GridPos     struct{ X, Y, W, H int }
			FieldConfig struct{ Defaults struct{ Unit string } }
			Targets     []struct{ RefID, Expr string }
		}
	}
	testkit.OK(t, json.Unmarshal([]byte(fleet(t, "fleet/grafana.json")), &d))
	cells, ids := map[[2]int]string{}, map[int]bool{}
	for _, p := range d.Panels {
		if p.FieldConfig.Defaults.Unit == "" || p.Title == "" || p.Type == "" || len(p.Targets) == 0 || ids[p.ID] {
			t.Errorf("panel %d %q has no unit, type or query, or its number is taken", p.ID, p.Title)
		}
		ids[p.ID] = true
		testkit.That(t, p.GridPos.X+p.GridPos.W <= 24, "panel %q ends beyond the 24 columns", p.Title)
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				testkit.Need(t, cells[at], "", "panels … and", p.Title, "overlap")
				cells[at] = p.Title
			}
		}
	}
	testkit.That(t, d.SchemaVersion >= 30 && len(d.Panels) >= 10 && len(d.Templating.List) == 5,
		"schema %d, %d panels, %d variables", d.SchemaVersion, len(d.Panels), len(d.Templating.List))
}
