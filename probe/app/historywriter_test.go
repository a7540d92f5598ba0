package app_test

import (
	"context"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/probe/app"
	stored "tokscope/probe/history"
	"tokscope/probe/probetest"
)

// secretPrompt must not be in the history.
const secretPrompt = "the-secret-of-the-prompt: count to nine"

var shortWork = metrics.Workload{Name: "custom", Prompt: secretPrompt, MaxTokens: 4}

// measuring opens the program on the embedded endpoint, with its state in dir.
func measuring(t *testing.T, dir string, changed map[string]string) *app.App {
	t.Helper()
	all := map[string]string{"state-dir": dir}
	for k, v := range changed {
		all[k] = v
	}
	a, err := app.Open(t.Context(), app.CommandLine{
		Version: "test", Changed: all, Env: func(n string) string { return map[string]string{"XDG_CONFIG_HOME": dir}[n] },
	})
	testkit.OK(t, err)
	return a
}

// kept returns what the history in dir holds, oldest first.
func kept(t *testing.T, dir string) history.View {
	t.Helper()
	s := testkit.Must(stored.Open(stored.Dir(dir)))(t)
	v := testkit.Must(s.View(history.Query{Sort: "at"}))(t)
	return v
}

// TestHistoryOfProbeAndLive holds that requests of a probe and of Live come into
// the history with the figures that were shown, without their prompt, and that the
// session file, imported, adds nothing.
func TestHistoryOfProbeAndLive(t *testing.T) {
	t.Parallel() // most of it is waiting
	dir := t.TempDir()
	a := measuring(t, dir, nil)
	runs := a.Probe(t.Context(), loadstat.ProbePlan{Work: shortWork, Requests: 3, Concurrency: 1})
	s := a.Session()
	ended := make(chan struct{}, 8)
	s.SetNotify(func() { ended <- struct{}{} })
	s.Begin(shortWork)
	for len(s.Runs()) == 0 {
		<-ended
	}
	runs = append(runs, s.Runs()...)
	s.Wait()
	path := a.Path()
	testkit.OK(t, a.Close())
	v := kept(t, dir)
	testkit.Need(t, v.All, 4, "the history has … entries")
	for i, e := range v.Entries {
		f := &runs[i].Figures
		for _, x := range []struct {
			figure history.Figure
			v      metrics.Value
		}{
			{history.TTFB, f.TTFB}, {history.TTFT, f.TTFT}, {history.TTFC, f.TTFC}, {history.TPOT, f.TPOT},
			{history.Longest, f.Longest}, {history.Total, f.Total},
			{history.Speed, f.Speed}, {history.DNS, f.DNS}, {history.TCP, f.TCP}, {history.TLS, f.TLS},
		} {
			got := e.Figures[x.figure]
			if got.OK != x.v.OK || got.OK && math.Abs(got.V-x.v.V) > 1e-9*x.v.V || !got.OK && got.Why != x.v.Why {
				t.Errorf("entry %d, %s: %+v, measured %+v", i, x.figure, got, x.v)
			}
		}
		kind := history.Probe
		if i == 3 {
			kind = history.Run
		}
		if e.Kind != kind || e.State != metrics.Done || e.Series.Workload != "custom" || e.Series.Prompt == "" ||
			e.Series.URL != "" || e.Series.Endpoint != "demo" ||
			e.Session != path || e.Request != i+1 || e.Version != "test" || e.N != 1 || e.Series.Model == "" ||
			e.Series.Proto == "" || e.Group == "" {
			t.Errorf("entry %d: %+v", i, e)
		}
	}
	testkit.That(t, v.Entries[0].Group == v.Entries[2].Group && v.Entries[2].Group != v.Entries[3].Group,
		"a group is one invocation")
	err := filepath.WalkDir(stored.Dir(dir), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		testkit.That(t, !strings.Contains(string(data), "secret"), "%s holds the prompt", path)
		return err
	})
	testkit.OK(t, err)
	f := testkit.Must(os.Open(path))(t)
	defer func() { _ = f.Close() }()
	store := testkit.Must(stored.Open(stored.Dir(dir)))(t)
	if in, err := store.Import(f, stored.ImportOptions{Machine: store.Machine}); err != nil || in.Entries != 4 ||
		in.New != 0 {
		t.Errorf("importing the session file: %+v, %v", in, err)
	}
}

