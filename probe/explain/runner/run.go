package runner

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/explain"
	"tokscope/probe/loadgen"
	"tokscope/probe/sim"
	"tokscope/probe/sim/text"
	"tokscope/probe/transport"
)

// run is the state while the bench is open.
type run struct {
	steered *sim.Steered
	engine  *client.Engine
	load    *loadgen.Load
	rec     *explain.Recorder
	clients clients
	reports *reports
	watch   watch
	slipped time.Duration // of the simulation, before the measurement began
	epoch   int           // changes that began to measure anew
	pacer   pacer
	left    chan struct{} // closed when it is left
	once    sync.Once
}

// longestJoin bounds the time over which users begin, on the wall, so that
// the engine is not empty for longer.
const longestJoin = 8 * time.Second

// longestRest bounds the remaining wall time of a step planned for other
// knobs. On a slow machine some take minutes, too long to see the effect of a
// knob. Beyond the bound engine time jumps to the step's end.
const longestRest = 3 * time.Second

// newRun lets the users of a config stream through the simulation of a server.
func newRun(s *sim.Server, r *explain.EngineConfig, o explain.Objectives, b *Runner) (*run, error) {
	c := config(r)
	l, err := s.Steered(c)
	if err == nil {
		l.Pause(false)
		err = l.Configure(c) // it may exist since an earlier opening
	}
	if err != nil {
		return nil, err
	}
	bounds := transport.DefaultBounds()
	// A pause may last indefinitely, so these waits have no bound.
	bounds.FirstByte, bounds.FirstToken, bounds.Idle = 0, 0, 0
	n := &run{
		steered: l, engine: client.New(client.Options{Bounds: bounds}), rec: explain.NewRecorder(r.Setup, r.Knobs.Users, o),
		left: make(chan struct{}), slipped: l.Pacing().Slipped,
	}
	n.rec.Change(l.Clock(), &r.Knobs, &r.Knobs, r.Setup, r.Knobs.Users, o)
	n.clients.begin(n.engine.Clock().Now(), r.Knobs.Time)
	n.reports = &reports{rec: n.rec, version: &b.version}
	n.reports.senders.Store(&map[string]int{})
	l.Observe(n.reports.add)
	w, join := work(r)
	n.load = loadgen.Start(context.Background(), loadgen.Config{
		Engine: n.engine, Work: w, SharedPrefix: r.Knobs.PrefixCache,
		Shape: loadgen.Shape{Drive: loadstat.Drive{Users: r.Knobs.Users}, Join: join}, Ended: n.clients.ended,
		Target: endpoint.Target{
			Endpoint: metrics.Endpoint{Kind: metrics.EndpointEmbedded,
				Name: "demo", URL: s.URL(), Model: sim.SteeredModel, Ready: true},
			Auth: endpoint.AuthNone, Server: "tokscope",
		},
	})
	n.pacer.begin(n.done())
	return n, nil
}

// config is the config for the simulation, at the speed of the time knob.
func config(r *explain.EngineConfig) sim.SteeredConfig {
	return sim.SteeredConfig{Config: r.Config, PrefixCache: r.Knobs.PrefixCache, Speed: r.Knobs.Time}
}

// work is what the users of a config send, and the time over which they begin.
func work(r *explain.EngineConfig) (w metrics.Workload, join time.Duration) {
	k := &r.Knobs
	join = time.Duration(r.Answer() / k.Time * float64(time.Second))
	w = metrics.Workload{Name: "explain", Prompt: prompt(k.Prompt, !k.PrefixCache), MaxTokens: k.Output}
	return w, min(join, longestJoin)
}

// question ends every prompt with enough room: the answer is about serving.
const question = "Explain how a server makes these tokens."

// prompt returns a text that the embedded endpoint counts as n tokens. The
// count includes the endpoint's own additions and, when distinct, the line in
// front that makes each prompt different. A prompt of fewer tokens than these
// is one word.
func prompt(n int, distinct bool) string {
	around := text.Count("<|user|>\n\n<|assistant|>\n")
	if distinct {
		around += text.Count("[request 01234567-100]\n\n")
	}
	left := n - around - text.Count("\n\n"+question)
	tail := "\n\n" + question
	if left < 1 {
		left, tail = max(n-around, 1), ""
	}
	filler := client.Synthetic(2*left+32, "")
	var b strings.Builder
	for range left {
		t := text.Next(filler)
		b.WriteString(t)
		filler = filler[len(t):]
	}
	return b.String() + tail
}

