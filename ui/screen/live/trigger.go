package live

import (
	"math"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/pick"
)

// intervals are the times from the beginning of one automatic run to that of
// the next. 0 is: after the run, and a time to read its figures.
var intervals = [...]time.Duration{0, 5 * time.Second, 10 * time.Second,
	30 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute}

const (
	// breath is the least time between two automatic runs: a person sees how the
	// one before ended.
	breath = metrics.Stamp(time.Second)
	// patientRetries is how many runs in a row may fail with a Retry-After until
	// auto waits for the person.
	patientRetries = 3
)

type stage uint8

const (
	// triggerOff: single runs only.
	triggerOff stage = iota
	// triggerRunning: a run is under way.
	triggerRunning
	// triggerWaiting: the next run begins at due.
	triggerWaiting
	// triggerPaused: a run failed. The next begins at due, and without due when
	// the person says so.
	triggerPaused
	// triggerEnded: the next run does not fit the allowance.
	triggerEnded
)

// trigger sends the same request again and again. It has no clock and sends
// nothing itself: step says what to do.
type trigger struct {
	stage    stage
	interval int           // index of intervals
	most     int           // runs after which it is off; 0: no limit
	began    metrics.Stamp // the last run
	due      metrics.Stamp // of the next run; NoStamp: not by itself
	id       int           // the run under way
	runs     int           // ended, since it was switched on
	failed   int           // of them, the last ones in a row
	held     metrics.Stamp // no run before it: nothing is left of a rate limit
	fault    *metrics.Fault
	cutShort bool // a run was stopped at the bound
	allow    allowance
}

// deed is what step wants done.
type deed uint8

const (
	nothing deed = iota
	sendNext
	stopRun
)

// active reports whether a further run may begin by itself, now or later.
func (t *trigger) active() bool { return t.stage != triggerOff && t.stage != triggerEnded }

// start switches it on. A run with the number id that is under way becomes its
// first; 0 is none.
func (t *trigger) start(now metrics.Stamp, a allowance, id int) {
	*t = trigger{stage: triggerWaiting, interval: t.interval, due: now, began: now, allow: a}
	if id > 0 {
		t.stage, t.id = triggerRunning, id
	}
}

// off switches it off and forgets everything but the interval.
func (t *trigger) off() { *t = trigger{interval: t.interval} }

// next begins the next run now, if the allowance permits.
func (t *trigger) next(now metrics.Stamp) {
	if t.stage == triggerWaiting || t.stage == triggerPaused {
		t.stage, t.due, t.failed = triggerWaiting, now, 0
	}
}

// raise enlarges the bounds, and goes on.
func (t *trigger) raise(now metrics.Stamp, more spend) {
	t.allow.bound = t.allow.bound.plus(more)
	t.cutShort = false
	t.stage, t.due = triggerWaiting, now
}

// begun notes the run that sendNext asked for.
func (t *trigger) begun(now metrics.Stamp, id int) {
	t.stage, t.began, t.id, t.due = triggerRunning, now, id, metrics.NoStamp
}

// sight is what step looks at.
type sight struct {
	stream *metrics.Stream  // the present one
	runs   []metrics.Run    // ended ones, the oldest first
	work   metrics.Workload // of the next run
	hold   bool             // something of the last run is looked at: it stays
}

// step says what is to be done at now.
func (t *trigger) step(now metrics.Stamp, v sight) deed {
	switch t.stage {
	case triggerRunning:
		return t.watch(now, v)
	case triggerPaused:
		if !t.due.Known() || now < t.due {
			return nothing
		}
	case triggerWaiting:
		if now < t.due || v.hold {
			return nothing
		}
	default:
		return nothing
	}
	if !t.allow.fits(&v.work) {
		t.stage = triggerEnded
		return nothing
	}
	return sendNext
}

// watch looks at the run under way, and counts it once it has ended.
func (t *trigger) watch(now metrics.Stamp, v sight) deed {
	if v.stream.ID > t.id { // the person sent another one
		t.id, t.began = v.stream.ID, now
	}
	if !v.stream.State.Ended() {
		a := &t.allow
		if !t.cutShort && a.bounded && !a.sofar(&v.stream.Work, len(v.stream.Chunks)).within(a.bound) {
			t.cutShort = true
			return stopRun
		}
		return nothing
	}
	if r := pick.First(v.runs, func(r *metrics.Run) bool { return r.Stream.ID == t.id }); r != nil {
		t.count(now, r)
	}
	return nothing
}

func (t *trigger) count(now metrics.Stamp, r *metrics.Run) {
	t.runs++
	t.allow.charge(r)
	t.fault = r.Stream.Fault
	switch r.Stream.State {
	case metrics.Cancelled:
		if t.stage = triggerOff; t.cutShort {
			t.stage = triggerEnded
		}
		return
	case metrics.Failed, metrics.Truncated:
		t.failed++
		t.stage, t.due = triggerPaused, metrics.NoStamp
		if hold := r.Stream.Hold(); hold > 0 && t.failed <= patientRetries {
			t.due = now + metrics.Stamp(hold)
		}
	default:
		t.failed, t.held = 0, now+metrics.Stamp(r.Stream.Hold())
		t.stage, t.due = triggerWaiting, max(t.began+metrics.Stamp(intervals[t.interval]), now+breath, t.held)
	}
	if t.most > 0 && t.runs >= t.most {
		t.stage = triggerOff
	}
}

