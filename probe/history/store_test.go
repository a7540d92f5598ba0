package history

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
)

// t0 is the first moment of the tests.
var t0 = time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)

// idAt returns the ID of entry n at that moment.
func idAt(at time.Time, n int) string {
	return fmt.Sprintf("%012x%020x", at.Sub(time.Unix(0, 0)).Milliseconds(), n)
}

// sample returns entry n of a series, measured at that moment with that TTFT.
func sample(n int, at time.Time, endpoint string, ttft float64) history.Entry {
	e := history.Entry{
		ID: idAt(at, n), At: at, Kind: history.Probe, Group: "g1", State: metrics.Done, N: 1, Version: "v1",
		Series: history.Series{Machine: "m1", Endpoint: endpoint, URL: "https://" + endpoint + ".example/v1",
			Model: "llama", Workload: "chat", MaxTokens: 200, Proto: "HTTP/1.1", Users: 1},
		Answered: "llama-1", Prompt: metrics.Known(31, 1), Output: metrics.Known(200, 1), Session: "/s/1.ndjson",
		Request: n + 1,
	}
	for f := range e.Figures {
		e.Figures[f] = metrics.Unknown(metrics.WhyUnreported)
	}
	e.Figures[history.TTFT] = metrics.Known(ttft, 1)
	e.Figures[history.TPOT] = metrics.Known(7+float64(n%5)/10, 1)
	e.Figures[history.TLS] = metrics.Unknown(metrics.Needs(20))
	return e
}

// opened returns a store in a new folder, whose clock stands at now.
func opened(t testing.TB, now time.Time) *Store {
	t.Helper()
	return openedAt(t, filepath.Join(t.TempDir(), "history"), now)
}

func openedAt(t testing.TB, dir string, now time.Time) *Store {
	t.Helper()
	s := testkit.Must(Open(dir))(t)
	s.Machine, s.Now = "m1", func() time.Time { return now }
	return s
}

func view(t testing.TB, s *Store, q history.Query) history.View {
	t.Helper()
	v := testkit.Must(s.View(q))(t)
	return v
}

func add(t testing.TB, s *Store, entries ...history.Entry) {
	t.Helper()
	testkit.OK(t, s.Append(entries...))
}

