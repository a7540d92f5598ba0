package validation

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/physics"
)

// groups are the kinds of rows that the page has a line for. A row is in
// several. Sealed rows are in none: their errors stay unseen.
var groups = []struct {
	name string
	has  func(r *row, s *physics.Setup) bool
}{
	{"data center", func(r *row, s *physics.Setup) bool { return !apple(s) && !personal(s) }},
	{"GeForce, Radeon, Spark, Strix Halo", func(r *row, s *physics.Setup) bool { return personal(s) }},
	{"Apple", func(r *row, s *physics.Setup) bool { return apple(s) }},
	{"dense", func(r *row, s *physics.Setup) bool { return s.Model.Experts == 0 }},
	{"mixture of experts", func(r *row, s *physics.Setup) bool { return s.Model.Experts > 0 }},
	{"16 bits", func(r *row, s *physics.Setup) bool { return narrowest(s) >= 2 }},
	{"8 bits", func(r *row, s *physics.Setup) bool { return narrowest(s) < 2 && narrowest(s) >= 1 }},
	{"4 bits", func(r *row, s *physics.Setup) bool { return narrowest(s) < 1 }},
	{"one device", func(r *row, s *physics.Setup) bool { return s.TP == 1 }},
	{"tensor parallel", func(r *row, s *physics.Setup) bool { return s.TP > 1 && s.Sharing == physics.Tensor }},
	{"expert parallel", func(r *row, s *physics.Setup) bool { return s.Sharing == physics.Expert }},
	{"pipeline", func(r *row, s *physics.Setup) bool { return s.Sharing == physics.Pipeline }},
	{"drafts", func(r *row, s *physics.Setup) bool { return s.Draft != nil }},
	{"linear attention", func(r *row, s *physics.Setup) bool { return s.Model.Linear != nil }},
	{"windows of Gemma", func(r *row, s *physics.Setup) bool { return strings.HasPrefix(s.Model.Key, "gemma") }},
	{"fp8 cache on MI300X", func(r *row, s *physics.Setup) bool { return s.Hardware.Key == "mi300x" && s.KV == "fp8" }},
}

func apple(s *physics.Setup) bool { return s.Hardware.NoMatrix }

func personal(s *physics.Setup) bool {
	switch k := s.Hardware.Key; k {
	case "dgx-spark", "strixhalo", "rx7900xtx":
		return true
	default:
		return s.Hardware.FP16 > 0
	}
}

// narrowest returns the bytes of a parameter of the layers with the most of them.
func narrowest(s *physics.Setup) float64 {
	if s.Model.Experts > 0 {
		return s.Precision.Expert
	}
	return s.Precision.FFN
}

// byGroup adds the lines of a row to its groups.
func byGroup(t *testing.T, to [][]line, r *row, lines []line) {
	s := setup(t, r)
	for i, g := range groups {
		if g.has(r, s) {
			to[i] = append(to[i], lines...)
		}
	}
}

// checkGroups prints the sums of the groups and compares the page's lines with
// them, within a percentage point.
func checkGroups(t *testing.T, to [][]line) string {
	t.Helper()
	text := testkit.Must(os.ReadFile(page))(t)
	var out strings.Builder
	all := string(text)
	for i, g := range groups {
		s := sumUp(to[i])
		l := fmt.Sprintf("%d | %.0f %% | %+.0f %% | %+.0f %% |", s.n, 100*s.median, 100*s.bias, 100*s.worst)
		fmt.Fprintf(&out, "%-35s %s\n", g.name, l)
		head := "\n| " + g.name + " | "
		before, rest, ok := strings.Cut(all, head)
		if !ok {
			t.Errorf("the page has no line for %s", g.name)
			continue
		}
		_, after, _ := strings.Cut(rest, "\n")
		if *update {
			all = before + head + l + "\n" + after
			continue
		}
		var n int
		var median, bias, worst float64
		if _, err := fmt.Sscanf(rest, "%d | %f %% | %f %% | %f %% |", &n, &median, &bias, &worst); err != nil || n != s.n ||
			differs(median, s.median) || differs(bias, s.bias) || differs(worst, s.worst) {
			t.Errorf("%s: the page says %d figures, median %v %%, bias %v %%, worst %v %%; it is %s", g.name, n, median, bias,
				worst, l)
		}
	}
	if *update {
		testkit.OK(t, os.WriteFile(page, []byte(all), 0o644))
	}
	return out.String()
}

func differs(page, here float64) bool { return page-100*here > 1.1 || 100*here-page > 1.1 }
