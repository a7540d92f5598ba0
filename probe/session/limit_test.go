package session

import (
	"os"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/sse"
)

// A session file does not outgrow its limit, whatever is measured: first the
// events are left out, then whole requests. File, error and requests say so.
func TestSessionFileIsBounded(t *testing.T) {
	const most = 256 << 10
	f, err := Create(t.TempDir(), Options{Version: "test", Started: time.Unix(0, 0), Limit: most})
	testkit.OK(t, err)
	noted, bare, ended := 0, 0, 0
	for id := 1; id <= 200; id++ {
		v := begun(id)
		f.Begin(v)
		detail := f.Detail(id)
		if detail == client.DetailEnds {
			bare++
		}
		for i := range 50 {
			if detail >= client.DetailEvents {
				f.Event(&client.Folded{ID: id, Index: i, Event: &sse.Event{Data: []byte(strings.Repeat("x", 190))}})
			}
		}
		if n, some := f.Lost(id); some {
			noted++
			testkit.That(t, strings.Contains(n.Text, "has reached its limit"), "request %d has the note %q", id, n.Text)
		}
		v.State = metrics.Done
		Finish(f, v)
	}
	err = f.Close()
	data := testkit.Must(os.ReadFile(f.Path()))(t)
	testkit.That(t, len(data) <= most+8<<10 && len(data) >= most/2,
		"the file has %d bytes, want %d at most", len(data), most)
	rec := testkit.Must(Read(strings.NewReader(string(data))))(t)
	for _, q := range rec.Requests {
		testkit.That(t, q.End != nil, "request %d has no end", q.ID)
		ended++
	}
	if !rec.Limited || rec.Unread != 0 || noted != 1 || bare < 10 || ended < 20 || ended > 190 {
		t.Errorf("limited %v, %d unknown lines, %d requests of which %d lost events and %d had none", rec.Limited,
			rec.Unread, ended, noted, bare)
	}
	if err == nil || !strings.Contains(err.Error(), "has reached its limit of 0 MB") || !strings.Contains(err.Error(),
		"raise --record-limit") {
		t.Errorf("%v", err)
	}
	last := data[strings.LastIndex(strings.TrimSpace(string(data)), "\n")+1:]
	testkit.That(t, strings.HasPrefix(string(last), `{"type":"limit","bytes":262144,"requests_without_events":`),
		"the last line is %s", last)
}

// Without a limit nothing is left out.
func TestSessionFileWithoutLimit(t *testing.T) {
	f := testkit.Must(Create(t.TempDir(), Options{Version: "test", Started: time.Unix(0, 0)}))(t)
	f.Begin(begun(1))
	for i := range 5000 {
		f.Event(&client.Folded{ID: 1, Index: i, Event: &sse.Event{Data: []byte(strings.Repeat("x", 190))}})
	}
	_, some := f.Lost(1)
	testkit.That(t, !some, "events were left out")
	testkit.Is(t, f.Close(), nil)
}
