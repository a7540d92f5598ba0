package live

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// fact is one row of the now panel: a label, and a function that draws value
// and remark behind it. The value takes a fixed number of columns.
type fact struct {
	label string
	draw  func(p *canvas, l *line, value int)
}

// facts are all rows, the most important first. fewFacts are those of a small
// panel.
var (
	facts = [...]fact{
		{"tokens", (*canvas).tokens}, {"longest", (*canvas).longest}, {"stalls", (*canvas).stalls},
		{"total", (*canvas).totalTime}, {"reader", (*canvas).waits}, {"chunks", (*canvas).chunks}, {"link", (*canvas).link},
		{"prompt", (*canvas).promptSize}, {"last 1 s", (*canvas).needle}, {"trend", (*canvas).trend},
		{"server", (*canvas).serverTimes}, {"limit", (*canvas).rateLimit},
	}
	fewFacts = [...]fact{{"tokens", (*canvas).tokens}, {"longest", (*canvas).longest}, {"chunks", (*canvas).chunks}}
)

// value writes a value in its columns. Behind an unknown value it writes the
// reason.
func value(l *line, v metrics.Value, text string, w int) bool {
	if v.OK {
		l.Slot(themes.Text, text, w)
		return true
	}
	l.Slot(themes.Dim, draw.Unknown, w)
	l.Cut(themes.Dim, format.Why(v.Why))
	return false
}

func (p *canvas) tokens(l *line, w int) {
	v := &p.v.Figures
	if value(l, v.Tokens, p.WholeOf(v.Tokens), w) {
		if !l.Whole(themes.Dim, v.TokenSource.String()) && v.TokenSource == metrics.TokensContinuous {
			l.Whole(themes.Dim, "by the server")
		}
	}
}

// longest is the longest gap; where there is no row for them, stalls and bursts follow.
func (p *canvas) longest(l *line, w int) {
	v := &p.v.Figures
	open, ok := p.openGap()
	switch {
	case ok:
		l.Slot(themes.Stall, open, w)
	case p.fewFacts && v.Chunks > 0:
		l.Slot(themes.Text, p.Duration(v.Longest), w)
	case !value(l, v.Longest, p.Duration(v.Longest), w):
		return
	}
	switch n := p.stallCount(); {
	case v.AtOnce():
	case p.fewFacts:
		l.Slot(format.Either(n > 0, themes.Stall, themes.Dim), p.Plural(n, "stall", "stalls"), 9)
		l.Whole(themes.Dim, p.Plural(len(v.Bursts), "burst", "bursts"))
	case ok:
		l.Whole(themes.Warn, "still going on")
	case v.LongestChunk >= 0:
		l.Whole(themes.Dim, p.Join("before chunk ", p.Count(v.LongestChunk+1)))
	}
}

// openGap is the silence under way where it is longer than every gap before it.
func (p *canvas) openGap() (text string, ok bool) {
	ms, ok := p.silence()
	if longest := p.v.Figures.Longest; !ok || longest.OK && ms <= longest.V {
		return "", false
	}
	num, unit := p.clock(ms)
	return p.Join(num, " ", unit), true
}

func (p *canvas) stalls(l *line, w int) {
	v := &p.v.Figures
	if v.Chunks == 0 || v.AtOnce() {
		value(l, v.Longest, "", w)
		return
	}
	role, n := themes.Text, p.stallCount()
	if n > 0 {
		role = themes.Stall
	}
	l.Slot(role, p.Count(n), w)
	if _, open := p.openGap(); open && n > 0 && len(v.Stalls) == 0 { // no gap that has ended costs anything
		l.Slot(themes.Dim, "cost at its end", 19)
	} else if cost := v.StalledFor(); n > 0 && cost.OK {
		share := ""
		if decode := v.Total.V - v.TTFT.V; v.Total.OK && v.TTFT.OK && decode > 0 {
			share = p.Join(", ", p.Percent(cost.V/decode))
		}
		l.Slot(themes.Dim, p.Join("cost ", p.Duration(cost), share), 19)
	}
	l.Slot(themes.Dim, "bursts", 7)
	l.Slot(themes.Text, p.Join(p.Count(len(v.Bursts)), " "), 4)
	if n := v.GapsUnknown; n > 0 &&
		!l.Whole(themes.Dim, p.Join(p.Count(n), format.Either(n == 1, " gap unknown", " gaps unknown"))) {
		l.Whole(themes.Dim, p.Join(p.Count(n), " unknown"))
	}
}

