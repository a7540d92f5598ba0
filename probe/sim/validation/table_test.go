package validation

import (
	"cmp"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

var (
	showSealed = flag.Bool("sealed", false, "print the sealed rows one by one: for reading, not for developing")
	update     = flag.Bool("update", false, "write the summary into docs/embedded-endpoint.md")
)

// set is a group of rows whose figures are summed up together.
type set struct {
	name   string
	rows   []row
	sealed bool
	// limits are the promised medians of the absolute errors, by kind.
	limits map[string]float64
}

var sets = []set{
	{"developed", slices.Concat(rows, developed, prompts), false, map[string]float64{tpot: .08, throughput: .12,
		prefill: .12, loadedTTFT: .25}},
	{"sealed", slices.Concat(sealed, sealedPrompts), true, map[string]float64{tpot: .08, throughput: .12, prefill: .12,
		loadedTTFT: .25}},
	{"recent", recent, false, map[string]float64{tpot: .12, throughput: .15, loadedTTFT: .35}},
	{"features", features, false, map[string]float64{tpot: .25, throughput: .20, prefill: .35}},
	{"sealed features", sealedFeatures, true, map[string]float64{tpot: .25, throughput: .30}},
}

// kinds lists the kinds of figures that have a limit, in the order of the page.
var kinds = []string{tpot, throughput, prefill, loadedTTFT}

// line is a figure with its row.
type line struct {
	figure
	row *row
}

func (l line) String() string {
	name := l.row.id
	if l.row.draft != "" {
		name += "+" + l.row.draft
	}
	if l.row.derived {
		name += " (derived)"
	}
	if l.row.quant != "" {
		name += " " + l.row.quant
	}
	return fmt.Sprintf("%-34s %-9s %-24s %-11s %10.5g %10.4g %+6.0f%%", name, l.row.stack, load(l.row.load), l.unit,
		l.published, l.got, 100*l.err())
}

// summary is what the page says about a kind of figures.
type summary struct {
	n                   int
	median, bias, worst float64 // of the absolute errors, of the signed ones, the largest
}

func sumUp(lines []line) (s summary) {
	var abs, signed []float64
	for _, l := range lines {
		e := l.err()
		abs, signed = append(abs, math.Abs(e)), append(signed, e)
		if math.Abs(e) > math.Abs(s.worst) {
			s.worst = e
		}
	}
	slices.Sort(abs)
	slices.Sort(signed)
	if s.n = len(lines); s.n > 0 {
		s.median, s.bias = abs[s.n/2], signed[s.n/2]
	}
	return s
}

// TestPublishedMeasurements replays every row and compares the medians with
// what is promised, for the rows of the development and for the sealed ones. A
// short test replays a quarter of the rows and compares no median.
func TestPublishedMeasurements(t *testing.T) {
	began := time.Now()
	var table strings.Builder
	var all []line
	grouped := make([][]line, len(groups))
	sample := rand.New(rand.NewPCG(16, 4))
	for _, s := range sets {
		byKind := map[string][]line{}
		for i := range s.rows {
			r := &s.rows[i]
			if testing.Short() && (r.load.Requests > 300 || sample.IntN(4) > 0) {
				continue
			}
			worst := 0.0
			var lines []line
			for _, f := range replay(t, r) {
				l := line{f, r}
				if f.kind != otherTTFT {
					lines = append(lines, l)
				}
				worst = max(worst, math.Abs(f.err()))
				if !r.derived {
					byKind[f.kind] = append(byKind[f.kind], l)
				}
				if !s.sealed || *showSealed {
					fmt.Fprintln(&table, l)
					if !r.derived {
						all = append(all, l)
					}
				}
				testkit.That(t, math.Abs(f.err()) <= singleLimit || r.miss != "" || r.derived || s.sealed && !*showSealed,
					"%v: no reason is known", l)
			}
			if !s.sealed && !r.derived {
				byGroup(t, grouped, r, lines)
			}
			if r.miss != "" && worst <= singleLimit && !r.derived {
				t.Errorf("%s, %s has a reason for a miss, and misses nothing", r.id, load(r.load))
			}
		}
		for _, kind := range kinds {
			most, promised := s.limits[kind]
			if testing.Short() || !promised {
				continue // the sums of a sample are others
			}
			sum := sumUp(byKind[kind])
			fmt.Fprintf(&table, "%-15s %-29s median error %4.1f %% of %3d figures, bias %+3.0f %%, worst %+4.0f %%, limit "+
				"%.0f %%\n", s.name, kind, 100*sum.median, sum.n, 100*sum.bias, 100*sum.worst, 100*most)
			testkit.That(t, sum.median <= most,
				"%s, %s: median error %.1f %%, promised %.0f %%", s.name, kind, 100*sum.median, 100*most)
			checkPage(t, s.name, kind, sum, most)
		}
	}
	if !testing.Short() {
		fmt.Fprintf(&table, "developed rows and features, by kind:\n%s", checkGroups(t, grouped))
	}
	slices.SortFunc(all, func(a, b line) int { return cmp.Compare(math.Abs(b.err()), math.Abs(a.err())) })
	fmt.Fprintln(&table, "the worst ten, with their likely cause:")
	for _, l := range all[:min(10, len(all))] {
		fmt.Fprintf(&table, "%v  %s\n", l, l.row.miss)
	}
	t.Logf("replayed in %v\n%s", time.Since(began).Round(time.Millisecond), table.String())
}

// splitRule decides which new rows are sealed: one in three, by a hash of what
// was measured and of a seed. The results have no part in it.
func splitRule(r *row) bool {
	w := r.load
	how, n := "users", w.Users
	switch {
	case w.Burst:
		how, n = "burst", w.Requests
	case w.LockStep:
		how = "together"
	}
	h := fnv.New32a()
	fmt.Fprintf(h, "20261122 %s %s %s %d %d/%d %d", r.id, r.quant, how, n, w.Prompt, w.Output, r.budget)
	if r.draft != "" {
		fmt.Fprintf(h, " %s", r.draft)
	}
	return h.Sum32()%3 == 0
}

func TestTheSealedThirdWasChosenByTheRule(t *testing.T) {
	for _, list := range [][]row{developed, prompts, features} {
		for i := range list {
			if splitRule(&list[i]) {
				t.Errorf("%s, %s belongs to the sealed rows", list[i].id, load(list[i].load))
			}
		}
	}
	for _, list := range [][]row{sealed, sealedPrompts, sealedFeatures} {
		for i := range list {
			if !splitRule(&list[i]) {
				t.Errorf("%s, %s does not belong to the sealed rows", list[i].id, load(list[i].load))
			}
		}
	}
}

const page = "../../../docs/embedded-endpoint.md"

// checkPage checks that the page about the endpoint agrees with the replay,
// within half a percentage point: other processors round differently.
func checkPage(t *testing.T, set, kind string, s summary, limit float64) {
	t.Helper()
	text := testkit.Must(os.ReadFile(page))(t)
	head := "\n| " + kind + " | " + set + " | "
	before, rest, ok := strings.Cut(string(text), head)
	if *update && ok {
		_, after, _ := strings.Cut(rest, "\n")
		l := fmt.Sprintf("%d | %.1f %% | %+.0f %% | %+.0f %% | %.0f %% |\n", s.n, 100*s.median, 100*s.bias, 100*s.worst,
			100*limit)
		testkit.OK(t, os.WriteFile(page, []byte(before+head+l+after), 0o644))
		return
	}
	var n int
	var median, bias, worst, l float64
	if _, err := fmt.Sscanf(rest, "%d | %f %% | %f %% | %f %% | %f %%", &n, &median, &bias, &worst, &l); !ok ||
		err != nil {
		t.Errorf("the page has no line for %s, %s: %v", kind, set, err)
		return
	}
	off := func(page, here float64) bool { return math.Abs(page-100*here) > 0.55 }
	if n != s.n || off(median, s.median) || off(bias, s.bias) || off(worst, s.worst) || off(l, limit) {
		t.Errorf("%s, %s: the page says %d figures, median %v %%, bias %v %%, worst %v %%, limit %v %%; it is %d, %.1f "+
			"%%, %.0f %%, %.0f %%, %.0f %%",
			kind, set, n, median, bias, worst, l, s.n, 100*s.median, 100*s.bias, 100*s.worst, 100*limit)
	}
}
