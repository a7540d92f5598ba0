package live

import (
	"fmt"
	"strings"
	"time"

	"tokscope/metrics"
)

// sample is what the scripted server says.
const sample = `When a request arrives, the server first reads the whole prompt in one pass. That pass is called prefill: every token of the prompt goes through the weights together, so arithmetic is the limit. Then it writes one token at a time, and every new token needs all the weights again: memory is the limit now.

That is why many users can share one machine. Reading the weights costs the same for one user and for sixty-four; each of them waits a little longer, and together they get far more.

A long answer slows down as it grows. Every token that was written stays in the cache, and the next one has to look at all of them. On a good day nobody notices. On a bad day the cache is full, somebody is put aside, and the text stops in the middle of a`

const thoughts = `The person asks how a language model answers. I should begin with the prompt, then the two phases, and keep it short. First prefill, then decode, then why sharing works.`

// scripted is a response laid out in time: what happens when, in ms since
// Marks.Start.
type scripted struct {
	s      metrics.Stream
	endsAt time.Duration
	end    metrics.State
}

const origin = metrics.Stamp(5e9) // the run had been going for a while

// layOut lays out a response from steps such as
//
//	"connect 12ms"  "reused"  "prefill 400ms"  "progress 512/2048"  "queue 30ms"
//	"30 x 20ms"     thirty chunks, 20 ms before each
//	"stall 2s"      one chunk after 2 s
//	"burst 12"      twelve chunks in one read, 20 ms after the last one
//	"think"  "answer"  "tool"  what the chunks after it carry
//	"done"  "length"  "cut"  "stop"  "fail"  how it ends
//	"silence 3s"    nothing for so long
func layOut(steps ...string) *scripted {
	sc := &scripted{}
	s := &sc.s
	s.ID, s.State, s.Marks = 3, metrics.Waiting, metrics.NewMarks()
	s.Usage, s.LiveTokens = metrics.NoUsage(), -1
	s.LastData, s.DataDeadline = metrics.NoStamp, metrics.NoStamp
	s.Stamps = metrics.SourceKernel
	s.Endpoint = metrics.Endpoint{Kind: metrics.EndpointEmbedded, Name: "demo", URL: "http://127.0.0.1:1/v1",
		Model: "llama-3.1-8b"}
	s.Work = metrics.Workload{Name: "chat",
		Prompt: "Explain to a colleague how a large language model answers a request.", MaxTokens: 400}
	m := &s.Marks
	m.Start = origin
	now := origin
	kind, read, said := metrics.Content, int32(0), map[metrics.Kind]int{}
	chunk := func(gap time.Duration, sameRead bool) {
		now += metrics.Stamp(gap)
		if !sameRead {
			read++
		}
		text := spoken(kind, said[kind])
		said[kind]++
		s.Text = append(s.Text, text...)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: now, User: now + 3e3, Read: read, Event: int32(len(s.Chunks)),
			Bytes:   180,
			TextEnd: int32(len(s.Text)), Tokens: -1, Kind: kind, Kernel: true})
	}
	for _, step := range steps {
		f := strings.Fields(step)
		var d time.Duration
		if len(f) > 1 {
			d, _ = time.ParseDuration(f[len(f)-1])
		}
		var n, of int
		switch {
		case f[0] == "connect":
			m.DNSStart, m.DNSDone = now, now+metrics.Stamp(d/6)
			m.ConnectStart, m.ConnectDone = m.DNSDone, now+metrics.Stamp(d/2)
			m.TLSStart, m.TLSDone = m.ConnectDone, now+metrics.Stamp(d)
			now = m.TLSDone
			m.GotConn = now
			s.Conn = metrics.Connection{Proto: "HTTP/1.1", TLS: "TLS 1.3"}
		case f[0] == "reused":
			m.GotConn = now
			s.Conn = metrics.Connection{Proto: "HTTP/1.1", Reused: true}
		case f[0] == "queue":
			s.Server = append(s.Server, metrics.ServerTime{Name: metrics.ServerQueue, D: d, From: "timings"})
		case f[0] == "prefill":
			m.Sent = now + 1e5
			s.Server = append(s.Server, metrics.ServerTime{Name: metrics.ServerPrefill, D: d * 8 / 10, From: "timings"})
			m.FirstByte, m.Headers = m.Sent+metrics.Stamp(d/10), m.Sent+metrics.Stamp(d/10)
			now = m.Sent + metrics.Stamp(d)
			m.FirstEvent, m.FirstRole = now, now
			chunk(0, false)
		case f[0] == "progress":
			fmt.Sscanf(f[1], "%d/%d", &n, &of)
			s.Progress = metrics.Progress{At: now, Total: of, Processed: n, Took: 2 * time.Second}
		case f[0] == "stall":
			chunk(d, false)
		case f[0] == "burst":
			fmt.Sscan(f[1], &n)
			for i := range n {
				chunk(20*time.Millisecond*time.Duration(min(1-min(i, 1), 1)), i > 0)
			}
		case f[0] == "think":
			kind = metrics.Reasoning
		case f[0] == "answer":
			kind = metrics.Content
		case f[0] == "tool":
			kind = metrics.ToolCall
		case f[0] == "silence":
			now += metrics.Stamp(d)
		case f[0] == "done", f[0] == "length":
			sc.end, s.Finish = metrics.Done, map[string]string{"done": "stop", "length": "length"}[f[0]]
			s.Usage = metrics.Usage{Prompt: 38, Completion: len(s.Chunks), Reasoning: -1, Cached: -1, Total: 38 + len(s.Chunks)}
			s.TokensFrom = metrics.TokensUsage
		case f[0] == "cut":
			sc.end = metrics.Truncated
			s.Fault = &metrics.Fault{Kind: metrics.FaultTruncated,
				Message: "the stream ended without a finish reason and without [DONE]",
				Next:    "the server or a proxy on the way cut it off: ask again, and look at its log"}
		case f[0] == "stop":
			sc.end = metrics.Cancelled
			s.Fault = &metrics.Fault{Kind: metrics.FaultCancelled, Message: "stopped by you; what arrived is kept"}
		case f[0] == "fail":
			sc.end = metrics.Failed
			s.Fault = &metrics.Fault{Kind: metrics.FaultReset,
				Message: "the server broke the connection in the middle of the answer",
				Next:    "ask again; when it happens again, look for a time limit of the server or of a proxy",
				Body:    "event: error\ndata: {\"error\":\x1b[31m\"worker died\"}"}
		case len(f) == 3 && f[1] == "x":
			fmt.Sscan(f[0], &n)
			for range n {
				chunk(d, false)
			}
		default:
			panic("unknown step " + step)
		}
	}
	sc.endsAt = time.Duration(now - origin)
	return sc
}