// waits is how long a reader had to wait for the stream.
func (p *canvas) waits(l *line, w int) {
	v := &p.v.Figures
	if v.BelowReading.OK && v.BelowReading.V == 0 {
		l.Cut(themes.Text, "never waits")
	} else if value(l, v.BelowReading, p.Percent(v.BelowReading.V), w) {
		l.Whole(themes.Dim, "of time waiting")
		l.Whole(themes.Dim, p.Join(", head start ", p.Duration(v.ReaderWait)))
	}
}

func (p *canvas) chunks(l *line, w int) {
	v := &p.v.Figures
	l.Slot(themes.Text, p.Count(v.Chunks), w)
	if v.TokensPerChunk.OK {
		l.Whole(themes.Dim, p.Join(p.Number(v.TokensPerChunk.V), " tokens per chunk"))
	}
}

func (p *canvas) promptSize(l *line, w int) {
	v := &p.v.Figures
	if !value(l, v.PromptTokens, p.WholeOf(v.PromptTokens), w) {
		return
	}
	l.Write(themes.Dim, "tokens")
	if v.CachedTokens.OK {
		l.Whole(themes.Dim, p.Join(", ", p.WholeOf(v.CachedTokens), " cached"))
	}
}

// needle is the speed over the last second.
func (p *canvas) needle(l *line, w int) {
	v := &p.v.Figures
	if !value(l, v.LiveSpeed, p.NumberOf(v.LiveSpeed), w) {
		return
	}
	l.Whole(themes.Dim, format.Either(v.LiveIsChunks, "chunks/s", "tok/s"))
	switch {
	case !v.Peak.OK:
		_ = l.Whole(themes.Dim, p.Join(" · peak ", draw.Unknown, " (", format.Why(v.Peak.Why), ")")) ||
			l.Whole(themes.Dim, p.Join(" · peak ", draw.Unknown))
	case v.PeakRead > 0:
		l.Whole(themes.Dim, p.Join(" · peak ≤", p.NumberOf(v.Peak)))
	default:
		l.Whole(themes.Dim, p.Join(" · peak ", p.NumberOf(v.Peak)))
	}
}

func (p *canvas) trend(l *line, w int) {
	v := &p.v.Figures
	if value(l, v.Trend, p.change(v.Trend.V), w) {
		l.Whole(themes.Dim, "per 1000 tokens")
	}
}

// totalTime is the time to the last chunk, and the sum that it should be with
// what that leaves over.
func (p *canvas) totalTime(l *line, w int) {
	v := &p.v.Figures
	if !value(l, v.Total, p.Duration(v.Total), w) {
		return
	}
	if !v.Residual.OK || !v.DecodeTokens.OK {
		l.Whole(themes.Dim, "sent to last chunk")
		return
	}
	rest := p.Ms(format.Residual(v.Residual.V))
	if !l.Whole(themes.Dim, p.Join("= TTFT + ", p.WholeOf(metrics.Known(v.DecodeTokens.V-1, 0)), " × TPOT + ", rest)) &&
		!l.Whole(themes.Dim, p.Join("residual ", rest)) {
		l.Whole(themes.Dim, "sent to last chunk")
	}
}

