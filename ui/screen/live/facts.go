package live

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// fact draws one of the figures panel's short facts: a label, and behind it a value with
// as much of its remarks as fits whole. It draws nothing, and is false, where there is
// nothing to say.
type fact = func(p *canvas, l *line) bool

// facts are all of them, the most important first. Those that only few runs have stand
// before those that never change.
var facts = [...]fact{(*canvas).tokens, (*canvas).longest, (*canvas).stalls, (*canvas).reads, (*canvas).totalTime,
	(*canvas).needle, (*canvas).trend, (*canvas).model, (*canvas).tier, (*canvas).stamps, (*canvas).link,
	(*canvas).rateLimit, (*canvas).unknownGaps, (*canvas).chunks, (*canvas).promptSize}

// columnsFrom is the width from which on facts stand in two columns, LabelRoom that of a
// label.
const columnsFrom, LabelRoom = 44, 8

// facts fills a panel with them, column by column.
func (p *canvas) facts(in draw.Rect) {
	left, right := in, draw.Rect{}
	if in.W >= columnsFrom {
		left, right = in.SplitH(in.W * 3 / 5)
		left.W--
	}
	y := 0
	var l line // one for all: it escapes
	for _, f := range facts {
		if l = p.Row(left, y); y >= left.H {
			l = p.Row(right, y-left.H)
		}
		if f(p, &l) {
			y++
		}
	}
}

// value writes a label and a value, or the reason why that is unknown.
func (p *canvas) value(l *line, label string, v metrics.Value, role themes.Role, text string) bool {
	if v.OK {
		p.fact(l, label, role, text)
		return true
	}
	p.fact(l, label, themes.Dim, draw.Unknown)
	l.Cut(themes.Dim, p.Join(" ", format.Why(v.Why)))
	return false
}

func (p *canvas) fact(l *line, label string, role themes.Role, text string) {
	l.Slot(themes.Dim, label, max(LabelRoom, draw.Width(label)+1))
	l.Cut(role, text)
}

// more writes a remark behind a value.
func (p *canvas) more(l *line, text string) bool { return l.Whole(themes.Dim, p.Join(", ", text)) }

func (p *canvas) tokens(l *line) bool {
	v := &p.v.Figures
	if v.Chunks == 0 && !v.Tokens.OK {
		return false
	}
	if p.value(l, "tokens", v.Tokens, themes.Text, p.WholeOf(p.tokensNow())) {
		p.more(l, say.TokensFrom(v.TokenSource))
	}
	return true
}

// longest is the longest gap, or the silence under way where that is longer.
func (p *canvas) longest(l *line) bool {
	v := &p.v.Figures
	if open, ok := p.openGap(); ok {
		p.fact(l, "longest", themes.Stall, open)
		l.Whole(themes.Warn, format.Either(p.v.Stream.State.Ended(), ", until the end", ", still going on"))
	} else if v.Chunks == 0 {
		return false
	} else if p.value(l, "longest", v.Longest, themes.Text, p.Duration(v.Longest)) && v.LongestChunk >= 0 {
		p.more(l, p.Join("chunk ", p.Count(v.LongestChunk+1)))
	}
	return true
}

// openGap is the silence under way where it is longer than every gap before it.
func (p *canvas) openGap() (text string, ok bool) {
	ms, ok := p.silence()
	if longest := p.v.Figures.Longest; !ok || longest.OK && ms <= longest.V {
		return "", false
	}
	if p.v.Stream.State.Ended() {
		return p.Join("> ", p.Ms(ms)), true
	}
	return p.Stopwatch(ms), true
}

// stalls are the pauses, that under way included, and what share of decode they cost. The
// time that they cost is a little less than their own, which stands above: all figures
// have it, with its name.
func (p *canvas) stalls(l *line) bool {
	v, n := &p.v.Figures, p.stallCount()
	if n == 0 {
		return false
	}
	p.fact(l, format.Either(n == 1, "pause", "pauses"), themes.Stall, p.Count(n))
	if _, open := p.openGap(); open && len(v.Stalls) == 0 { // no gap that has ended costs anything
		p.more(l, "cost known when it ends")
	} else if v.StallShare.OK {
		p.more(l, p.Join(p.Percent(v.StallShare.V), " of decode"))
	}
	return true
}

