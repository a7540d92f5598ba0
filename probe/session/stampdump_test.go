package session

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestStampDump checks that the file is empty before Close, and then has a
// line for each request with the stamps of its chunks.
func TestStampDump(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stamps")
	d := testkit.Must(NewStampDump(path))(t)
	v := metrics.Stream{ID: 7, State: metrics.Done, Marks: metrics.NewMarks(),
		Work: metrics.Workload{Nonce: "[request 1-1]"}}
	v.Marks.Sent = 100
	v.Chunks = []metrics.Chunk{{At: 1000, User: 1040, Read: 3}, {At: 2000, User: 2000, Read: 4},
		{At: 3000, User: 9_000_000_000, Read: 4}}
	d.Ended(v)
	d.Ended(metrics.Stream{ID: 8, State: metrics.Failed, Marks: metrics.NewMarks()})
	if text, err := os.ReadFile(path); err != nil || len(text) > 0 {
		t.Errorf("%q, %v before the end", text, err)
	}
	testkit.OK(t, d.Close())
	text := testkit.Must(os.ReadFile(path))(t)
	sent := int64(100)
	want := []StampLine{
		{Schema: StampSchema, ID: 7, State: "done", Nonce: "[request 1-1]", Sent: &sent, At: []int64{1000, 2000, 3000},
			Late: []int32{40, 0, math.MaxInt32}, Read: []int32{3, 4, 4}},
		{Schema: StampSchema, ID: 8, State: "failed", At: []int64{}, Late: []int32{}, Read: []int32{}},
	}
	var got []StampLine
	for line := range strings.Lines(string(text)) {
		var l StampLine
		testkit.OK(t, json.Unmarshal([]byte(line), &l))
		got = append(got, l)
	}
	testkit.Same(t, got, want)
	if _, err := NewStampDump(filepath.Join(path, "below a file")); err == nil {
		t.Error("a path that cannot be written is no error")
	}
}