// link says over what connection the stream came.
func (p *canvas) link(l *line, w int) {
	c := &p.v.Stream.Conn
	if c.Proto == "" {
		l.Slot(themes.Dim, draw.Unknown, w)
		l.Cut(themes.Dim, format.Either(p.v.Stream.State.Ended(), "no answer", "no answer yet"))
		return
	}
	word := "new"
	if c.Reused {
		word = "reused"
	}
	l.Slot(themes.Text, word, w)
	l.Whole(themes.Dim, safeName(c.Proto))
	if p.v.Stream.Retried > 0 {
		l.Whole(themes.Warn, " · retried")
	}
	if c.TLS != "" {
		l.Whole(themes.Dim, p.Join(" · ", safeName(c.TLS)))
	}
	if t := p.v.Stream.Path; t != nil && t.RTT > 0 {
		l.Whole(themes.Dim, p.Join(" · RTT ", p.Ms(float64(t.RTT)/1e6)))
	}
	if c.Proxy != "" {
		l.Whole(themes.Warn, " · via proxy")
	}
}

// serverTimes lists what the server said about itself, beside and never in
// our own figures.
func (p *canvas) serverTimes(l *line, w int) {
	st := &p.v.Stream
	if len(st.Server) == 0 {
		l.Slot(themes.Dim, draw.Unknown, w)
		l.Cut(themes.Dim, format.Either(st.State.Ended(), "none reported", "none reported yet"))
		return
	}
	for i, t := range st.Server {
		sep := ""
		if i > 0 {
			sep = " · "
		}
		if !l.Whole(themes.Dim, p.Join(sep, safeName(t.Name), " ", p.Ms(float64(t.D)/1e6))) {
			break
		}
	}
}

// rateLimit is what is left of the limit that is used up first.
func (p *canvas) rateLimit(l *line, w int) {
	f, what := &p.v.Limits.Tokens, "tokens"
	if first, tokens := p.v.Limits.UsedUp(); !f.Known() || first != nil && !tokens {
		f, what = &p.v.Limits.Requests, "requests"
	}
	if !f.Known() {
		l.Slot(themes.Dim, draw.Unknown, w)
		l.Cut(themes.Dim, "not reported")
		return
	}
	role := themes.Text
	if f.Outcome == metrics.LimitUsedUp {
		role = themes.Warn
	}
	l.Slot(role, p.Count(f.Left), w)
	l.Cut(themes.Dim, p.Join(what, say.LimitNext(f).String()))
}

// observer writes the lag of tokscope itself, so that nobody blames the
// server for what we did.
func (p *canvas) observer(l *line, w int) {
	o := &p.v.Observer
	if e := &p.v.Stream.Observer; p.v.Stream.State.Ended() && e.N > 0 {
		o = e
	}
	late := float64(o.LateP99) / 1e6
	// Our lag does not affect the kernel's stamps.
	blurred := o.LateP99 > screen.LateWarn && p.v.Stream.Stamps != metrics.SourceKernel && len(p.v.Stream.Chunks) > 0
	d := &p.v.Figures.Delay
	switch {
	case d.Code == metrics.DelayReads:
		l.Slot(themes.Warn, p.Ms(d.P99), w)
	case o.N == 0:
		l.Slot(themes.Dim, draw.Unknown, w)
		l.Whole(themes.Dim, format.Either(p.v.Stream.State.Ended(), "ended too soon to tell ", "not measured yet "))
	case blurred:
		l.Slot(themes.Warn, p.Ms(late), w)
		l.Whole(themes.Warn, "late: blurred · ")
	case o.LateP99 > screen.LateWarn:
		l.Slot(themes.Text, p.Ms(late), w)
	default:
		l.Slot(themes.Good, p.Ms(late), w)
	}
	if st := &p.v.Stream; st.Events > 0 || len(st.Chunks) > 0 { // before that no stamp was taken
		l.Whole(themes.Dim, p.Join(p.v.Stream.Stamps.String(), " stamps"))
	}
	if d.Code == metrics.DelayReads {
		l.Whole(themes.Warn, p.Join(" · gaps ", p.Percent(1-d.Shared), " known"))
	}
	if o.LateEvents > 0 {
		l.Whole(themes.Warn, p.Join(" · ", p.Plural(o.LateEvents, "chunk", "chunks"), " read late"))
	}
}
