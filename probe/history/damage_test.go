package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/result"
)

// TestCutAtEveryByte holds that a file that ends anywhere inside a line loses that
// line alone, says so, and takes further entries. Short mode cuts at both ends of
// the line and at every eighth byte between them.
func TestCutAtEveryByte(t *testing.T) {
	s := opened(t, t0)
	add(t, s, sample(0, t0, "groq", 270), sample(1, t0.Add(time.Second), "groq", 280))
	whole := testkit.Must(os.ReadFile(s.Path()))(t)
	last := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	step := probetest.Cases(1, 8)
	for cut := last; cut <= len(whole); cut++ {
		if edge := cut < last+2 || cut > len(whole)-3; !edge && cut%step != 0 {
			continue
		}
		testkit.OK(t, os.WriteFile(s.Path(), whole[:cut], 0o600))
		entries, damaged := 1, 1
		switch cut {
		case last:
			damaged = 0
		case len(whole):
			entries, damaged = 2, 0
		}
		v := view(t, openedAt(t, s.dir, t0), history.Query{})
		if v.All != entries || v.Damaged != damaged {
			t.Fatalf("cut at byte %d of %d: %d entries and %d damaged lines, not %d and %d", cut-last, len(whole)-last, v.All,
				v.Damaged, entries, damaged)
		}
		// A line without its end alone is whole once something follows.
		if cut == len(whole)-1 {
			entries, damaged = 2, 0
		}
		add(t, s, sample(2, t0.Add(time.Minute), "groq", 290))
		if v := view(t, openedAt(t, s.dir, t0), history.Query{}); v.All != entries+1 || v.Damaged != damaged {
			t.Fatalf("after a cut at byte %d of %d one more entry gives %d and %d damaged lines", cut-last, len(whole)-last,
				v.All, v.Damaged)
		}
	}
}

// TestFullDisk holds that a write without room leaves no part of a line, says what
// to do, and that a Writer tries again and says at the end what is missing.
func TestFullDisk(t *testing.T) {
	full, part := false, 0
	s := opened(t, t0)
	s.write = func(f *os.File, data []byte) (int, error) {
		if !full {
			return f.Write(data)
		}
		n, _ := f.Write(data[:min(part, len(data))])
		return n, syscall.ENOSPC
	}
	add(t, s, sample(0, t0, "groq", 270))
	before := testkit.Must(os.ReadFile(s.Path()))(t)
	full = true
	for _, part = range []int{0, 1, 100, 1 << 20} {
		err := s.Append(sample(1, t0, "groq", 280))
		testkit.That(t, errors.Is(err, syscall.ENOSPC) && strings.Contains(err.Error(), "--no-history"),
			"a full disk: %v", err)
		if now, err := os.ReadFile(s.Path()); err != nil || !bytes.Equal(now, before) {
			t.Errorf("after %d bytes of a line the file has %d bytes, not %d: %v", part, len(now), len(before), err)
		}
	}
	if _, err := s.SetBaseline("usual", sample(0, t0, "groq", 0).Series, time.Time{}, time.Time{}); err == nil {
		t.Error("a baseline of one request")
	}
	w := NewWriter(s, Source{Version: "v1"})
	for n := range 3 {
		w.add(sample(10+n, t0.Add(time.Second), "groq", 290), &metrics.Workload{Name: "chat"}, "g")
	}
	if err := w.Close(5 * time.Second); err == nil || !strings.Contains(err.Error(),
		"lacks 3 of the measured requests") || !strings.Contains(err.Error(), "--no-history") {
		t.Errorf("at the end: %v", err)
	}
	full = false
	w = NewWriter(s, Source{Version: "v1"})
	w.add(sample(20, t0.Add(time.Second), "groq", 290), &metrics.Workload{Name: "chat"}, "g")
	testkit.Is(t, w.Close(5*time.Second), nil)
	v := view(t, s, history.Query{})
	testkit.That(t, v.All == 2 && v.Damaged == 0, "%d entries, %d damaged", v.All, v.Damaged)
}

