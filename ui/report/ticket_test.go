package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/racestat"
	"tokscope/metrics/verdict"
	"tokscope/metrics/watchstat"
)

// hung is a request that failed after, with what change makes of it.
func hung(after time.Duration, change func(*metrics.Stream)) metrics.Run {
	s := metrics.NoStream(0)
	s.ID, s.State, s.Work, s.Endpoint = 1, metrics.Failed, metrics.Workload{Name: "chat"}, metrics.Endpoint{Name: "gw", Model: "m"}
	s.Fault = &metrics.Fault{Kind: metrics.FaultTimeout, Message: "no data came", Bound: "first byte 8 s"}
	s.Marks.Start, s.Marks.Sent, s.Marks.End = 0, 0, metrics.Stamp(after)
	change(&s)
	return metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
}

func ticketOf(r metrics.Run) string {
	found := verdict.Of(verdict.Input{Stream: &r.Stream, Figures: &r.Figures, Now: r.Stream.Marks.End})
	return Ticket(&r, found, testOrigin, "curl -sS -N 'http://gw/v1' \\\n  -H 'A: b' \\\n  --data-binary '{}'\n")
}

// TestTicket holds that a ticket is eight whole lines with their names, whatever came,
// and what it says of ends.
func TestTicket(t *testing.T) {
	evil := "\x1b]0;x\x07 \u202e\nrequest id: **b** " + strings.Repeat("long ", 100)
	hostile := ranOnce()
	s := &hostile.Stream
	s.Endpoint.Name, s.Endpoint.URL, s.Model, s.Provider, s.Finish, s.RequestID, s.Conn.Proto, s.Work.Name = evil, evil, evil, evil, evil, evil, evil, evil
	named := ranOnce()
	named.Stream.RequestID, named.Stream.Finish = "req_8f2", "length"
	named.Stream.Served.Tier, named.Stream.Asked.Tier, named.Stream.Provider = "default", "priority", "Azure"
	named.Stream.Endpoint.API, named.Stream.Endpoint.Settings = "messages", "api=messages"
	named.Stream.Wall = time.Date(2026, 11, 27, 15, 20, 37, 123e6, time.FixedZone("", 3600))
	for name, c := range map[string]struct {
		run  metrics.Run
		want []string
	}{
		"a good end": {named, []string{"time: 2026-11-27 14:20:37 UTC; tokscope v0.0.0, linux/amd64, 2 CPUs\n", "messages", "; tier default, asked priority; provider Azure\n", "request id: `req_8f2`\n", "ended: done, length\n",
			"figures: TTFT 41.0 ms; TPOT ", "(n = 200 tokens", "curl: `curl -sS -N 'http://gw/v1' -H 'A: b' --data-binary '{}'`\n"}},
		"refused": {failedRun(), []string{"Failed 80.0 ms after sent", "ended: failed, HTTP 429", "refuses more requests; next: ", "request id: none came\n", "figures: TTFT and TPOT – ("}},
		"no byte": {hung(8180*time.Millisecond, func(s *metrics.Stream) {
			s.Path = &metrics.Path{Source: metrics.PathTCPInfo, RTT: 12 * time.Millisecond, Segments: 2}
		}),
			[]string{"Failed 8.18 s after sent, no byte: timed out", "; after 8.18 s, no byte; next: look for the request in the log of the server", "figures: TTFT > 8.18 s, no byte of an answer; TPOT –; connected, sent, RTT 12.0 ms, no sign of loss or reordering\n"}},
		"keep-alives": {hung(30*time.Second, func(s *metrics.Stream) {
			s.Marks.FirstByte, s.Marks.Headers, s.Marks.FirstComment, s.RequestID = 1e9, 1e9, 2e9, "id-7"
		}), []string{"; after 30.0 s, keep-alives, no event\n", "TTFT > 30.0 s;", "request id: `id-7`\n"}},
		"two chunks": {hung(5*time.Second, func(s *metrics.Stream) {
			s.Marks.FirstByte, s.Marks.FirstEvent, s.Text = 1e8, 1e8, []byte("ab")
			s.Chunks = []metrics.Chunk{{At: 2e8, Tokens: -1, TextEnd: 1}, {At: 1e9, Read: 1, Tokens: -1, TextEnd: 2}}
		}), []string{"; after 5.00 s, 2 chunks, the last after 1.00 s\n", "figures: TTFT 200 ms"}},
		"hostile": {hostile, nil},
	} {
		text := ticketOf(c.run)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) != 8 {
			t.Fatalf("%s: %d lines:\n%s", name, len(lines), text)
		}
		for i, begins := range []string{"", "endpoint: ", "model: ", "time: ", "request id: ", "ended: ", "figures: ", "curl: "} {
			if !strings.HasPrefix(lines[i], begins) || strings.ContainsFunc(lines[i], func(r rune) bool { return r < ' ' || r == 0x202e }) {
				t.Errorf("%s: line %d is %q", name, i, lines[i])
			}
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, text)
			}
		}
	}
}

// TestAMissingEndIsSaid holds that race, watch and history say that answers had no end
// marker, of those that had none alone, and that a race's figures are as they were.
func TestAMissingEndIsSaid(t *testing.T) {
	const said = "end marker is missing"
	for _, conn := range []metrics.Connection{{LeftOpen: true}, {CutOff: true}, {LeftOpen: true, Proto: "HTTP/2.0", Reused: true}, {}} {
		r := ranOnce()
		whole := racestat.ResultOf(&r.Stream, &r.Figures)
		r.Stream.Conn.LeftOpen, r.Stream.Conn.CutOff = conn.LeftOpen, conn.CutOff
		f := metrics.Measure(&r.Stream, metrics.Options{})
		result := racestat.ResultOf(&r.Stream, &f)
		code := conn.Unended()
		if result.Unended != code || result.Values != whole.Values {
			t.Errorf("%q: %+v", code, result)
		}
		race, want := raced(3, 8, false), ""
		if code != "" {
			race.Lanes[0].Unended, race.Lanes[2].Unended = 3, 8
			want = said + " in 3 of 8 answers of A; " + said + " in 8 of 8 answers of C"
		}
		notes := RaceNotes(race)
		if i := slices.IndexFunc(notes, func(n Fact) bool { return n.Name == "note" }); notes[i].Text != want {
			t.Errorf("%q: the race notes %q", code, notes[i].Text)
		}
		e := history.Entry{At: time.Unix(1.8e9, 0), Kind: history.Probe, State: metrics.Done, N: 1, Unended: code}
		target := watchstat.Target{Label: "gw"}
		target.View.Last = e
		b := watchstat.Board{Every: time.Minute, Targets: []watchstat.Target{target}}
		line := WatchLine(&watchstat.Update{Board: b, Probe: true})
		ended := History(&history.View{Entries: []history.Entry{e}, All: 1, Matching: 1}, nil, "", "").Text(0)
		for what, text := range map[string]string{"watch": line, "history": ended} {
			if strings.Contains(text, said) != (code != "") {
				t.Errorf("%q: %s says %s", code, what, text)
			}
		}
	}
}
