package figures

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/metrics/testkit/example"
	"tokscope/metrics/watchstat"
	"tokscope/probe/session"
	"tokscope/ui/html"
	"tokscope/ui/report"
)

// fill sets all strings that v holds.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem(), text)
		}
	case reflect.Slice:
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type().PkgPath() != "time" {
				fill(v.Field(i), text)
			}
		}
	}
}

// sweep is a load with a point for each number of users.
func sweep() report.Sweep {
	r := report.Sweep{Plan: loadstat.SweepPlan{Users: []int{1, 8, 64}, Prompts: []string{"a", "b"}, Resume: "a file"}}
	r.ServerMetrics, r.Endpoint = "http://a/metrics", metrics.Endpoint{Name: "a", Model: "b", URL: "http://a"}
	r.View.Faults = []metrics.FaultCount{{Kind: metrics.FaultHTTP, N: 1}}
	for _, n := range r.Plan.Users {
		r.Steps = append(r.Steps, loadstat.SweepStep{Point: loadstat.Point{Users: n, Steady: n < 64, Requests: 40,
			Speed: metrics.Known(150/float64(n), 40), Total: metrics.Known(float64(100*n), 0),
			TTFT: metrics.Distribution([]float64{10, 20, 30 * float64(n)})}})
	}
	return r
}

// compared are the probes of two times.
func compared() *comparison.Comparison {
	sides := [2]*comparison.Sample{}
	for k := range sides {
		s := &comparison.Sample{Source: "a file", Kind: comparison.KindProbe, Machines: []string{"here"}}
		g := s.Of(comparison.Setup{Model: "m", Workload: "chat", Settings: "a=b", Users: 1})
		for i := range 12 {
			e := example.Probe(time.Unix(1.8e9, 0), i+30*k)
			e.State = metrics.Done
			g.Add(&e)
		}
		sides[k] = s
	}
	return comparison.Compare(sides[0], sides[1], nil)
}

// pages writes each kind of page, with strings as edit leaves them.
func pages(t *testing.T, edit func(any) any) map[string]string {
	t.Helper()
	out := map[string]string{}
	write := func(kind string, p *html.Page) {
		var b strings.Builder
		testkit.OK(t, p.Write(&b))
		out[kind] = b.String()
	}
	load := sweep()
	r := edit(load).(report.Sweep)
	write("load", html.Load(&r, r.Doc(false)))
	deep := load
	deep.Depth = &loadstat.DepthOutcome{Endpoint: load.Endpoint, Rows: []loadstat.DepthRow{{Depth: 1000,
		Cold: loadstat.DepthSide{TTFT: metrics.Known(40, 3)}}, {Depth: 4000}}}
	r = edit(deep).(report.Sweep)
	write("depth", html.Load(&r, r.Doc(false)))
	for kind, race := range map[string]*racestat.View{"race": example.Race(3, 9, nil),
		"swap": example.Swap(2, example.Order, 12, nil)} {
		v := edit(*race).(racestat.View)
		write(kind, html.Race(&v, report.Race(&v, report.Origin{}, false)))
	}
	c := edit(compared()).(*comparison.Comparison)
	write("compare", html.Compare(c, report.Compare(c, report.Origin{}, false)))
	h := edit(*example.History()).(history.View)
	now := make([]watchstat.View, len(h.Series))
	write("history", html.History(html.Found{View: h, Now: now}))
	return out
}

// evil breaks out of a page that writes it as it is.
const evil = "</script></style></svg><img src=x onerror=alert(1)>\u2028\u202e\x1b[31m\"'`<!-- 7"

var (
	tag    = regexp.MustCompile(`<[!/]?[a-zA-Z0-9]+`)
	number = regexp.MustCompile(`<td class="n">[^<]*</td>|<circle[^>]*>|d="M[^"]*"`)
)

// Strings of a measurement, whatever they say, are on no page without texts, and are no markup on
// one with them; numbers and curves are the same on both.
func TestPagesOfEachKind(t *testing.T) {
	filled := func(text string, texts bool) map[string]string {
		return pages(t, func(v any) any {
			own := reflect.New(reflect.TypeOf(v)).Elem()
			own.Set(reflect.ValueOf(v))
			if text != "" {
				fill(own, text)
			}
			return session.ForPage(own.Interface(), texts)
		})
	}
	tags := func(page string) []string {
		all := tag.FindAllString(page, -1)
		slices.Sort(all)
		return slices.Compact(all)
	}
	bare, full, own := filled("Secret 7", false), filled(evil, true), filled("", true)
	harmless, short := filled("harmless 7", true), filled("", false)
	for kind, page := range bare {
		testkit.That(t, !strings.Contains(page, "Secret"), "%s: a string is on the page", kind)
		testkit.Has(t, full[kind], "&lt;img src=x onerror=alert(1)&gt;")
		testkit.Same(t, tags(full[kind]), tags(harmless[kind]), kind, "tags")
		testkit.That(t, !strings.ContainsAny(full[kind], "\u2028\u202e\x1b"), "%s: a control is on the page", kind)
		testkit.Same(t, number.FindAllString(own[kind], -1), number.FindAllString(short[kind], -1), kind, "numbers")
		testkit.Has(t, page, "<svg")
		sentence, _, _ := strings.Cut(short[kind], "</h1>")
		testkit.That(t, !strings.Contains(sentence, "▒"), "%s: the sentence lacks words", kind)
		testkit.That(t, len(page) < 150_000, "%s: %d bytes", kind, len(page))
	}
	testkit.Is(t, strings.Count(bare["race"], "h0"), 2*2*3*8,
		"dots of two charts in two sizes: eight pairs of three lanes")
}

// TestPagesOfLongHistories: of many series as many are drawn as a page has room for, and it says so.
func TestPagesOfLongHistories(t *testing.T) {
	v := *example.History()
	for range 40 {
		v.Series[0].Slots = append(v.Series[0].Slots, v.Series[0].Slots[:40]...)
	}
	v.Series = slices.Repeat(v.Series[:1], 50)
	now := make([]watchstat.View, 50)
	var b strings.Builder
	testkit.OK(t, html.History(html.Found{View: v, Now: now}).Write(&b))
	testkit.Has(t, b.String(), "Of 50 series, the charts show those measured last")
	testkit.That(t, b.Len() < 300_000, "%d bytes", b.Len())
}