// words are what is said in each kind, each word with its blank.
var words = map[metrics.Kind][]string{
	metrics.Content:   strings.SplitAfter(sample, " "),
	metrics.Reasoning: strings.SplitAfter(thoughts, " "),
	metrics.ToolCall:  strings.SplitAfter(`get_weather({"city": "Berlin", "unit": "celsius"})`, " "),
}

// spoken is chunk n of what is said in that kind.
func spoken(k metrics.Kind, n int) string {
	w := words[k]
	return w[n%len(w)]
}

// at is the stream as it stood d after its start; d < 0 is the end.
func (sc *scripted) at(d time.Duration) metrics.Stream {
	s := sc.s
	if d < 0 || d > sc.endsAt && sc.end != metrics.Idle {
		s.State, s.Now = sc.end, origin+metrics.Stamp(sc.endsAt)
		s.Marks.End = s.Now
		s.Stamps = metrics.SourceKernel
	} else {
		s.Now = origin + metrics.Stamp(d)
		n := 0
		for n < len(s.Chunks) && s.Chunks[n].At <= s.Now {
			n++
		}
		s.Chunks = s.Chunks[:n]
		s.Fault, s.Usage, s.Finish = nil, metrics.NoUsage(), ""
		for _, m := range []*metrics.Stamp{&s.Marks.DNSStart, &s.Marks.DNSDone, &s.Marks.ConnectStart, &s.Marks.ConnectDone,
			&s.Marks.TLSStart, &s.Marks.TLSDone, &s.Marks.GotConn, &s.Marks.Sent, &s.Marks.FirstByte, &s.Marks.Headers,
			&s.Marks.FirstEvent, &s.Marks.FirstRole} {
			if *m > s.Now {
				*m = metrics.NoStamp
			}
		}
		switch {
		case n > 0:
			s.State = metrics.Decoding
		case !s.Marks.Sent.Known():
			s.State = metrics.Connecting
		}
		if n == 0 {
			s.Server = nil
		}
		if !s.Marks.GotConn.Known() {
			s.Conn = metrics.Connection{}
		}
		s.DataDeadline, s.DataBound = s.Marks.Sent+120e9, "first byte 120 s"
		if n > 0 {
			s.LastData = s.Chunks[n-1].At
			s.DataDeadline, s.DataBound = s.LastData+30e9, "idle 30 s"
		}
	}
	s.Text = s.Text[:textEnd(&s)]
	return s
}

func textEnd(s *metrics.Stream) int32 {
	if len(s.Chunks) == 0 {
		return 0
	}
	return s.Chunks[len(s.Chunks)-1].TextEnd
}

// view is what the root would show of the script at d, with two earlier runs
// of the session.
func (sc *scripted) view(d time.Duration) *View {
	s := sc.at(d)
	v := &View{Stream: s, Now: s.Now, Endpoint: s.Endpoint, Observer: metrics.Observer{LateP50: 5e4, LateP99: 2e5,
		LateMax: 3e5, N: 400}}
	v.Figures = metrics.Measure(&s, metrics.Options{})
	for i, steps := range [][]string{{"connect 12ms", "prefill 46ms", "211 x 7ms", "done"},
		{"reused", "prefill 42ms", "180 x 6ms", "stall 90ms", "done"}} {
		r := layOut(steps...)
		e := r.at(-1)
		e.ID = i + 1
		v.Runs = append(v.Runs, metrics.Run{Stream: e, Figures: metrics.Measure(&e, metrics.Options{})})
	}
	if s.State.Ended() {
		v.Runs = append(v.Runs, metrics.Run{Stream: s, Figures: v.Figures})
	}
	return v
}