// unknownGaps are those of chunks that came together.
func (p *canvas) unknownGaps(l *line) bool {
	v := &p.v.Figures
	if len(v.Bursts) == 0 {
		return false
	}
	p.fact(l, "bursts", themes.Text, p.Count(len(v.Bursts)))
	if n := v.GapsUnknown; n > 0 {
		p.more(l, p.Plural(n, "gap unknown", "gaps unknown"))
	}
	return true
}

// reads compares with a reader, who has begun with the first word.
func (p *canvas) reads(l *line) bool {
	v := &p.v.Figures
	if v.Chunks == 0 || !v.TimesReading.OK {
		return false
	}
	p.fact(l, p.pace().Name, themes.Text, p.times(v.TimesReading))
	switch waits := v.BelowReading; {
	case !waits.OK:
	case waits.V == 0:
		p.more(l, "never waits after the first word")
	case p.more(l, p.Join("waits ", p.Percent(waits.V))):
		p.more(l, p.Join("head start ", p.Duration(v.ReaderWait)))
	}
	return true
}

func (p *canvas) chunks(l *line) bool {
	v := &p.v.Figures
	if v.Chunks == 0 {
		return false
	}
	p.fact(l, "chunks", themes.Text, p.Count(p.chunksNow()))
	if n := v.TokensPerChunk; n.OK && n.V != 1 {
		p.more(l, p.Join(p.Number(n.V), " tokens per chunk"))
	}
	return true
}

func (p *canvas) promptSize(l *line) bool {
	v := &p.v.Figures
	if !v.PromptTokens.OK {
		return false
	}
	p.fact(l, "prompt", themes.Text, p.Join(p.WholeOf(v.PromptTokens), " tokens"))
	if v.CachedTokens.OK {
		p.more(l, p.Join(p.WholeOf(v.CachedTokens), " cached"))
	}
	return true
}

// needle is the speed over the last second while text comes.
func (p *canvas) needle(l *line) bool {
	v := &p.v.Figures
	if p.v.Stream.State != metrics.Decoding || !v.LiveSpeed.OK {
		return false
	}
	unit := format.Either(v.LiveIsChunks, " chunks/s", " tok/s")
	p.fact(l, "now", themes.Text, p.Join(p.NumberOf(v.LiveSpeed), unit))
	if v.Peak.OK {
		p.more(l, p.Join("peak ", format.If(v.PeakRead > 0, "≤"), p.NumberOf(v.Peak)))
	}
	return true
}

// trend is how the gaps change, where that is worth a word and there is room for its unit.
func (p *canvas) trend(l *line) bool {
	const per = " per 1000 tokens"
	change := p.Keep(format.AppendChange(p.Scratch(), p.v.Figures.Trend.V/100))
	if !p.v.Figures.HasTrend() || l.Left() < LabelRoom+draw.Width(change)+len(per) {
		return false
	}
	p.fact(l, "trend", themes.Text, change)
	l.Whole(themes.Dim, per)
	return true
}

// totalTime is the time to the last chunk, and the sum that it should be with
// what that leaves over.
func (p *canvas) totalTime(l *line) bool {
	v := &p.v.Figures
	if !v.Total.OK || !p.v.Stream.State.Ended() {
		return false
	}
	p.fact(l, "total", themes.Text, p.Duration(v.Total))
	if !v.Residual.OK || !v.DecodeTokens.OK {
		return true
	}
	rest := ""
	if ms := format.Residual(v.Residual.V); ms != 0 {
		rest = p.Join(" + ", p.Ms(ms))
	}
	_ = l.Whole(themes.Dim, p.Join(" = TTFT + ", p.WholeOf(metrics.Known(v.DecodeTokens.V-1, 0)), " × TPOT", rest)) ||
		rest != "" && p.more(l, p.Join("residual ", rest[len(" + "):]))
	return true
}