// change lets the simulation and the users be those of another config.
func (n *run) change(was, r *explain.EngineConfig, o explain.Objectives, anew bool) error {
	w, join := work(r)
	n.load.Steer(func(c *loadgen.Config) { c.Work, c.SharedPrefix, c.Shape.Join = w, r.Knobs.PrefixCache, join })
	if err := n.steered.Configure(config(r)); err != nil {
		return err
	}
	if n.remains(r) > longestRest {
		n.steered.Skip(n.rec.Busy())
	}
	n.pacer.begin(n.done())
	n.begin(was, r, o)
	if was.Knobs.Users != r.Knobs.Users {
		n.load.Resize(r.Knobs.Users)
	}
	// Running requests may be too long for the new cache.
	if anew || was.Knobs.Prompt+was.Knobs.Output+r.Knobs.DraftK > r.Setup.Longest()-32 {
		// The step under way ends as planned. Requests that arrived before its
		// end would be served together, and stay in step.
		n.load.Renew(min(max(n.remains(r), 0), longestRest), join)
	}
	return nil
}

// remains is how long the step under way takes yet, on the wall, at the speed of
// r; 0 or less when none is under way.
func (n *run) remains(r *explain.EngineConfig) time.Duration {
	return time.Duration((n.rec.Busy() - n.steered.Clock()) / r.Knobs.Time * float64(time.Second))
}

// begin measures anew from now on.
func (n *run) begin(was, r *explain.EngineConfig, o explain.Objectives) {
	n.epoch++
	n.rec.Change(n.steered.Clock(), &was.Knobs, &r.Knobs, r.Setup, r.Knobs.Users, o)
	n.clients.begin(n.engine.Clock().Now(), n.speed(r))
	n.slipped = n.steered.Pacing().Slipped
}

// retime changes the speed of time, and nothing else.
func (n *run) retime(was, r *explain.EngineConfig) {
	n.pacer.begin(n.done())
	n.setSpeed(r)
	n.rec.Mark(n.steered.Clock(), &was.Knobs, &r.Knobs)
}

// disturb excludes in-flight client timings: time did not run evenly.
func (n *run) disturb(r *explain.EngineConfig) {
	n.clients.disturb(n.engine.Clock().Now(), n.speed(r))
	n.pacer.disturb(n.done())
}

// broken returns why the users have stopped, zero while they run.
func (n *run) broken() metrics.Ending {
	v := n.load.View()
	return cmp.Or(v.Broken, v.Stopped)
}

// sendersEvery is the interval for learning the sender of each request, short
// enough for the shortest answers visible in a batch.
const sendersEvery = 100 * time.Millisecond

// senders learns the user of each request. A client knows the id of its
// request once the headers of the answer have arrived.
func (n *run) senders() {
	n.every(sendersEvery, func(rests bool) {
		if rests {
			return
		}
		by := map[string]int{}
		n.load.Streams(func(user int, v metrics.Stream) {
			if v.RequestID != "" {
				by[v.RequestID] = user
			}
		})
		n.reports.senders.Store(&by)
	})
}

// every calls f at an interval until the run is left. rests tells that the engine has
// been unchanged for more than a second: the clients have had their last chunks then.
func (n *run) every(interval time.Duration, f func(rests bool)) {
	t := time.NewTicker(interval)
	defer t.Stop()
	version, since := uint64(0), time.Duration(0)
	for {
		select {
		case <-n.left:
			return
		case <-t.C:
		}
		if v := n.rec.Look().Version; v != version {
			version, since = v, 0
		}
		since += interval
		f(since > time.Second)
	}
}

// leave stops the run; it returns at once.
func (n *run) leave() {
	n.once.Do(func() {
		close(n.left)
		n.steered.Observe(nil)
		n.load.Stop()
		n.steered.Pause(false)
	})
}

// end waits for all goroutines of the run and closes its connections.
func (n *run) end() {
	n.load.Wait()
	n.engine.Close()
}
