package report

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/verdict"
	"tokscope/ui/uitest/golden"
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
	var all strings.Builder
	for _, c := range []struct {
		name string
		run  metrics.Run
	}{
		{"a good end", named}, {"refused", failedRun()}, {"names from outside", hostile},
		{"no byte", hung(8180*time.Millisecond, func(s *metrics.Stream) {
			s.Path = &metrics.Path{Source: metrics.PathTCPInfo, RTT: 12 * time.Millisecond, Segments: 2}
		})},
		{"keep-alives", hung(30*time.Second, func(s *metrics.Stream) {
			s.Marks.FirstByte, s.Marks.Headers, s.Marks.FirstComment, s.RequestID = 1e9, 1e9, 2e9, "id-7"
		})},
		{"two chunks", hung(5*time.Second, func(s *metrics.Stream) {
			s.Marks.FirstByte, s.Marks.FirstEvent, s.Text = 1e8, 1e8, []byte("ab")
			s.Chunks = []metrics.Chunk{{At: 2e8, Tokens: -1, TextEnd: 1}, {At: 1e9, Read: 1, Tokens: -1, TextEnd: 2}}
		})},
	} {
		text := ticketOf(c.run)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		testkit.Given(t, len(lines) == 8, "%s: %d lines:\n%s", c.name, len(lines), text)
		for i, begins := range []string{"", "endpoint: ", "model: ", "time: ", "request id: ", "ended: ", "figures: ", "curl: "} {
			if !strings.HasPrefix(lines[i], begins) || strings.ContainsFunc(lines[i], func(r rune) bool { return r < ' ' || r == 0x202e }) {
				t.Errorf("%s: line %d is %q", c.name, i, lines[i])
			}
		}
		all.WriteString("# " + c.name + "\n" + text)
	}
	golden.Text(t, "ticket", all.String())
}