// model says whether the model that was asked for answered.
func (p *canvas) model(l *line) bool {
	st := &p.v.Stream
	switch {
	case st.Model == "":
		return false
	case metrics.CompareModels(st.Endpoint.Model, st.Model) == metrics.ModelAsIs:
		p.fact(l, "model", themes.Text, "as asked")
	default:
		l.Slot(themes.Dim, "model", LabelRoom)
		l.Raw(themes.Text, safeName(st.Model))
	}
	return true
}

// tier is how the answer says it was served.
func (p *canvas) tier(l *line) bool {
	served := &p.v.Stream.Served
	if served.Tier == "" {
		return false
	}
	l.Slot(themes.Dim, "tier", LabelRoom)
	l.Raw(themes.Text, safeName(served.Tier))
	if was := served.Otherwise(p.v.Stream.Asked); was.Tier != "" {
		l.Whole(themes.Warn, p.Join(", asked ", safeName(was.Tier)))
	}
	return true
}

// link says over what connection the stream came.
func (p *canvas) link(l *line) bool {
	c := &p.v.Stream.Conn
	if c.Proto == "" || !p.v.Stream.Marks.GotConn.Known() { // of a recording without its end
		return false
	}
	p.fact(l, "conn", themes.Text, format.Either(c.Reused, "reused", "new"))
	p.more(l, safeName(c.Proto))
	l.Whole(themes.Warn, format.If(p.v.Stream.Retried > 0, ", retried"))
	l.Whole(themes.Warn, format.If(c.Proxy != "", ", via proxy"))
	if c.TLS != "" {
		p.more(l, safeName(c.TLS))
	}
	if t := p.v.Stream.Path; t != nil && t.RTT > 0 {
		p.more(l, p.Join("RTT ", p.Ms(float64(t.RTT)/1e6)))
	}
	return true
}

// rateLimit is what is left of the limit that is used up first.
func (p *canvas) rateLimit(l *line) bool {
	f, what := &p.v.Limits.Tokens, " tokens"
	if first, tokens := p.v.Limits.UsedUp(); !f.Known() || first != nil && !tokens {
		f, what = &p.v.Limits.Requests, " requests"
	}
	if !f.Known() {
		return false
	}
	role := format.Either(f.Outcome == metrics.LimitUsedUp, themes.Warn, themes.Text)
	p.fact(l, "limit", role, p.Join(p.Count(f.Left), what))
	l.Clauses(themes.Dim, say.LimitNext(f))
	return true
}

// stamps says who stamped the bytes, and where this program's lag spoils figures by
// how much, so that nobody blames the server for what it did.
func (p *canvas) stamps(l *line) bool {
	st, d := &p.v.Stream, &p.v.Figures.Delay
	if st.Events == 0 && len(st.Chunks) == 0 {
		return false
	}
	o := format.Either(st.State.Ended() && st.Observer.N > 0, &st.Observer, &p.v.Observer)
	p.fact(l, "stamps", themes.Text, st.Stamps.String())
	switch {
	case d.Code == metrics.DelayReads:
		l.Whole(themes.Warn, p.Join(", lag ", p.Ms(d.P99)))
		l.Whole(themes.Warn, p.Join(", gaps ", p.Percent(1-d.Shared), " known"))
	case o.LateP99 > screen.LateWarn && st.Stamps != metrics.SourceKernel && len(st.Chunks) > 0:
		l.Whole(themes.Warn, p.Join(", blurred by ", p.Ms(float64(o.LateP99)/1e6)))
	}
	if o.LateEvents > 0 {
		l.Whole(themes.Warn, p.Join(", ", p.Plural(o.LateEvents, "chunk", "chunks"), " read late"))
	}
	return true
}
