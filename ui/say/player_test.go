package say

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/verdict"
)

// player lays out a stream from steps such as those of probetest:
//
//	client D, dns D, tcp D, tls D, reused, upload D     before the request is sent
//	prefill D                 sent, and D until the next chunk
//	headers D, role D         headers, an event without text, D after sent
//	N tokens @ D              N chunks, D apart, the first right after a wait
//	N reads of M @ D          the same with M chunks a read
//	size B N @ D              N chunks, D apart, through a buffer of B bytes
//	timer T N @ D             the same through a buffer that is emptied every T
//	stall D, burst N          a pause; N chunks in one read
//	silence D                 the moment of the look, for a stream that runs on
//	connecting PART D, asking D, wait D     the same before the first chunk
//	done, cut, stop, fail KIND [STATUS] [WAIT]     how it ends
//	usage N, prompt N, cached N, server NAME D, progress N/M, queued, admitted
//	late D                    tokscope reads what follows D after the kernel had it
//	lag D, suspended D, user, body, retried, proxy, here (this machine), asked MODEL, answered MODEL
//	front NAME                what the headers name
//	earlier TTFT,TTFT,… [SPEED,…]     earlier runs, ms and tok/s
//	lens NAME
//	rtt D                     the socket was read
//	upload acknowledged D     all of a long request was acknowledged D after sent
//	counted OOO TOGETHER      the socket's counts in the stall of the step before
//	holes N                   segments out of order beneath the silence that follows
//	connect D|timeout|refused a connect, 1 s after the last chunk, or after sent
type player struct {
	in    verdict.Input
	s     metrics.Stream
	now   time.Duration
	fresh bool // a wait has passed: the next chunk comes at once
	read  int32
	pace  time.Duration // of the last chunks
	pause time.Duration // of the last stall
	late  time.Duration // from the kernel's stamp to the read
}

func at(d time.Duration) metrics.Stamp { return metrics.Stamp(d) }

// play returns what a verdict on the plan rests on.
func play(t testing.TB, plan string) verdict.Input {
	t.Helper()
	p := &player{}
	s := &p.s
	s.ID, s.State, s.Marks, s.Usage, s.LiveTokens = 9, metrics.Connecting, metrics.NewMarks(), metrics.NoUsage(), -1
	s.Marks.Start, s.LastData, s.DataDeadline = 0, metrics.NoStamp, metrics.NoStamp
	s.Stamps = metrics.SourceKernel
	for step := range strings.SplitSeq(plan, ";") {
		if f := strings.Fields(step); len(f) > 0 && !p.network(f) && !p.before(f) && !p.after(f) {
			t.Fatalf("unknown step %q in %q", step, plan)
		}
	}
	s.Now = at(p.now)
	if s.State.Ended() {
		s.Marks.End = s.Now
	}
	if s.Stamps == metrics.SourceUser {
		for i := range s.Chunks {
			s.Chunks[i].Kernel = false
		}
	}
	f := metrics.Measure(s, metrics.Options{})
	p.in.Stream, p.in.Figures, p.in.Now, p.in.Task = s, &f, s.Now, slo.DefaultAgentTask
	return p.in
}

// network plays what the socket tells.
func (p *player) network(f []string) bool {
	s, d := &p.s, duration(f)
	path := metrics.Path{Source: metrics.PathTCPInfo, Acked: metrics.NoStamp, RTT: 12 * time.Millisecond}
	if s.Path != nil {
		path = *s.Path
	}
	last := s.Marks.Sent
	if n := len(s.Chunks); n > 0 {
		last = s.Chunks[n-1].At
	}
	switch {
	case f[0] == "rtt":
		path.RTT = d
	case f[0] == "upload" && f[1] == "acknowledged":
		path.Acked, path.Upload = s.Marks.Sent+at(d), true
	case f[0] == "counted":
		g := metrics.PathGap{Chunk: len(s.Chunks), At: at(p.now), Ms: float64(p.pause) / 1e6, Usual: float64(p.pace) / 1e6, RTT: float64(path.RTT) / 1e6, Segments: 1, Counted: true}
		g.OutOfOrder, _ = strconv.Atoi(f[1])
		g.Together, _ = strconv.Atoi(f[2])
		path.Gaps = append(path.Gaps, g)
		path.OutOfOrder += g.OutOfOrder
	case f[0] == "holes":
		path.Silence.Chunk = len(s.Chunks)
		path.Silence.OutOfOrder, _ = strconv.Atoi(f[1])
	case f[0] == "connect":
		c := metrics.PathConnect{At: last + at(time.Second), Elapsed: d, Result: metrics.ConnectOK}
		if d == 0 {
			c.Result = metrics.ConnectResult(f[1])
		}
		path.Connects = append(path.Connects, c)
	default:
		return false
	}
	s.Path = &path
	return true
}

