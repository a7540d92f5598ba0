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
		if f := strings.Fields(step); len(f) > 0 && !p.play(f) {
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

// step is a step of a plan: its words, the last of them that is a duration, and the
// number that is its second word.
type step struct {
	words []string
	d     time.Duration
	n     int
}

// play plays a step, and reports whether it knows it.
func (p *player) play(f []string) bool {
	x := step{words: f, d: duration(f)}
	x.n, _ = strconv.Atoi(f[min(1, len(f)-1)])
	many, err := strconv.Atoi(f[0])
	switch do := plays[f[0]]; {
	case do != nil:
		do(p, x)
	case err == nil && len(f) == 4:
		p.reads(many, 1, x.d)
	case err == nil && len(f) == 6:
		each, _ := strconv.Atoi(f[3])
		p.reads(many, each, x.d)
	default:
		return false
	}
	return true
}

// plays has the steps that do not begin with a number: those of a connection, those
// before the first chunk, chunks, what the server reports, the end, and what the socket
// tells.
var plays = map[string]func(p *player, x step){
	"client":     func(p *player, x step) { p.now += x.d },
	"dns":        func(p *player, x step) { p.part(&p.s.Marks.DNSStart, &p.s.Marks.DNSDone, x.d) },
	"tcp":        func(p *player, x step) { p.part(&p.s.Marks.ConnectStart, &p.s.Marks.ConnectDone, x.d) },
	"tls":        func(p *player, x step) { p.part(&p.s.Marks.TLSStart, &p.s.Marks.TLSDone, x.d) },
	"reused":     func(p *player, _ step) { p.s.Conn.Reused, p.s.Marks.GotConn = true, at(p.now) },
	"connecting": (*player).connecting,
	"asking":     func(p *player, x step) { p.s.Asking, p.now = true, p.now+x.d },
	"upload":     (*player).upload,
	"prefill":    (*player).wait,
	"wait":       (*player).wait,
	"headers": func(p *player, x step) {
		p.s.Marks.FirstByte, p.s.Marks.Headers = p.s.Marks.Sent+at(x.d), p.s.Marks.Sent+at(x.d)
	},
	"role": func(p *player, x step) {
		p.s.Marks.FirstEvent, p.s.Marks.FirstRole = p.s.Marks.Sent+at(x.d), p.s.Marks.Sent+at(x.d)
		p.s.State = metrics.Decoding
	},
	"progress": func(p *player, x step) {
		fmt.Sscanf(x.words[1], "%d/%d", &p.s.Progress.Processed, &p.s.Progress.Total)
		p.s.Progress.At = at(p.now)
	},
	"queued":   func(p *player, _ step) { p.s.Queue = metrics.QueueWaiting },
	"admitted": func(p *player, _ step) { p.s.Queue = metrics.QueueAdmitted },
	"retried":  func(p *player, _ step) { p.s.Retried = 1 },
	"here":     func(p *player, _ step) { p.s.Endpoint.Kind = metrics.EndpointEmbedded },
	"proxy":    func(p *player, _ step) { p.s.Conn.Proxy = "10.0.0.1:3128" },
	"front":    func(p *player, x step) { p.s.Fronts = append(p.s.Fronts, metrics.Front(x.words[1])) },
	"asked":    func(p *player, x step) { p.s.Endpoint.Model = x.words[1] },
	"answered": func(p *player, x step) { p.s.Model = x.words[1] },
	"lens":     func(p *player, x step) { p.in.Lens = x.words[1] },
	"earlier":  func(p *player, x step) { p.earlier(x.words) },

	"size":    func(p *player, x step) { p.collected(x.words) },
	"timer":   func(p *player, x step) { p.collected(x.words) },
	"burst":   func(p *player, x step) { p.reads(1, x.n, 20*time.Millisecond) },
	"stall":   func(p *player, x step) { p.now, p.fresh, p.pause = p.now+x.d, true, x.d },
	"silence": func(p *player, x step) { p.now += x.d },
	"done":    func(p *player, _ step) { p.s.State, p.s.Finish = metrics.Done, "stop" },
	"cut":     func(p *player, _ step) { p.ends(metrics.Truncated, metrics.FaultTruncated) },
	"stop":    func(p *player, _ step) { p.ends(metrics.Cancelled, metrics.FaultCancelled) },
	"fail": func(p *player, x step) {
		p.ends(metrics.Failed, metrics.FaultKind(x.words[1]))
		p.s.Fault.RetryAfter = x.d
		if len(x.words) > 2 {
			p.s.Fault.Status, _ = strconv.Atoi(x.words[2])
		}
	},
	"bound":  func(p *player, x step) { p.s.Fault.Bound = strings.Join(x.words[1:], " ") },
	"usage":  func(p *player, x step) { p.s.Usage.Completion, p.s.TokensFrom = x.n, metrics.TokensUsage },
	"prompt": func(p *player, x step) { p.s.Usage.Prompt, p.s.Work.Prompt = x.n, strings.Repeat("word ", x.n) },
	"cached": func(p *player, x step) { p.s.Usage.Cached = x.n },
	"server": func(p *player, x step) {
		p.s.Server = append(p.s.Server, metrics.ServerTime{Name: x.words[1], D: x.d, From: "timings"})
	},
	"late":      func(p *player, x step) { p.late = x.d },
	"lag":       func(p *player, x step) { p.s.Observer = metrics.Observer{LateP99: x.d, LateMax: x.d, N: 400} },
	"suspended": func(p *player, x step) { p.s.Observer.LateMax, p.s.Observer.N = x.d, 400 },
	"user":      func(p *player, _ step) { p.s.Stamps = metrics.SourceUser },
	"body":      func(p *player, _ step) { p.s.Stamps = metrics.SourceBody },

	"rtt":     func(p *player, x step) { p.path().RTT = x.d },
	"counted": (*player).counted, "socket": (*player).socket,
	"holes": func(p *player, x step) {
		p.path().Silence.Chunk, p.path().Silence.OutOfOrder = len(p.s.Chunks), x.n
	},
	"connect": (*player).connect,
}

// part is a part of a connection that takes d.
func (p *player) part(from, to *metrics.Stamp, d time.Duration) {
	*from = at(p.now)
	p.now += d
	*to, p.s.Marks.GotConn = at(p.now), at(p.now)
}

func (p *player) connecting(x step) {
	k := &p.s.Marks
	k.GotConn = metrics.NoStamp
	if from := map[string]*metrics.Stamp{"dns": &k.DNSStart, "tcp": &k.ConnectStart,
		"tls": &k.TLSStart}[x.words[1]]; from != nil {
		*from = at(p.now)
	}
	p.now += x.d
}

func (p *player) upload(x step) {
	if x.words[1] != "acknowledged" {
		p.now += x.d
		return
	}
	p.path().Acked, p.path().Upload = p.s.Marks.Sent+at(x.d), true
}

func (p *player) wait(x step) {
	p.s.Marks.Sent, p.s.State = at(p.now), metrics.Waiting
	p.now, p.fresh = p.now+x.d, true
}

func (p *player) ends(state metrics.State, kind metrics.FaultKind) {
	p.s.State, p.s.Fault = state, &metrics.Fault{Kind: kind}
}

// path is what the socket tells.
func (p *player) path() *metrics.Path {
	if p.s.Path == nil {
		p.s.Path = &metrics.Path{Source: metrics.PathTCPInfo, Acked: metrics.NoStamp, RTT: 12 * time.Millisecond}
	}
	return p.s.Path
}

func (p *player) socket(step) { p.path().Source, p.path().RTT = metrics.PathUnixSocket, 0 }

func (p *player) counted(x step) {
	path := p.path()
	g := metrics.PathGap{Chunk: len(p.s.Chunks), At: at(p.now), Ms: float64(p.pause) / 1e6, Usual: float64(p.pace) / 1e6,
		RTT: float64(path.RTT) / 1e6, Segments: 1, Counted: true, OutOfOrder: x.n}
	g.Together, _ = strconv.Atoi(x.words[2])
	path.Gaps, path.OutOfOrder = append(path.Gaps, g), path.OutOfOrder+g.OutOfOrder
}

func (p *player) connect(x step) {
	last := p.s.Marks.Sent
	if n := len(p.s.Chunks); n > 0 {
		last = p.s.Chunks[n-1].At
	}
	c := metrics.PathConnect{At: last + at(time.Second), Elapsed: x.d, Result: metrics.ConnectOK}
	if x.d == 0 {
		c.Result = metrics.ConnectResult(x.words[1])
	}
	p.path().Connects = append(p.path().Connects, c)
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
			s.Chunks = append(s.Chunks, metrics.Chunk{At: at(p.now), User: at(p.now + p.late), Read: p.read,
				Event: int32(len(s.Chunks)), Bytes: 180,
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
		run := metrics.Run{Stream: metrics.Stream{ID: i + 1, State: metrics.Done, Conn: p.s.Conn, Work: p.s.Work,
			Endpoint: p.s.Endpoint}}
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
