package session_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/result"
	"tokscope/probe/session"
	"tokscope/probe/sse"
)

// loadView is a load that has just begun.
func loadView(slos []slo.Objective) *loadstat.View {
	return &loadstat.View{
		Now: 2e9, Began: 1e9, Running: true, Target: 8, Users: 8, SLOs: slos, Seed: 1<<63 + 5,
		Work:     metrics.Workload{Name: "1k in", InputTokens: 1000, MaxTokens: 200},
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "test", URL: "https://h/v1", Model: "m"},
	}
}

// Reading returns everything recorded of a load, also when the program was
// killed before the load's end.
func TestLoadInASessionFile(t *testing.T) {
	slos := testkit.Must(slo.Parse("ttft=500ms,tpot=20ms"))(t)
	f := testkit.Must(session.Create(t.TempDir(), session.Options{Version: "v", Started: time.Unix(9, 0)}))(t)
	f.Sentences = func(of any, _ time.Time) []string {
		switch v := of.(type) {
		case *loadstat.View:
			return []string{fmt.Sprintf("%d done", v.Done)}
		case metrics.Ending:
			return []string{fmt.Sprint(v.Code, " after ", v.Requests)}
		}
		return nil
	}
	first := f.NewLoad()
	first.Begin(loadView(slos))
	one, eight := loadPoint(1, slos), loadPoint(8, slos)
	first.Point(&one)
	first.Objectives(5e9, slos[:1])
	first.Point(&eight)
	end := loadView(slos)
	end.Running, end.Sent, end.Done, end.Failed, end.Cancelled, end.TokensReceived = false, 44, 40, 3, 1, 8000
	end.Faults = []metrics.FaultCount{{Kind: metrics.FaultRateLimit, N: 3}}
	end.Finishes = map[string]int{"stop": 38, "length": 2}
	end.LastFault = &metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429, Message: "slow down"}
	end.Budget = loadstat.Budget{Tokens: 48000, Cost: metrics.Known(0.12, 0), Currency: "EUR"}
	end.Live, end.Stamps = eight, "kernel"
	end.Stopped = metrics.Ending{Code: metrics.EndingFailures, Requests: 20}
	end.Broken = metrics.Ending{Code: metrics.EndingFailures, Requests: 21}
	first.End(end)
	open := loadView(nil)
	open.Rate = 2.5
	open.Input, open.Output = metrics.Lengths{Low: 200, High: 4000}, metrics.FixedLength(200)
	f.NewLoad().Begin(open) // the program ends before the load
	testkit.OK(t, f.Close())
	data := testkit.Must(os.ReadFile(f.Path()))(t)
	for _, l := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		validate(t, "session-v1", l)
	}
	rec, err := session.Read(bytes.NewReader(data))
	testkit.Given(t, err == nil && len(rec.Loads) == 2 && len(rec.Requests) == 0 && rec.Unread == 0,
		"%d loads, %d requests, %v", len(rec.Loads), len(rec.Requests), err)
	q := rec.Loads[0]
	if q.At != 1e9 || q.Head.Users != 8 || q.Head.Seed != "9223372036854775813" || q.Head.Workload.Name != "1k in" ||
		q.Head.Endpoint.Model != "m" ||
		strings.Join(q.Head.SLO, " ") != "ttft=500ms tpot=20ms" || strings.Join(q.SLO, " ") != "ttft=500ms" {
		t.Errorf("%+v", q)
	}
	p := q.Points
	testkit.That(t, len(p) == 2 && p[0].Users == 1 && p[0].GapBins == nil && p[1].Fit.Low == 200, "points %+v", p)
	if e := q.End; e == nil || e.Sent != 44 || e.Done != 40 || e.Failed != 3 || e.Cancelled != 1 ||
		e.Faults[0] != (metrics.FaultCount{Kind: metrics.FaultRateLimit, N: 3}) || e.LastFault.Message != "slow down" ||
		e.TokensReceived != 8000 || e.Budget.Cost.V != 0.12 || e.Stamps != "kernel" || e.Lag.Delay.Max != 90 ||
		e.Budget.Currency != "EUR" || e.Summary != "40 done" ||
		e.Stopped != "all_failed after 20" || e.Broken != "all_failed after 21" {
		t.Errorf("end %+v", q.End)
	}
	if v := q.View(); v.Finishes["stop"] != 38 || v.Finishes["length"] != 2 {
		t.Errorf("finished %v", v.Finishes)
	}
	if q := rec.Loads[1]; q.End != nil || q.Head.Rate != 2.5 || len(q.Head.SLO) != 0 || q.Head.Input != "200..4000" ||
		q.Head.Output != "" {
		t.Errorf("the second: %+v", q)
	}
}

