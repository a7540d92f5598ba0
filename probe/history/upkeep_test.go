package history

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/result"
)

// shortCommand adds one entry and ends, as `tokscope probe -n 1` does.
func shortCommand(t *testing.T, s *Store, n int, at time.Time) {
	t.Helper()
	w := NewWriter(s, Source{Version: "v1"})
	w.add(sample(n, at, "groq", 270), &metrics.Workload{Name: "chat"}, "g")
	testkit.OK(t, w.Close(time.Minute))
}

// TestShortCommandsEndUpkeep holds that one short command on a store whose index is
// gone, whose file is too large, or both, leaves an index of all lines and a file within
// its bound, whatever the file holds beside good lines.
func TestShortCommandsEndUpkeep(t *testing.T) {
	for name, x := range map[string]struct {
		entries int
		share   int64 // of the file that it may have, in percent
		index   bool
		more    string // at the end of the file
	}{
		"no index":             {2000, 200, false, ""},
		"a little too large":   {1500, 95, true, ""},
		"five times too large": {2500, 20, false, ""},
		"damaged and newer":    {1200, 60, false, "nonsense\n{\"type\":\"entry\",\"v\":2}\n" + entryStart + "\n"},
		"a cut line":           {1200, 60, true, entryStart + "01"},
		"a line of megabytes":  {1200, 90, false, string(bytes.Repeat([]byte("x"), 3<<20)) + "\n"},
	} {
		now := t0.Add(40 * day)
		s := opened(t, now)
		fill(t, s, x.entries)
		f := testkit.Must(os.OpenFile(s.Path(), os.O_APPEND|os.O_WRONLY, 0))(t)
		testkit.Must(f.WriteString(x.more))(t)
		_ = f.Close()
		if !x.index {
			testkit.OK(t, os.Remove(s.path(indexName)))
		}
		info := testkit.Must(os.Stat(s.Path()))(t)
		bound := (info.Size() - int64(len(x.more))) * x.share / 100
		short := openedAt(t, s.dir, now)
		short.maxBytes = bound
		shortCommand(t, short, x.entries, now)
		if info = testkit.Must(os.Stat(s.Path()))(t); x.share < 100 && info.Size() > bound*3/4+2000 ||
			len(short.Notes()) != min(1, int(100/x.share)) {
			t.Errorf("%s: the file has %d bytes, bound %d", name, info.Size(), bound)
		}
		fresh := openedAt(t, s.dir, now)
		v := view(t, fresh, history.Query{Sort: "at"})
		testkit.That(t, fresh.offset-fresh.indexed <= indexAfter && fresh.indexed != 0,
			"%s: the index has %d of %d bytes", name, fresh.indexed, fresh.offset)
		if v.All+v.LeftOut != x.entries+1 || x.share < 100 && v.LeftOut == 0 || !v.Entries[v.All-1].At.Equal(now) {
			t.Errorf("%s: %d entries and %d left out, of %d", name, v.All, v.LeftOut, x.entries+1)
		}
		_ = os.Remove(s.path(indexName)) // the lines say the same
		lines := view(t, openedAt(t, s.dir, now), history.Query{Sort: "at"})
		if lines.All != v.All || lines.LeftOut != v.LeftOut || lines.Newer != v.Newer || lines.Damaged != v.Damaged {
			t.Errorf("%s: the index says %d, %d, %d, %d, the lines %d, %d, %d, %d", name, v.All, v.LeftOut, v.Newer,
				v.Damaged, lines.All, lines.LeftOut, lines.Newer, lines.Damaged)
		}
	}
}

// TestIndexGrowsInSteps holds that a command that ends in the middle of reading leaves
// an index of what it has read, from which the next one goes on.
func TestIndexGrowsInSteps(t *testing.T) {
	probetest.TakesTime(t, "4,000 entries are read again and again")
	now := t0.Add(40 * day)
	s := opened(t, now)
	fill(t, s, 4000)
	testkit.OK(t, os.Remove(s.path(indexName)))
	last, steps := int64(0), 0
	for {
		slow := openedAt(t, s.dir, now)
		slow.indexEvery = time.Nanosecond
		writes := 0
		slow.write = func(f *os.File, data []byte) (int, error) {
			if writes++; writes > 2 { // the program ends: some indexes came so far
				return 0, os.ErrClosed
			}
			return f.Write(data)
		}
		view(t, slow, history.Query{Limit: 1})
		fresh := openedAt(t, s.dir, now)
		fresh.mu.Lock()
		testkit.OK(t, fresh.checkHead(testkit.Must(os.Open(s.Path()))(t), slow.offset))
		at := fresh.indexed
		fresh.mu.Unlock()
		testkit.Given(t, at > last, "after %d commands the index has %d of %d bytes, as before", steps, at, slow.offset)
		last = at
		if steps++; slow.offset-at <= indexAfter {
			break
		}
	}
	v := view(t, openedAt(t, s.dir, now), history.Query{})
	testkit.That(t, steps >= 3 && v.All == 4000, "%d entries after %d commands", v.All, steps)
}