// change chooses another interval: by 1 is faster, -1 slower. It applies to
// the next run at once.
func (t *trigger) change(by int, now metrics.Stamp) {
	t.interval = min(max(t.interval-by, 0), len(intervals)-1)
	if t.stage == triggerWaiting {
		t.due = max(t.began+metrics.Stamp(intervals[t.interval]), now+breath, t.held)
	}
}

// The bound of auto on an endpoint that may cost somebody else money or time.
const (
	// autoTokens is enough for some 80 runs of the first preset, and a few cents
	// at most providers.
	autoTokens = 20_000.0
	// autoMoney is in the currency of the price. It ends auto sooner only where
	// tokens are dear.
	autoMoney = 1.0
	// openOutput is the expected answer of a request without an output limit,
	// in tokens.
	openOutput = 1000.0
)

// spend is an amount of tokens, and what they cost where a price is known.
type spend struct{ tokens, money float64 }

func (a spend) plus(b spend) spend  { return spend{a.tokens + b.tokens, a.money + b.money} }
func (a spend) within(b spend) bool { return a.tokens <= b.tokens && a.money <= b.money }

// allowance bounds what auto may use. Its zero value is unbounded.
type allowance struct {
	bounded                bool
	bound, used            spend
	price                  metrics.Price
	promptMost, outputMost float64 // of one run so far, as counted
}

// newAllowance returns the allowance for e: none for this machine, unless a
// price is configured.
func newAllowance(e metrics.Endpoint) allowance {
	a := allowance{price: e.Price}
	if a.bounded = !onThisMachine(e) || a.priced(); a.bounded {
		a.bound = spend{autoTokens, autoMoney}
	}
	return a
}

// onThisMachine reports whether requests to e stay on this machine: the
// embedded endpoint, unix sockets and addresses of loopback.
func onThisMachine(e metrics.Endpoint) bool {
	if e.Kind == metrics.EndpointEmbedded {
		return true
	}
	u, err := url.Parse(e.URL)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || u.Scheme == "unix" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

func (a *allowance) priced() bool { return a.price.In > 0 || a.price.Out > 0 }

func (a *allowance) cost(prompt, output float64) spend {
	return spend{prompt + output, (prompt*a.price.In + output*a.price.Out) / 1e6}
}

// expect returns the most that one more request of w is expected to use: the
// prompt as the server counted the largest so far, else one token for three
// bytes; the output limit, without one openOutput or the largest so far.
func (a *allowance) expect(w *metrics.Workload) (prompt, output float64) {
	prompt = float64(len(w.Text())+len(w.Tools))/3 + 50 // the nonce, and the chat's own tokens
	if w.InputTokens > 0 {
		prompt = float64(w.InputTokens)*1.1 + 50
	}
	if a.promptMost > 0 {
		prompt = a.promptMost
	}
	if output = float64(w.MaxTokens); w.MaxTokens <= 0 {
		output = max(openOutput, a.outputMost)
	}
	return prompt, output
}

// with returns what is used after one more request of w, as expected.
func (a *allowance) with(w *metrics.Workload) spend { return a.used.plus(a.cost(a.expect(w))) }

// fits reports whether one more request of w stays within the bounds.
func (a *allowance) fits(w *metrics.Workload) bool { return !a.bounded || a.with(w).within(a.bound) }

// sofar returns what is used with a running request that has come to that many
// chunks. A chunk is at least a token.
func (a *allowance) sofar(w *metrics.Workload, chunks int) spend {
	prompt, _ := a.expect(w)
	return a.used.plus(a.cost(prompt, float64(chunks)))
}

// charge counts an ended request. What the server did not count is charged as
// expected. A refused request costs nothing.
func (a *allowance) charge(r *metrics.Run) {
	s, f := &r.Stream, &r.Figures
	if p := s.Endpoint.Price; !a.priced() && (p.In > 0 || p.Out > 0) {
		a.price = p // of the model that the server chose
	}
	prompt, _ := a.expect(&s.Work)
	switch {
	case f.PromptTokens.OK:
		prompt = f.PromptTokens.V
		a.promptMost = max(a.promptMost, prompt)
	case len(s.Chunks) == 0 && (!s.Marks.Sent.Known() || s.Fault != nil && s.Fault.Status != 0):
		prompt = 0
	}
	output := float64(f.Chunks)
	if f.Tokens.OK {
		output = max(f.Tokens.V, 0)
		a.outputMost = max(a.outputMost, output)
	}
	a.used = a.used.plus(a.cost(prompt, output))
}

// left returns what remains of the bounds, less what a running request has
// used so far.
func (a *allowance) left(w *metrics.Workload, running bool, chunks int) spend {
	used := a.used
	if running {
		used = a.sofar(w, chunks)
	}
	return spend{max(a.bound.tokens-used.tokens, 0), max(a.bound.money-used.money, 0)}
}

// raise returns by how much the bounds must grow for the next request of w and
// some more after it.
func (a *allowance) raise(w *metrics.Workload) spend {
	steps := func(over, step float64) float64 { return max(math.Ceil(over/step), 1) * step }
	next := a.with(w)
	more := spend{tokens: steps(next.tokens-a.bound.tokens, autoTokens)}
	if a.priced() {
		more.money = steps(next.money-a.bound.money, autoMoney)
	}
	return more
}
