package export

import (
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// epoch is when all tests begin.
var epoch = time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)

// request is an ended request with its figures.
type request struct {
	s metrics.Stream
	f metrics.Figures
}

// answer describes a request of a test. Times are ms after sent.
type answer struct {
	id                      int
	endpoint, model, preset string
	cold                    bool
	chunks                  []float64 // when each arrived
	burst                   []bool    // it shares the read of the one before
	prompt, output          int       // usage; below 0 for none
	fault                   *metrics.Fault
}

// stampMs returns a stamp.
func stampMs(ms float64) metrics.Stamp { return metrics.Stamp(ms * 1e6) }

// played returns the request that a describes.
func played(a answer) request {
	s := metrics.Stream{ID: a.id, State: metrics.Done, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1}
	s.Endpoint = metrics.Endpoint{Kind: metrics.EndpointProvider, Name: a.endpoint,
		URL: "https://user:hunter2hunter2@api." + a.endpoint + ".example/v1", Model: a.model}
	s.Model, s.Work.Name, s.Work.Prompt = a.model, a.preset, "a secret prompt"
	s.Marks.Start, s.Marks.GotConn, s.Marks.Sent = stampMs(-5), stampMs(-1), stampMs(0)
	s.Conn.Reused = !a.cold
	end := 1.0
	for i, ms := range a.chunks {
		read, at := int32(i), stampMs(ms)
		if i > 0 && a.burst != nil && a.burst[i] { // the same stamp: through ms it could be a ns earlier
			read, at = s.Chunks[i-1].Read, s.Chunks[i-1].At
			ms = float64(at) / 1e6
		}
		s.Text = append(s.Text, "word "...)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at, Read: read, Event: int32(i), TextEnd: int32(len(s.Text)),
			Tokens: -1})
		if i == 0 {
			s.Marks.FirstByte, s.Marks.FirstEvent, s.Marks.FirstRole = stampMs(ms/2), stampMs(ms/2), stampMs(ms/2)
		}
		end = ms
	}
	s.Usage.Prompt, s.Usage.Completion = a.prompt, a.output
	if a.output >= 0 {
		s.TokensFrom = metrics.TokensUsage
	}
	s.Marks.End, s.Now = stampMs(end+1), stampMs(end+1)
	if a.fault == nil {
		s.Finish = "stop"
	} else {
		s.Fault, s.State = a.fault, metrics.Failed
		switch a.fault.Kind {
		case metrics.FaultTruncated:
			s.State = metrics.Truncated
		case metrics.FaultCancelled:
			s.State = metrics.Cancelled
		}
	}
	return request{s, metrics.Measure(&s, metrics.Options{})}
}

// drawRequests draws requests of some series, with bursts and failures.
func drawRequests(t *rapid.T) (all []request) {
	for i := range rapid.IntRange(0, 12).Draw(t, "requests") {
		a := answer{
			id: i + 1, endpoint: rapid.SampledFrom([]string{"groq", "mistral"}).Draw(t, "endpoint"), model: "m",
			preset: rapid.SampledFrom([]string{"chat", "code"}).Draw(t, "preset"),
			cold:   rapid.Bool().Draw(t, "cold"), prompt: rapid.IntRange(-1, 60).Draw(t, "prompt"), output: -1,
		}
		ms := rapid.Float64Range(0.1, 3000).Draw(t, "first")
		for range rapid.IntRange(0, 20).Draw(t, "chunks") {
			a.chunks = append(a.chunks, ms)
			a.burst = append(a.burst, rapid.IntRange(0, 3).Draw(t, "burst") == 0)
			ms += rapid.Float64Range(0.01, 200).Draw(t, "gap")
		}
		if n := len(a.chunks); n > 0 && rapid.Bool().Draw(t, "counted") {
			a.output = n
		}
		if kind := rapid.SampledFrom([]metrics.FaultKind{"", "", "", metrics.FaultRateLimit, metrics.FaultTruncated,
			metrics.FaultCancelled}).Draw(t, "fault"); kind != "" {
			a.fault = &metrics.Fault{Kind: kind, Message: "it failed"}
		} else if len(a.chunks) == 0 {
			a.fault = &metrics.Fault{Kind: metrics.FaultEmpty}
		}
		r := played(a)
		r.s.Model = rapid.SampledFrom([]string{"", "m", "m-0613"}).Draw(t, "answered")
		all = append(all, r)
	}
	return all
}

// filled returns an exporter without page and collector that has the requests,
// and the clock that it reads.
func filled(t testkit.T, all []request) (*Exporter, *time.Time) {
	now := epoch
	e := testkit.Must(Start(Options{Version: "v1", Now: func() time.Time { return now }}))(t)
	e.NameSession("/state/session-20261120-080000.000-7.ndjson")
	for i := range all {
		now = now.Add(time.Second)
		e.Add(&all[i].s, &all[i].f)
	}
	return e, &now
}