// TestRewritingLeavesAnIndex holds that what is removed leaves an index of the rest, in
// which no text of it stands, and that nobody replaces it by one of the file before.
func TestRewritingLeavesAnIndex(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round := range probetest.Cases(20, 5) {
		s := opened(t, t0.Add(day))
		n, gone := 30+random.IntN(200), 0
		for i := range n {
			e := sample(i, t0.Add(time.Duration(random.IntN(86400))*time.Second), []string{"groq", "private"}[random.IntN(2)],
				200+float64(i))
			if e.Series.Endpoint == "private" {
				gone++
				e.Group, e.Session, e.Answered = "private-group", "/private/1.ndjson", fmt.Sprint("private-", i)
			}
			add(t, s, e)
			if random.IntN(9) == 0 {
				add(t, s, e)
			}
		}
		before := openedAt(t, s.dir, t0.Add(day)) // another process
		view(t, before, history.Query{})
		want := view(t, s, history.Query{Filter: "endpoint:groq", Sort: "at"}).Entries
		removed, err := openedAt(t, s.dir, t0.Add(day)).Remove(history.Query{Filter: "endpoint:private"})
		testkit.Given(t, removed == gone && err == nil, "round %d: %d of %d removed, %v", round, removed, gone, err)
		before.mu.Lock()
		testkit.OK(t, before.saveIndex())
		before.mu.Unlock()
		for _, name := range []string{fileName, indexName} {
			data := testkit.Must(os.ReadFile(s.path(name)))(t)
			testkit.That(t, !bytes.Contains(data, []byte("private")), "round %d: %s has texts of what was removed", round, name)
		}
		fresh := openedAt(t, s.dir, t0.Add(day))
		v := view(t, fresh, history.Query{Sort: "at"})
		testkit.That(t, fresh.indexed == fresh.offset && fresh.indexed != 0,
			"round %d: the index has %d of %d bytes", round, fresh.indexed, fresh.offset)
		same := func(a, b history.Entry) bool { return a == b }
		testkit.Need(t, len(v.Entries), len(want), "round", round, "entries")
		for i := range want {
			testkit.That(t, same(v.Entries[i], want[i]), "round %d: entry %d is %+v, was %+v", round, i, v.Entries[i], want[i])
		}
	}
}

// TestLinesBeginAsWritten holds that the ID of an entry is found where keyOf looks, and
// that a line in another order is read as a whole.
func TestLinesBeginAsWritten(t *testing.T) {
	e := sample(7, t0, "groq", 270)
	line := testkit.Must(result.AppendHistoryLine(nil, &e))(t)
	want, _ := parseID(e.ID)
	for _, form := range []string{
		string(line), "  " + string(line), `{"v":1,"id":"` + e.ID + `",` + string(line[len(entryStart)+34:len(line)-2]) +
			`,"type":"entry"}`,
	} {
		if key, kind := keyOf([]byte(form)); key != want || kind != lineEntry {
			t.Errorf("%.80s: %x, kind %d", form, key, kind)
		}
	}
	testkit.That(t, bytes.HasPrefix(line, []byte(entryStart)), "a line begins with %.60s", line)
	for text, want := range map[string]lineKind{
		entryStart: lineDamaged, entryStart + "xyz\"}": lineDamaged, entryStart + e.ID[:31] + `"}`: lineDamaged,
		"": lineEmpty, `{"type":"entry","v":2}`: lineNewer,
	} {
		if _, kind := keyOf([]byte(text)); kind != want {
			t.Errorf("%s: kind %d, want %d", text, kind, want)
		}
	}
}

// TestMemoryOfUpkeep holds that a file without an index is read, and pruned, without
// holding it in memory.
func TestMemoryOfUpkeep(t *testing.T) {
	probetest.TakesTime(t, "8,000 entries are written")
	const n = 8000
	now := t0.Add(40 * day)
	s := opened(t, now)
	fill(t, s, n)
	testkit.OK(t, os.Remove(s.path(indexName)))
	size := testkit.Must(os.Stat(s.Path()))(t).Size()
	var before, after runtime.MemStats
	short := openedAt(t, s.dir, now)
	short.maxBytes = size / 2
	most := uint64(0)
	short.write = func(f *os.File, data []byte) (int, error) {
		runtime.GC()
		runtime.ReadMemStats(&after)
		most = max(most, after.HeapAlloc)
		return f.Write(data)
	}
	runtime.GC()
	runtime.ReadMemStats(&before)
	if removed, err := short.Prune(); err != nil || removed < n/2 {
		t.Fatal(removed, err)
	}
	if used := int64(most - before.HeapAlloc); used > size*3/4 {
		t.Errorf("pruning %d kB has up to %d kB in use", size>>10, used>>10)
	} else {
		t.Logf("pruning %d kB has up to %d kB in use", size>>10, used>>10)
	}
}
