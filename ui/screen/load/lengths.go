package load

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/ui/screen"
)

// lengths are the ended requests of the present load by the length of their
// prompts. A change of users, rate, model or endpoint begins them anew. One of the
// workload does not: it is how a person gets other lengths.
type lengths struct {
	by    request.ByLength
	works int           // changes of the workload among the requests
	since metrics.Stamp // only requests that began since then count
	later bool          // since is after the load's begin

	users float64 // or requests per second where open; 0 before a load
	open  bool
	ramps bool // users or rate change all the time

	of     request.Prefix   // of the requests of fit
	fit    loadstat.TTFTFit // unknown with its reason
	fitted metrics.Stamp    // when it was made
	refit  bool             // requests have ended since then

	prompts, prefill, decode extent // of all points; of decode, of the medians
	wide                     bool   // the prefill speeds span more than wideSpan

	seen    lengthsSeen
	version uint64
}

// wideSpan is the ratio of the highest to the lowest prefill speed above which
// their axis is logarithmic: a cached prompt is far faster than a cold one.
const wideSpan = 10

// fitEvery is the time between two fits. One of 200 requests has 19,900 slopes.
const fitEvery = 4 * screen.FiguresEvery

// lengthsSeen is what lengths depend on.
type lengthsSeen struct {
	began, now  metrics.Stamp // now: to a quarter of a second
	ended       int
	marks, path int
	running     bool
}

// follow reads what has ended since the last call.
func (s *lengths) follow(v *View) {
	l := &v.Load
	seen := lengthsSeen{v.Ended.Began, l.Now / screen.FiguresEvery, v.Ended.Ended, len(l.Marks), len(l.Path), l.Running}
	if s.version > 0 && seen == s.seen {
		return
	}
	s.seen = seen
	since, works := loadSince(l)
	before := s.by.Requests
	changed := s.by.Read(&v.Ended, since) || s.version == 0
	if since != s.since || s.by.Requests < before {
		s.fit.N = 0 // of requests that no longer count
	}
	if works != s.works || since != s.since {
		s.works, s.since, changed = works, since, true
	}
	s.later = since > l.Began
	if l.Running {
		s.users, s.open, s.ramps = float64(l.Target), l.Rate > 0, l.Drive.Ramps()
		if s.open {
			s.users = l.Rate
		}
	}
	if changed {
		s.version++
		s.refit = true
		s.span()
	}
	if s.refit && (s.fit.N == 0 || !l.Running || l.Now < s.fitted || l.Now-s.fitted >= fitEvery) {
		s.version++
		s.of = request.Cold
		prompts, ttfts := s.by.Of(request.Cold)
		if all, ms := s.by.Of(request.Unstated); len(prompts) == 0 && len(all) > 0 { // no cached tokens are reported
			s.of, prompts, ttfts = request.Unstated, all, ms
		}
		s.fit, s.fitted, s.refit = loadstat.FitTTFT(prompts, ttfts), l.Now, false
	}
}

// span finds the ranges of the axes.
func (s *lengths) span() {
	s.prompts, s.prefill, s.decode = extent{}, extent{}, extent{}
	for i := range s.by.Groups {
		g := &s.by.Groups[i]
		s.decode.span(g.Speed)
		for k := range g.Sides {
			for _, q := range g.Sides[k].Points {
				s.prompts.span(metrics.Known(q.Prompt, 1))
				s.prefill.span(metrics.Known(q.Prefill, 1))
			}
		}
	}
	s.wide = s.prefill.top > wideSpan*s.prefill.low
}

// has reports whether a request with that prefix is among the points.
func (s *lengths) has(prefix request.Prefix) bool {
	return slices.ContainsFunc(s.by.Groups, func(g request.LengthGroup) bool { return len(g.Sides[prefix].Points) > 0 })
}

// loadSince returns since when users, rate, model and endpoint are the present
// ones, and how often the workload has changed since then.
func loadSince(l *loadstat.View) (since metrics.Stamp, works int) {
	since = l.Began
	for i := len(l.Marks) - 1; i >= 0; i-- {
		m := &l.Marks[i]
		if !loadstat.SameModel(m.From, m.To) || !loadstat.SameDrive(m.From, m.To) {
			since = max(since, m.At)
			break
		}
		if !loadstat.SamePrompts(m.From, m.To) {
			works++
		}
	}
	if l.Drive.Ramps() {
		return since, works
	}
	for i := len(l.Path) - 1; i >= 0 && l.Path[i].To > since; i-- {
		if l.Path[i].Ramp != nil {
			since = l.Path[i].To // until then the load changed
		}
	}
	return since, works
}

// showsLengths reports whether the chart over the length of prompts is shown.
func (v *View) showsLengths() bool {
	return v.Kind%Kinds == Lengths && (v.Max == NoPanel || v.Max == ChartPanel)
}

// logs reports whether the first chart's axes are logarithmic.
func (v *View) logs(n *lengths) bool { return v.Log != (v.showsLengths() && n.wide) }

// sampleEnded takes the ended requests while their list or their chart is shown, four
// times a second while the load runs.
func (s *Screen) sampleEnded(force bool) {
	l := &s.view.Load
	soon := l.Running && l.Now >= s.endedAt && l.Now-s.endedAt < screen.FiguresEvery
	if !s.listed() && !s.view.showsLengths() && s.view.Replay == nil || soon && !force {
		return
	}
	s.view.Ended, s.endedAt = s.from.LoadRequests(), l.Now
	if s.listed() {
		s.list.Update(s.view.Ended)
	}
}
