package app_test

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/app"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/result"
	"tokscope/probe/session"
	"tokscope/probe/sim"
)

func TestMain(m *testing.M) {
	probetest.WaitTogether(3)
	goleak.VerifyTestMain(m)
}

// open returns a session on the embedded endpoint that records into a folder
// of the test.
func open(t *testing.T) (*app.Session, *session.File) {
	t.Helper()
	srv := testkit.Must(sim.Start(sim.Options{}))(t)
	f := testkit.Must(session.Create(t.TempDir(), session.Options{Version: "test", Started: time.Now()}))(t)
	e := client.New(client.Options{})
	e.AddSink(f)
	demo := func(model string) (endpoint.Target, error) {
		return endpoint.Target{
			Endpoint: metrics.Endpoint{Kind: metrics.EndpointEmbedded, Name: "demo", URL: srv.URL(),
				Model: cmp.Or(model, sim.DefaultModel), Note: "of " + model, Ready: true},
			Auth: endpoint.AuthNone, Server: "tokscope",
		}, nil
	}
	target, _ := demo("")
	s := app.New(app.Options{
		Engine: e, Resolver: &endpoint.Resolver{Env: func(string) string { return "" }}, Target: target, File: f,
		Embedded: demo, Version: "test",
	})
	t.Cleanup(func() {
		s.Stop()
		s.Wait()
		e.Close()
		testkit.Is(t, f.Close(), nil)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		testkit.Is(t, srv.Close(ctx), nil)
	})
	return s, f
}

// until waits for the session to tell of a change that makes ok true.
func until(t *testing.T, changed <-chan struct{}, ok func() bool) {
	t.Helper()
	for limit := time.After(20 * time.Second); !ok(); {
		select {
		case <-changed:
		case <-limit:
			t.Fatal("it never came")
		}
	}
}

// A new Begin cancels the running request. Both are kept as runs, in order,
// with a notification each.
func TestBeginCancelsTheOneBefore(t *testing.T) {
	s, _ := open(t)
	changed := make(chan struct{}, 100)
	s.SetNotify(func() { changed <- struct{}{} })
	v := s.Snapshot()
	testkit.That(t, v.State == metrics.Idle && !v.Marks.Sent.Known(), "before any request: %v", v.State)
	s.Begin(metrics.Workload{Prompt: "a", MaxTokens: 4000})
	before := s.Version()
	s.Begin(metrics.Workload{Prompt: "b", MaxTokens: 3})
	until(t, changed, func() bool { return len(s.Runs()) == 2 })
	testkit.That(t, s.Version() != before, "the version did not change")
	if a, b := s.Runs()[0].Stream, s.Runs()[1].Stream; a.State != metrics.Cancelled || b.State != metrics.Done ||
		b.Work.Prompt != "b" {
		t.Errorf("runs: %v and %v", a.State, b.State)
	}
	testkit.Is(t, s.Snapshot().State, metrics.Done, "the last stream stays on view")
}

// SaveScreen writes a picture and a text beside the recording, each time under
// another name, readable by their owner alone.
func TestSaveScreen(t *testing.T) {
	s, f := open(t)
	began := time.Now().UTC().Truncate(time.Millisecond)
	path, err := s.SaveScreen(t.Context(), "live", []byte("<svg/>"), []byte("text"))
	testkit.OK(t, err)
	var at time.Time
	if stem, ok := strings.CutSuffix(filepath.Base(path), "Z-live.svg"); ok {
		at, err = time.Parse("screen-20060102-150405.000", stem)
	}
	if err != nil || filepath.Dir(path) != filepath.Dir(f.Path()) || at.Before(began) || at.After(time.Now()) {
		t.Errorf("saved to %s at %v: %v", path, at, err)
	}
	for file, want := range map[string]string{path: "<svg/>", strings.TrimSuffix(path, ".svg") + ".txt": "text"} {
		data, err := os.ReadFile(file)
		info, statErr := os.Stat(file)
		if err != nil || statErr != nil || string(data) != want {
			t.Errorf("%s holds %q: %v", file, data, err)
		} else if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v", file, info.Mode())
		}
	}
}

