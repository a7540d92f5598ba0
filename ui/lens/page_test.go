package lens

import (
	"os"
	"strings"
	"testing"

	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/ui/say"
	"tokscope/ui/uitest/golden"
)

// The page of the budgets is made from them, so that both stay equal.
func TestPageOfTheBudgets(t *testing.T) {
	const path, begin, end = "../../docs/lens.md", "<!-- budgets -->\n", "<!-- end -->"
	data := testkit.Must(os.ReadFile(path))(t)
	head, rest, ok := strings.Cut(string(data), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the budgets", path)
	}
	var b strings.Builder
	b.WriteString("| use | figure | budget | why | source |\n|---|---|---|---|---|\n")
	for _, l := range slo.Lenses() {
		name := "**" + l.Key + "**: " + say.LensAbout(l.Key)
		for _, x := range l.Budgets {
			limit := "no limit"
			if x.Limit > 0 {
				limit = limitText(x)
			}
			why, source := say.LensBudget(&x)
			b.WriteString("| " + name + " | " + say.LensLabel(x.Metric) + " | " + limit + " | " + why + " | " + source + " |\n")
			name = ""
		}
	}
	golden.File(t, path, head+begin+b.String()+end+tail)
}

// The page lists exactly the objectives that can be typed.
func TestPageOfTheObjectives(t *testing.T) {
	page := testkit.Must(os.ReadFile("../../docs/lens.md"))(t)
	for _, l := range slo.Lenses() {
		var parts []string
		for _, o := range l.SLOs() {
			parts = append(parts, o.String())
		}
		if text := "`" + strings.Join(parts, ",") + "`"; len(parts) > 0 && !strings.Contains(string(page), text) {
			t.Errorf("the objectives of %s, %s, are not on the page", l.Key, text)
		}
	}
}

func limitText(b slo.LensBudget) string {
	sign := "≤ "
	if b.AtLeast {
		sign = "≥ "
	}
	return sign + say.LensLimit(b.Metric, b.Limit)
}