// before plays the steps before the first chunk, and facts of the request.
func (p *player) before(f []string) bool {
	s, k, d := &p.s, &p.s.Marks, duration(f)
	part := func(from, to *metrics.Stamp) {
		*from = at(p.now)
		p.now += d
		*to = at(p.now)
		k.GotConn = at(p.now)
	}
	switch f[0] {
	case "client":
		p.now += d
	case "dns":
		part(&k.DNSStart, &k.DNSDone)
	case "tcp":
		part(&k.ConnectStart, &k.ConnectDone)
	case "tls":
		part(&k.TLSStart, &k.TLSDone)
	case "reused":
		s.Conn.Reused, k.GotConn = true, at(p.now)
	case "upload":
		p.now += d
	case "connecting":
		k.GotConn = metrics.NoStamp
		switch f[1] {
		case "dns":
			k.DNSStart = at(p.now)
		case "tcp":
			k.ConnectStart = at(p.now)
		case "tls":
			k.TLSStart = at(p.now)
		}
		p.now += d
	case "asking":
		s.Asking = true
		p.now += d
	case "prefill", "wait":
		k.Sent, s.State = at(p.now), metrics.Waiting
		p.now, p.fresh = p.now+d, true
	case "headers":
		k.FirstByte, k.Headers = k.Sent+at(d), k.Sent+at(d)
	case "role":
		k.FirstEvent, k.FirstRole = k.Sent+at(d), k.Sent+at(d)
		s.State = metrics.Decoding
	case "progress":
		fmt.Sscanf(f[1], "%d/%d", &s.Progress.Processed, &s.Progress.Total)
	case "queued":
		s.Queue = metrics.QueueWaiting
	case "admitted":
		s.Queue = metrics.QueueAdmitted
	case "retried":
		s.Retried = 1
	case "here":
		s.Endpoint.Kind = metrics.EndpointEmbedded
	case "proxy":
		s.Conn.Proxy = "10.0.0.1:3128"
	case "front":
		s.Fronts = append(s.Fronts, metrics.Front(f[1]))
	case "asked":
		s.Endpoint.Model = f[1]
	case "answered":
		s.Model = f[1]
	case "lens":
		p.in.Lens = f[1]
	case "earlier":
		p.earlier(f)
	default:
		return false
	}
	return true
}

// after plays chunks, the server's reports and the end.
func (p *player) after(f []string) bool {
	s, d := &p.s, duration(f)
	n, _ := strconv.Atoi(f[min(1, len(f)-1)])
	many, _ := strconv.Atoi(f[0])
	switch {
	case len(f) == 5 && (f[0] == "size" || f[0] == "timer"):
		p.collected(f)
	case len(f) == 4 && f[2] == "@":
		p.reads(many, 1, d)
	case len(f) == 6 && f[2] == "of":
		each, _ := strconv.Atoi(f[3])
		p.reads(many, each, d)
	case f[0] == "burst":
		p.reads(1, n, 20*time.Millisecond)
	case f[0] == "stall":
		p.now, p.fresh, p.pause = p.now+d, true, d
	case f[0] == "silence":
		p.now += d
	case f[0] == "done":
		s.State, s.Finish = metrics.Done, "stop"
	case f[0] == "cut":
		s.State, s.Fault = metrics.Truncated, &metrics.Fault{Kind: metrics.FaultTruncated}
	case f[0] == "stop":
		s.State, s.Fault = metrics.Cancelled, &metrics.Fault{Kind: metrics.FaultCancelled}
	case f[0] == "fail":
		s.State, s.Fault = metrics.Failed, &metrics.Fault{Kind: metrics.FaultKind(f[1])}
		if len(f) > 2 {
			s.Fault.Status, _ = strconv.Atoi(f[2])
		}
		if len(f) > 3 {
			s.Fault.RetryAfter = d
		}
	case f[0] == "bound":
		s.Fault.Bound = strings.Join(f[1:], " ")
	case f[0] == "usage":
		s.Usage.Completion, s.TokensFrom = n, metrics.TokensUsage
	case f[0] == "prompt":
		s.Usage.Prompt = n
		s.Work.Prompt = strings.Repeat("word ", n)
	case f[0] == "cached":
		s.Usage.Cached = n
	case f[0] == "server":
		s.Server = append(s.Server, metrics.ServerTime{Name: f[1], D: d, From: "timings"})
	case f[0] == "late":
		p.late = d
	case f[0] == "lag":
		s.Observer.LateP99, s.Observer.LateMax, s.Observer.N = d, d, 400
	case f[0] == "suspended":
		s.Observer.LateMax, s.Observer.N = d, 400
	case f[0] == "user":
		s.Stamps = metrics.SourceUser
	case f[0] == "body":
		s.Stamps = metrics.SourceBody
	default:
		return false
	}
	return true
}