// What is written beside the recording follows no link that was planted there.
func TestSavedFilesFollowNoLink(t *testing.T) {
	s, f := open(t)
	beside := strings.TrimSuffix(f.Path(), ".ndjson") + ".json"
	victim := filepath.Join(t.TempDir(), "victim")
	testkit.OK(t, os.WriteFile(victim, []byte("of another"), 0o600))
	text := strings.TrimSuffix(beside, ".json") + ".md"
	for _, name := range []string{text, text + ".part", beside + ".part"} {
		if err := os.Symlink(victim, name); err != nil {
			t.Skip(err)
		}
	}
	got, err := s.SaveText(t.Context(), beside, ".md", []byte("ours"))
	if data, readErr := os.ReadFile(text); got != text || err != nil || readErr != nil || string(data) != "ours" {
		t.Errorf("saved to %s, %v: it holds %q, %v", got, err, data, readErr)
	}
	if data, err := os.ReadFile(victim); err != nil || string(data) != "of another" {
		t.Errorf("the file behind the links holds %q, %v", data, err)
	}
}

// Save writes a document beside the recording, in which a cold and a warm request have
// a summary of their own; before any run it returns an error.
func TestSave(t *testing.T) {
	s, f := open(t)
	if _, err := s.Save(context.Background()); err == nil || !strings.Contains(err.Error(), "nothing to save") {
		t.Errorf("saving nothing: %v", err)
	}
	changed := make(chan struct{}, 100)
	s.SetNotify(func() { changed <- struct{}{} })
	for i, c := range []metrics.Reuse{metrics.ReuseCold, metrics.ReuseWarm} {
		s.Begin(metrics.Workload{Prompt: "a", MaxTokens: 3, Connection: c})
		until(t, changed, func() bool { return len(s.Runs()) == i+1 })
	}
	path := testkit.Must(s.Save(context.Background()))(t)
	if path == f.Path() || s.SessionPath() != f.Path() {
		t.Errorf("saved to %s, recorded in %s", path, s.SessionPath())
	}
	data := testkit.Must(os.ReadFile(path))(t)
	var doc result.Document
	if err := result.Unmarshal(data, &doc); err != nil || doc.Schema != result.ResultSchema || len(doc.Requests) != 2 ||
		len(doc.Groups) != 2 || doc.Summary.TTFT.N != 1 {
		t.Errorf("%v: schema %q, %d requests, %d groups, a TTFT of %d requests", err, doc.Schema, len(doc.Requests),
			len(doc.Groups), doc.Summary.TTFT.N)
	}

	// What cannot be saved leaves nothing half: a folder is in its place.
	testkit.OK(t, os.Remove(path))
	testkit.OK(t, os.Mkdir(path, 0o700))
	if _, err := s.Save(context.Background()); err == nil || !strings.Contains(err.Error(), "save the result") {
		t.Errorf("saved over a folder: %v", err)
	}
	if _, err := os.Stat(path + ".part"); err == nil {
		t.Error("half a document was left")
	}
}

// The embedded endpoint is in the list, lists its models, and takes another
// one for the next request.
func TestChooseAnotherModel(t *testing.T) {
	s, _ := open(t)
	list := s.Endpoints(context.Background())
	testkit.Given(t, len(list) != 0 && list[0].Kind == metrics.EndpointEmbedded, "endpoints: %+v", list)
	models, err := s.Models(context.Background(), list[0])
	testkit.Given(t, err == nil && len(models) >= 2, "models %v: %v", models, err)
	e := list[0]
	e.Model = models[1]
	testkit.OK(t, s.Select(e))
	testkit.Is(t, s.Endpoint().Model, models[1], "model … after choosing")
	if got := s.Endpoint().Note; got == "" || got == list[0].Note {
		t.Errorf("%s has the note %q", models[1], got)
	}
	if err := s.Select(metrics.Endpoint{Kind: metrics.EndpointURL, URL: "ftp://nowhere"}); err == nil {
		t.Error("a URL of another scheme was taken")
	}
	testkit.Is(t, s.Endpoint().Model, models[1], "a refused choice changed the endpoint")
}
