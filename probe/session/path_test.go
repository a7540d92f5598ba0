package session

import (
	"bytes"
	"os"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/path"
	"tokscope/probe/result"
)

// TestPathLines holds that what became known of the network is written, can be
// read again, and says null for what was not counted.
func TestPathLines(t *testing.T) {
	f := testkit.Must(Create(t.TempDir(), Options{Started: time.Unix(0, 0)}))(t)
	v := metrics.Stream{ID: 1, State: metrics.Done, Marks: metrics.NewMarks(), Usage: metrics.NoUsage()}
	v.Marks.Sent = 1e6
	v.Path = &metrics.Path{
		Source: metrics.PathTCPInfo, RTT: 12 * time.Millisecond, OutOfOrder: 3, Segments: 90, Acked: 181e6, Upload: true,
		Rate: 5e6,
		Gaps: []metrics.PathGap{{Chunk: 91, Ms: 310, Usual: 7, OutOfOrder: 3, Segments: 4, Together: 6, Counted: true},
			{Chunk: 95, Ms: 80, Usual: 7, Together: 1}},
		Connects: []metrics.PathConnect{{At: 1001e6, Elapsed: 12 * time.Millisecond, Result: metrics.ConnectOK}},
	}
	f.Begin(v)
	f.PathEvent(1, v.Marks.Sent, &path.Event{Kind: path.KindBegin, At: 1,
		Path: &metrics.Path{Source: metrics.PathOldKernel}})
	f.PathEvent(1, v.Marks.Sent, &path.Event{Kind: path.KindGap, At: 2, Path: v.Path, Gap: &v.Path.Gaps[0]})
	f.PathEvent(1, v.Marks.Sent, &path.Event{Kind: path.KindGap, At: 3, Path: v.Path, Gap: &v.Path.Gaps[1]})
	f.PathEvent(1, v.Marks.Sent, &path.Event{Kind: path.KindConnect, At: 4, Path: v.Path, Connect: &v.Path.Connects[0]})
	f.PathEvent(2, v.Marks.Sent, &path.Event{Kind: path.KindEnd, At: 5, Path: v.Path}) // has not begun
	Finish(f, v)
	testkit.OK(t, f.Close())
	data := testkit.Must(os.ReadFile(f.Path()))(t)
	rec, err := Read(bytes.NewReader(data))
	testkit.Given(t, err == nil && rec.Unread == 0 && len(rec.Requests) == 1, "%+v, %v", rec, err)
	testkit.Is(t, len(rec.Requests[0].Path), 1, "lines with counts")
	type line struct {
		What    string              `json:"what"`
		At      metrics.Stamp       `json:"at_ns"`
		Counts  *result.Path        `json:"counts"`
		Gap     *result.PathGap     `json:"gap"`
		Connect *result.PathConnect `json:"connect"`
	}
	var got []line
	for _, text := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		if typeOf(text) == "path" {
			var l line
			testkit.OK(t, result.Unmarshal(text, &l))
			got = append(got, l)
		}
	}
	testkit.Need(t, len(got), 4, "lines", data)
	if c := got[0].Counts; got[0].What != "begin" || c == nil || c.Source != "old_kernel" || c.OutOfOrder != nil ||
		c.Segments == nil || c.RTT != 0 {
		t.Errorf("%+v", c)
	}
	if g := got[1].Gap; got[1].At != 2 || g == nil || g.Chunk != 92 || g.Cause != "sent_late" &&
		g.Cause != "out_of_order" && g.Cause != "undecided" || *g.OutOfOrder != 3 {
		t.Errorf("%+v", g)
	}
	if g := got[2].Gap; g.OutOfOrder != nil || g.Cause != "undecided" || g.Why != "not_counted" {
		t.Errorf("%+v", g)
	}
	if c := got[3].Connect; c.Elapsed != 12*time.Millisecond || *c.At != time.Second || c.Result != "answered" {
		t.Errorf("%+v", c)
	}
	p := rec.Requests[0].End.Path
	if p == nil || p.Upload != 180*time.Millisecond || p.RTT != 12*time.Millisecond || len(p.Gaps) != 2 ||
		len(p.Connects) != 1 || *p.OutOfOrder != 3 {
		t.Errorf("%+v", p)
	}
}

// TestNoPath holds that a request whose network was not looked at has no path.
func TestNoPath(t *testing.T) {
	v := metrics.Stream{Marks: metrics.NewMarks()}
	f := metrics.Measure(&v, metrics.Options{})
	r := result.RequestOf(&v, &f)
	b, err := result.Sentences(nil).Append(nil, &r)
	testkit.That(t, err == nil && !bytes.Contains(b, []byte(`"path"`)), "%s, %v", b, err)
}