// collected adds the chunks of a size or timer step. Their sizes differ, their
// times at the server hardly.
func (p *player) collected(f []string) {
	n, _ := strconv.Atoi(f[2])
	gap, _ := time.ParseDuration(f[4])
	size, _ := strconv.Atoi(f[1])
	period, _ := time.ParseDuration(f[1])
	sent, held, waiting := p.now, 0, 0
	for i := range n {
		sent += gap + time.Duration(i%7-3)*gap/10
		held, waiting = held+170+i*37%41, waiting+1
		now := sent
		switch {
		case i == n-1:
		case period > 0:
			if now = p.now.Truncate(period) + period; sent+gap < now {
				continue
			}
		case held < size:
			continue
		}
		rest := 0
		if held -= size; period > 0 || i == n-1 {
			held = 0
		} else if held > 0 {
			rest = 1 // its end comes with the next
		}
		p.now, p.fresh = max(now, p.now), true
		if waiting > rest {
			p.reads(1, waiting-rest, 0)
		}
		for j := range p.s.Chunks[len(p.s.Chunks)-waiting+rest:] {
			p.s.Chunks[len(p.s.Chunks)-waiting+rest+j].Bytes = int32(170 + (i-waiting+1+j)*37%41)
		}
		waiting = rest
	}
}

// reads adds n reads with each chunks, d apart.
func (p *player) reads(n, each int, d time.Duration) {
	s := &p.s
	s.State, p.pace = metrics.Decoding, d
	for range n {
		if !p.fresh {
			p.now += d
		}
		p.fresh = false
		p.read++
		for range each {
			s.Text = append(s.Text, "word "...)
			s.Chunks = append(s.Chunks, metrics.Chunk{At: at(p.now), User: at(p.now + p.late), Read: p.read, Event: int32(len(s.Chunks)), Bytes: 180,
				TextEnd: int32(len(s.Text)), Tokens: -1, Kernel: true})
		}
	}
	s.LastData = at(p.now)
	if k := &s.Marks; !k.FirstByte.Known() {
		k.FirstByte, k.Headers = s.Chunks[0].At, s.Chunks[0].At
	}
	if k := &s.Marks; !k.FirstEvent.Known() {
		k.FirstEvent = s.Chunks[0].At
	}
}

// earlier adds runs with these times to first token and speeds.
func (p *player) earlier(f []string) {
	speeds := []string{}
	if len(f) > 2 {
		speeds = strings.Split(f[2], ",")
	}
	for i, text := range strings.Split(f[1], ",") {
		ms, _ := strconv.ParseFloat(text, 64)
		run := metrics.Run{Stream: metrics.Stream{ID: i + 1, State: metrics.Done, Conn: p.s.Conn, Work: p.s.Work, Endpoint: p.s.Endpoint}}
		run.Figures.TTFT, run.Figures.TokenSource = metrics.Known(ms, 0), metrics.TokensUsage
		if i < len(speeds) {
			v, _ := strconv.ParseFloat(speeds[i], 64)
			run.Figures.Speed = metrics.Known(v, 0)
		}
		p.in.Earlier = append(p.in.Earlier, run)
	}
}

// duration is the last of fields that is one.
func duration(f []string) time.Duration {
	for _, text := range slices.Backward(f) {
		if d, err := time.ParseDuration(text); err == nil {
			return d
		}
	}
	return 0
}
