package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/probe/app"
	"tokscope/probe/client"
	stored "tokscope/probe/history"
	"tokscope/probe/result"
	"tokscope/probe/session"
)

// measured are n requests of four series, one every 30 s, the last at to.
func measured(tb testing.TB, n int, to time.Time) []history.Entry {
	tb.Helper()
	out := make([]history.Entry, n)
	for i := range out {
		at := to.Add(-time.Duration(n-1-i) * 30 * time.Second)
		e := &out[i]
		*e = history.Entry{ID: fmt.Sprintf("%012x%020x", at.UnixMilli(), i), At: at, Kind: history.Watch,
			State: metrics.Done, N: 1, Version: "test",
			Series: history.Series{Machine: "here", Endpoint: fmt.Sprint("endpoint-", i%4), URL: "https://example.com/v1",
				Model: "m", Workload: "chat", Users: 1}}
		for f := range e.Figures {
			e.Figures[f] = metrics.Known(float64(100+f+i*7919%13), 1)
		}
	}
	return out
}

// historySession is a session with a folder of state, and the store in there as
// another process has it.
func historySession(t *testing.T) (*app.Session, *stored.Store) {
	t.Helper()
	dir := t.TempDir()
	f := testkit.Must(session.Create(dir, session.Options{Version: "test", Started: time.Now()}))(t)
	e := client.New(client.Options{})
	t.Cleanup(func() { e.Close(); _ = f.Close() })
	other := testkit.Must(stored.Open(stored.Dir(dir)))(t)
	stored := testkit.Must(stored.Open(stored.Dir(dir)))(t)
	return app.New(app.Options{Engine: e, File: f, Stored: stored, Version: "test"}), other
}

// TestHistoryOfASession checks that a session without a history has an empty one,
// that it sees what another process adds and sets, sets a baseline itself, and
// saves what was found.
func TestHistoryOfASession(t *testing.T) {
	ctx := context.Background()
	s, other := historySession(t)
	versions := map[uint64]bool{}
	version := func(what string) {
		t.Helper()
		v := s.HistoryVersion(ctx)
		testkit.That(t, !versions[v] && v == s.HistoryVersion(ctx),
			"%s: the version does not change, or changes without a reason", what)
		versions[v] = true
	}
	if v, err := s.HistoryView(ctx, history.Query{}); err != nil || v.All != 0 {
		t.Fatalf("at first: %+v, %v", v, err)
	}
	version("at first")
	now := time.Now().UTC()
	entries := measured(t, 100, now)
	testkit.OK(t, other.Append(entries[:99]...))
	version("99 entries")
	testkit.OK(t, other.Append(entries[99]))
	version("one more")
	v, err := s.HistoryView(ctx, history.Query{Filter: "endpoint:endpoint-3", Limit: 2})
	if err != nil || v.All != 100 || v.Matching != 25 || len(v.Entries) != 2 || len(v.Series) != 1 ||
		!v.Entries[0].At.Equal(entries[99].At) {
		t.Errorf("%+v, %v", v, err)
	}
	b, err := s.HistoryBaseline(ctx, history.Baseline{Name: "usual", Series: entries[0].Series, From: now.Add(-time.Hour),
		To: now.Add(time.Hour)})
	testkit.That(t, err == nil && b.N == 25 && b.Figures[history.TTFT].N == 25, "baseline %+v, %v", b, err)
	version("a baseline")
	if _, err := s.HistoryBaseline(ctx, history.Baseline{Name: "none", Series: entries[0].Series,
		From: now.Add(time.Hour), To: now.Add(2 * time.Hour)}); err == nil {
		t.Error("a baseline without a request")
	}
	if _, err := s.HistoryView(ctx, history.Query{Filter: "ttft>x"}); err == nil || !strings.Contains(err.Error(),
		"ttft>500") {
		t.Errorf("a wrong filter: %v", err)
	}
	path, err := s.HistorySave(ctx, history.Query{Filter: "endpoint:endpoint-3"})
	testkit.Given(t, err == nil && filepath.Dir(path) == filepath.Dir(s.SessionPath()), "%s, %v", path, err)
	data, err := os.ReadFile(path)
	var doc struct {
		Schema  string
		Filter  string
		Entries []struct{ ID string }
	}
	if err != nil || json.Unmarshal(data, &doc) != nil || doc.Schema != result.HistorySchema || len(doc.Entries) != 25 {
		t.Errorf("%v, saved %+v", err, doc)
	}
}

// TestHistoryWithoutAFolder checks that a session without a folder says why it has
// no history.
func TestHistoryWithoutAFolder(t *testing.T) {
	s, _ := open(t)
	_, err := s.HistoryView(context.Background(), history.Query{})
	testkit.That(t, err != nil && strings.Contains(err.Error(), "no folder"), "%v", err)
	testkit.Is(t, s.HistoryVersion(context.Background()), 0, "version")
}