// TestHistoryOfRaceLoadAndSweep holds that requests of a race, points of a load and
// steps of a sweep come into the history.
func TestHistoryOfRaceLoadAndSweep(t *testing.T) {
	t.Parallel() // most of it is waiting
	probetest.TakesTime(t, "a load needs a second until its first point")
	dir := t.TempDir()
	a := measuring(t, dir, map[string]string{"record": "false", "history": "true"})
	s := a.Session()
	testkit.OK(t, s.RaceSet(racestat.Contest{Targets: []string{"llama-3.1-8b@h100", "llama-3.1-8b-q4@m3max"}}))
	testkit.OK(t, s.RaceStart(racestat.Plan{Work: shortWork, Bounds: racestat.Bounds{Pairs: 1}, Endless: true}, nil))
	s.RaceWait(t.Context())
	testkit.Must(s.LoadStart(shortWork, 2))(t)
	// A window is kept from a second on. It begins anew at the end of the warm-up.
	for v := s.LoadView(); v.Done < 4 || v.Live.Warmup || v.Live.To-v.Live.From < 1e9; v = s.LoadView() {
		time.Sleep(time.Millisecond)
	}
	s.LoadStop()
	s.Wait()
	sweep := testkit.Must(a.Sweep(loadstat.SweepPlan{Work: shortWork, Users: []int{1}, Requests: 3}))(t)
	testkit.Must(sweep.Run(context.Background()))(t)
	testkit.OK(t, errorOf(sweep.Close(), a.Close()))
	count, groups := map[history.Kind]int{}, map[string]bool{}
	for _, e := range kept(t, dir).Entries {
		count[e.Kind]++
		groups[e.Group] = true
		if e.Kind == history.Point && (e.N < 3 || e.Series.Users < 1 || !e.Figures[history.Throughput].OK &&
			e.Figures[history.Throughput].Why == 0) {
			t.Errorf("a point: %+v", e)
		}
		testkit.That(t, e.Session == "" && e.Request == 0, "nothing was recorded")
	}
	testkit.That(t, count[history.Race] == 4 && count[history.Point] == 2 && len(groups) == 3,
		"entries %v of %d groups", count, len(groups))
}

// TestPointsHaveTheModelThatWasFound holds that a sweep of an endpoint that is named
// without a model keeps its points under the model that the requests found.
func TestPointsHaveTheModelThatWasFound(t *testing.T) {
	t.Parallel() // most of it is waiting
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			io.WriteString(w, `{"object":"list","data":[{"id":"found","object":"model"}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	dir := t.TempDir()
	a, err := app.Open(t.Context(), app.CommandLine{
		Version: "test", Target: server.URL + "/v1", Changed: map[string]string{"state-dir": dir},
		Env: func(string) string { return "" },
	})
	testkit.OK(t, err)
	sweep := testkit.Must(a.Sweep(loadstat.SweepPlan{Work: shortWork, Users: []int{1}, Requests: 3}))(t)
	out, err := sweep.Run(context.Background())
	testkit.Given(t, err == nil && out.Endpoint.Model == "found", "the sweep is of %+v, %v", out.Endpoint, err)
	testkit.OK(t, errorOf(sweep.Close(), a.Close()))
	list := kept(t, dir).Entries
	testkit.That(t, len(list) == 1 && list[0].Series.Model == "found", "%+v", list)
}

func errorOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestNoHistory holds that nothing is kept where nothing shall be.
func TestNoHistory(t *testing.T) {
	for _, changed := range []map[string]string{{"history": "false"}, {"record": "false"}} {
		dir := t.TempDir()
		a := measuring(t, dir, changed)
		a.Probe(t.Context(), loadstat.ProbePlan{Work: shortWork, Requests: 1, Concurrency: 1})
		testkit.OK(t, a.Close())
		_, err := os.Stat(stored.Dir(dir))
		testkit.That(t, os.IsNotExist(err), "%v: the folder is there: %v", changed, err)
	}
}