// TestLaterVersions holds that lines of a later version are skipped, counted, and
// kept when the file is rewritten.
func TestLaterVersions(t *testing.T) {
	s := opened(t, t0)
	add(t, s, sample(0, t0, "groq", 270), sample(1, t0, "old", 270))
	f := testkit.Must(os.OpenFile(s.Path(), os.O_APPEND|os.O_WRONLY, 0))(t)
	later := `{"type":"entry","v":2,"id":"x"}` + "\n" + `{"type":"summary","v":1}` + "\n"
	testkit.Must(f.WriteString(later + "nonsense\n{}\n\n"))(t)
	_ = f.Close()
	if v := view(t, s, history.Query{}); v.All != 2 || v.Newer != 2 || v.Damaged != 2 {
		t.Errorf("%d entries, %d newer, %d damaged", v.All, v.Newer, v.Damaged)
	}
	if n, err := s.Remove(history.Query{Filter: "endpoint:old"}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if v := view(t, s, history.Query{}); v.All != 1 || v.Newer != 2 || v.Damaged != 0 || v.LeftOut != 0 {
		t.Errorf("after rewriting: %d entries, %d newer, %d damaged", v.All, v.Newer, v.Damaged)
	}
	if data, err := os.ReadFile(s.Path()); err != nil || !strings.Contains(string(data), later) {
		t.Errorf("the lines of a later version are gone: %v", err)
	}
}

// TestDamagedIndex holds that an index that does not fit is not used.
func TestDamagedIndex(t *testing.T) {
	s := opened(t, t0)
	for n := range 20 {
		add(t, s, sample(n, t0.Add(time.Duration(n)*time.Second), "groq", 270))
	}
	testkit.OK(t, indexed(s))
	index := testkit.Must(os.ReadFile(s.path(indexName)))(t)
	try := func(what string, data []byte, uses bool) {
		t.Helper()
		testkit.OK(t, os.WriteFile(s.path(indexName), data, 0o600))
		fresh := openedAt(t, s.dir, t0)
		v := view(t, fresh, history.Query{})
		testkit.That(t, v.All == 20 && fresh.indexed > 0 == uses, "%s: %d entries, used: %v", what, v.All, fresh.indexed > 0)
	}
	try("whole", index, true)
	for cut := 0; cut < len(index); cut += 97 {
		try("cut", index[:cut], false)
		wrong := bytes.Clone(index)
		wrong[cut] ^= 1
		try("changed", wrong, false)
	}
	var h indexHead
	first, rows, _ := bytes.Cut(index[:len(index)-4], []byte("\n"))
	testkit.OK(t, json.Unmarshal(first, &h))
	for _, bad := range []func(h *indexHead){
		func(h *indexHead) { h.Offset = -1 },
		func(h *indexHead) { h.Offset = math.MinInt64 },
		func(h *indexHead) { h.RowSize /= 2 },
		func(h *indexHead) { h.Texts = nil },
		func(h *indexHead) { h.Series = nil },
		func(h *indexHead) { h.Format = "tokscope history index 2" },
	} { // with a right sum
		wrong := h
		bad(&wrong)
		data := append(testkit.Must(json.Marshal(wrong))(t), '\n')
		data = append(data, rows...)
		sum := sumOf(data)
		try("sabotaged", append(data, sum[:]...), false)
	}
	other := opened(t, t0) // another file has another head, also at the same moment
	add(t, other, sample(0, t0, "groq", 270))
	testkit.OK(t, indexed(other))
	foreign := testkit.Must(os.ReadFile(other.path(indexName)))(t)
	try("of another file", foreign, false)
}

// TestLockIsHeld holds that nothing is written while another one has the lock, and
// that it is free after it.
func TestLockIsHeld(t *testing.T) {
	s := opened(t, t0)
	unlock := testkit.Must(s.lock(time.Second))(t)
	_, err := s.lock(0)
	testkit.That(t, errors.Is(err, errBusy), "a second lock: %v", err)
	unlock()
	add(t, s, sample(0, t0, "groq", 270))
}

// FuzzLines holds that any bytes behind good lines lose none of them, and that the
// store goes on.
func FuzzLines(f *testing.F) {
	line := testkit.Must(result.AppendHistoryLine(nil, &history.Entry{}))(f)
	for _, seed := range []string{"", "{", "\n\n", "null\n", "[]\n", `{"type":"entry","v":1}` + "\n",
		`{"type":"history","schema":"tokscope/history-file/v1","left_out":-4}` + "\n", string(line), "\xff\x00\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := opened(t, t0)
		add(t, s, sample(0, t0, "groq", 270))
		file := testkit.Must(os.OpenFile(s.Path(), os.O_APPEND|os.O_WRONLY, 0))(t)
		testkit.Must(file.Write(data))(t)
		_ = file.Close()
		first := sample(0, t0, "groq", 270)
		check := func(at string, want int) {
			t.Helper()
			v := view(t, s, history.Query{Filter: "endpoint:groq ttft=270", Sort: "at"})
			have := 0
			for _, e := range v.Entries {
				if e.ID == first.ID || e.ID == idAt(t0, 1) {
					have++
				}
			}
			testkit.Need(t, have, want, at, "good entries")
		}
		check("before", 1)
		add(t, s, sample(1, t0, "groq", 270))
		check("after", 2)
	})
}