// TestEntriesComeBack holds that an entry is read as it was written, from the
// lines and from the index, by this process and by another.
func TestEntriesComeBack(t *testing.T) {
	s := opened(t, t0)
	want := []history.Entry{sample(0, t0, "groq", 270.25), sample(1, t0.Add(time.Minute), "other", 280)}
	failed := sample(2, t0.Add(2*time.Minute), "groq", 0)
	failed.State, failed.Fault, failed.Status, failed.Failed = metrics.Failed, metrics.FaultRateLimit, 429, 1
	failed.Figures[history.TTFT] = metrics.Unknown(metrics.WhyNoChunkEnd)
	failed.Suspect = true
	want = append(want, failed)
	want[0].Unended, want[1].Unended = metrics.SuspectLeftOpen, metrics.SuspectCutOff
	add(t, s, want...)
	q := history.Query{Sort: "at"}
	testkit.Same(t, view(t, s, q).Entries, want, "the same process reads something else")
	testkit.OK(t, indexed(s))
	other := openedAt(t, s.dir, t0)
	v := view(t, other, q)
	testkit.Same(t, v.Entries, want, "the index holds something else")
	testkit.That(t, other.indexed != 0, "the index was not used")
	if v.All != 3 || v.Matching != 3 || !v.Since.Equal(t0) || len(v.Series) != 2 ||
		v.Series[0].Series.Endpoint != "groq" || v.Series[0].N != 2 || v.Series[0].Failed != 1 {
		t.Errorf("view: %+v", v)
	}
	if q := v.Series[0].Slots[0].Figures[history.TTFT]; q.N != 1 || q.P50 != 270.25 {
		t.Errorf("first slot: %+v", q)
	}
	add(t, s, sample(3, t0.Add(time.Hour), "groq", 300))
	if v := view(t, other, history.Query{}); v.All != 4 || v.Entries[0].Figures[history.TTFT].V != 300 {
		t.Errorf("another process sees %d entries", v.All)
	}
	info, err := os.Stat(s.Path())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(s.dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestDoublesAndOrder holds that an entry that is there twice is read once, and
// that late ones come into the order of time.
func TestDoublesAndOrder(t *testing.T) {
	random := testkit.Rand(t, 1)
	s := opened(t, t0)
	var want []history.Entry
	for n := range 200 {
		want = append(want, sample(n, t0.Add(time.Duration(n)*17*time.Second), []string{"a", "b", "c"}[n%3],
			200+random.Float64()))
	}
	mixed := append([]history.Entry{}, want...)
	random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	for len(mixed) > 0 {
		n := min(1+random.IntN(20), len(mixed))
		add(t, s, mixed[:n]...)
		if random.IntN(2) == 0 {
			add(t, s, mixed[0])
			view(t, s, history.Query{})
		}
		mixed = mixed[n:]
	}
	fresh := openedAt(t, s.dir, t0)
	for _, store := range []*Store{s, fresh} {
		v := view(t, store, history.Query{Sort: "at"})
		if d := cmp.Diff(want, v.Entries); d != "" {
			t.Fatal(d)
		}
	}
	if d := cmp.Diff(view(t, fresh, history.Query{}).Series, view(t, s, history.Query{}).Series); d != "" {
		t.Error("slots depend on the order of writing:", d)
	}
}

// BenchmarkHistory100000 opens a store of 100,000 entries, and shows parts of it.
func BenchmarkHistory100000(b *testing.B) {
	s := opened(b, t0.Add(40*24*time.Hour))
	fill(b, s, 100_000)
	b.Run("Open", func(b *testing.B) {
		for b.Loop() {
			view(b, openedAt(b, s.dir, s.Now()), history.Query{Limit: 50})
		}
	})
	b.Run("View", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n = (n + 1) % 99_000
			view(b, s, history.Query{Offset: n, Limit: 50})
		}
	})
	b.Run("Filter", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			view(b, s, history.Query{Filter: fmt.Sprintf("ttft>%d sort:-ttft", 200+n%50), Limit: 50})
		}
	})
	b.Run("Usual", func(b *testing.B) {
		v := metrics.Stream{Wall: s.Now(), Work: metrics.Workload{Name: "chat", MaxTokens: 200},
			Endpoint: metrics.Endpoint{Name: "endpoint1", URL: "https://endpoint1.example/v1", Model: "llama"}}
		v.Conn.Proto = "HTTP/1.1"
		v.Marks.Start, v.Marks.Sent = 1, 1
		for b.Loop() {
			if u := s.Usual(&v); u.TTFT.N != metrics.MostUsual {
				b.Fatalf("%+v", u)
			}
		}
	})
}

// fill writes n entries of ten series, and the index.
func fill(t testing.TB, s *Store, n int) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	var batch []history.Entry
	for i := range n {
		e := sample(i, t0.Add(time.Duration(i)*30*time.Second), fmt.Sprintf("endpoint%d", i%10), 250+20*random.NormFloat64())
		for f := range history.Figure(history.NumFigures) {
			if f != history.Throughput && f != history.TTFT {
				e.Figures[f] = metrics.Known(10+random.Float64(), 1)
			}
		}
		batch = append(batch, e)
		if len(batch) == 10_000 || i == n-1 {
			add(t, s, batch...)
			batch = batch[:0]
		}
	}
	testkit.OK(t, indexed(s))
}

// indexed reads what is new, and writes the index of all.
func indexed(s *Store) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return err
	}
	unlock, err := s.lock(lockWithin)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.refresh(); err != nil { // another process may have rewritten the file
		return err
	}
	return s.writeIndex()
}