// The document of a load says what its list of requests holds and dropped.
func TestLoadDocumentCountsItsRequests(t *testing.T) {
	v := loadView(nil)
	v.Path = []loadstat.Point{loadPoint(1, nil)}
	doc := result.LoadDocumentOf("v", time.Unix(9, 0), v, nil)
	log := request.NewLog(0)
	const ended = request.Figures + 300
	for i := range ended {
		log.Add(request.Row{ID: i + 1, N: i + 1}, request.Pack(&metrics.Stream{}))
	}
	list := log.View()
	doc.WithRequests(&list)
	want := result.Listed{Ended: ended, Figures: request.Figures, FiguresLeftOut: 300, Events: request.Last,
		EventsLeftOut: ended - request.Last}
	testkit.That(t, doc.Listed != nil && *doc.Listed == want, "lists %+v, want %+v", doc.Listed, want)
}

// A load that never ends cannot fill the disk: dropped points are counted.
func TestLoadIsBoundedInASessionFile(t *testing.T) {
	f := testkit.Must(session.Create(t.TempDir(), session.Options{Version: "v", Started: time.Unix(9, 0)}))(t)
	e := f.NewLoad()
	e.Begin(loadView(nil))
	var points [256]loadstat.Point
	for i := range points {
		points[i] = loadPoint(1+i, nil)
	}
	for n := range 10_000 {
		e.Point(&points[n%len(points)])
		e.Objectives(1, nil)
	}
	e.End(loadView(nil))
	testkit.OK(t, f.Close())
	data := testkit.Must(os.ReadFile(f.Path()))(t)
	testkit.That(t, len(data) <= 4<<20, "%d bytes of one load", len(data))
	rec, err := session.Read(bytes.NewReader(data))
	testkit.Given(t, err == nil && rec.Loads[0].End != nil, "%v", err)
	testkit.Is(t, len(rec.Loads[0].Points)+rec.Loads[0].End.LeftOut, 10_000, "points recorded or counted, of 10000")
}

// The first requests of a load are recorded, up to the bounds in its first
// line, and the others are counted.
func TestRequestsOfALoadAreBounded(t *testing.T) {
	f := testkit.Must(session.Create(t.TempDir(), session.Options{Version: "v", Started: time.Unix(9, 0)}))(t)
	other, e := f.NewLoad(), f.NewLoad()
	e.Begin(loadView(nil))
	running := []int{}
	for id := 1; id <= 1500; id++ {
		part := e.Request()
		if part == 0 {
			continue
		}
		v := metrics.Stream{ID: id, Load: part, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1}
		v.Marks.Start = 1
		f.Begin(v)
		f.Event(&client.Folded{ID: id, Event: &sse.Event{Data: []byte("x")}})
		if running = append(running, id); len(running) == 20 {
			for _, id := range running {
				v.ID = id
				session.Finish(f, v)
			}
			running = running[:0]
		}
	}
	e.End(loadView(nil))
	testkit.Is(t, other.Request(), 1, "the bound of one load is that of another")
	testkit.OK(t, f.Close())
	data := read(t, f.Path())
	rec := testkit.Must(session.Read(bytes.NewReader(data)))(t)
	for _, l := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		// not a thousand of one kind
		if bytes.HasPrefix(l, []byte(`{"type":"load`)) || bytes.Contains(l, []byte(`"id":1000,`)) {
			validate(t, "session-v1", l)
		}
	}
	load := rec.Loads[0]
	bound := load.Head.Recorded
	if len(rec.Requests) != bound.Requests || load.End.Unrecorded != 1500-bound.Requests || bound.Requests != 1000 {
		t.Errorf("%d requests, %d left out, bound %+v", len(rec.Requests), load.End.Unrecorded, bound)
	}
	detailed := 0
	for _, q := range rec.Requests {
		testkit.Given(t, q.Load == 2 && q.Detailed == (len(q.Events) == 1), "%+v", q)
		if q.Detailed {
			detailed++
		}
	}
	if want := bound.Requests / 20 * bound.AtOnce; detailed != want {
		t.Errorf("%d requests with events, want %d: %d of the 20 that run at once", detailed, want, bound.AtOnce)
	}
}

// Reading a file of a later version skips its unknown lines.
func TestLinesOfLaterVersionsArePassedOver(t *testing.T) {
	const text = `{"type":"session","schema":"tokscope/session/v1","version":"9","started":"2026-11-20T14:05:09Z","system":"x"}
{"type":"weather","load":7,"sun":true}
{"type":"load_point","load":3,"at_ns":1,"point":{}}
`
	rec, err := session.Read(strings.NewReader(text))
	testkit.That(t, err == nil && rec.Unread == 1 && len(rec.Loads) == 0, "%+v, %v", rec, err)
}
