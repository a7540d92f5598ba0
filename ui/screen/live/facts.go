package live

import (
	"tokscope/metrics"
	"tokscope/themes"
	ink "tokscope/ui/draw"
)

// fact is one row of the now panel: a label, and what draws value and remark
// behind it, the value in so many columns.
type fact struct {
	label string
	draw  func(s *Screen, p *pen, l *line, value int)
}

// facts are all of them, the most important first; fewFacts are those of a
// small panel.
var (
	facts = [...]fact{
		{"tokens", (*Screen).tokens}, {"longest", (*Screen).longest}, {"stalls", (*Screen).stalls},
		{"reader", (*Screen).waits}, {"chunks", (*Screen).chunks}, {"link", (*Screen).link},
		{"prompt", (*Screen).promptSize}, {"last 1 s", (*Screen).needle}, {"trend", (*Screen).trend}, {"server", (*Screen).serverTimes},
		{"total", (*Screen).totalTime},
	}
	fewFacts = [...]fact{{"tokens", (*Screen).tokens}, {"longest", (*Screen).worst}, {"chunks", (*Screen).chunks}}
)

// value writes a value in its columns and why it is unknown behind it.
func value(l *line, v metrics.Value, text string, w int) bool {
	if v.OK {
		l.Slot(themes.Ink, text, w)
		return true
	}
	l.Slot(themes.Dim, ink.Unknown, w)
	l.Cut(themes.Dim, v.Why)
	return false
}

func (s *Screen) tokens(p *pen, l *line, w int) {
	v := &p.v.Figures
	if value(l, v.Tokens, p.count0(v.Tokens), w) {
		l.Whole(themes.Dim, v.TokenSource.String())
	}
}

func (s *Screen) longest(p *pen, l *line, w int) {
	v := &p.v.Figures
	if open, ok := p.openGap(); ok {
		l.Slot(themes.Stall, open, w)
		l.Whole(themes.Warn, "still going on")
		return
	}
	if value(l, v.Longest, p.Duration(v.Longest), w) && v.LongestChunk >= 0 {
		l.Whole(themes.Dim, p.Join("before chunk ", p.Int(v.LongestChunk+1)))
	}
}

// openGap is the silence under way where it is longer than every gap before it.
func (p *pen) openGap() (text string, ok bool) {
	ms, ok := p.silence()
	if longest := p.v.Figures.Longest; !ok || longest.OK && ms <= longest.V {
		return "", false
	}
	num, unit := p.clock(ms)
	return p.Join(num, " ", unit), true
}

// worst is the longest gap, stalls and bursts in one row.
func (s *Screen) worst(p *pen, l *line, w int) {
	v := &p.v.Figures
	if v.Chunks == 0 {
		value(l, v.Longest, "", w)
		return
	}
	if open, ok := p.openGap(); ok {
		l.Slot(themes.Stall, open, w)
	} else {
		l.Slot(themes.Ink, p.Duration(v.Longest), w)
	}
	role := themes.Dim
	if len(v.Stalls) > 0 {
		role = themes.Stall
	}
	l.Slot(role, p.Join(p.Int(len(v.Stalls)), plural(len(v.Stalls), " stall", " stalls")), 9)
	l.Whole(themes.Dim, p.Join(p.Int(len(v.Bursts)), plural(len(v.Bursts), " burst", " bursts")))
}

func (s *Screen) stalls(p *pen, l *line, w int) {
	v := &p.v.Figures
	if v.Chunks == 0 {
		value(l, v.Longest, "", w)
		return
	}
	role := themes.Ink
	if len(v.Stalls) > 0 {
		role = themes.Stall
	}
	l.Slot(role, p.Int(len(v.Stalls)), w)
	l.Slot(themes.Dim, "bursts", 7)
	l.Slot(themes.Ink, p.Int(len(v.Bursts)), 4)
	if n := v.GapsUnknown; n > 0 && !l.Whole(themes.Dim, p.Join(p.Int(n), plural(n, " gap unknown", " gaps unknown"))) {
		l.Whole(themes.Dim, p.Join(p.Int(n), " unknown"))
	}
}

// waits is how long a reader had to wait for the stream.
func (s *Screen) waits(p *pen, l *line, w int) {
	v := &p.v.Figures
	if value(l, v.BelowReading, p.percent(v.BelowReading.V), w) {
		l.Whole(themes.Dim, "of time waiting")
	}
}

func (s *Screen) chunks(p *pen, l *line, w int) {
	v := &p.v.Figures
	l.Slot(themes.Ink, p.Int(v.Chunks), w)
	if v.TokensPerChunk.OK {
		l.Whole(themes.Dim, p.Join(p.ratio(v.TokensPerChunk.V), " tokens each"))
	}
}

func (s *Screen) promptSize(p *pen, l *line, w int) {
	v := &p.v.Figures
	if !value(l, v.PromptTokens, p.count0(v.PromptTokens), w) {
		return
	}
	l.Write(themes.Dim, "tokens")
	if v.CachedTokens.OK {
		l.Whole(themes.Dim, p.Join(", ", p.count0(v.CachedTokens), " cached"))
	}
}

// needle is the speed over the last second.
func (s *Screen) needle(p *pen, l *line, w int) {
	v := &p.v.Figures
	if value(l, v.LiveSpeed, p.count(v.LiveSpeed), w) {
		l.Whole(themes.Dim, ink.Either(v.LiveIsChunks, "chunks/s", "tok/s"))
	}
}

func (s *Screen) trend(p *pen, l *line, w int) {
	v := &p.v.Figures
	if value(l, v.Trend, p.signed(v.Trend.V), w) {
		l.Whole(themes.Dim, "per 1000 tokens")
	}
}

func (s *Screen) totalTime(p *pen, l *line, w int) {
	v := &p.v.Figures
	if value(l, v.Total, p.Duration(v.Total), w) {
		l.Whole(themes.Dim, "sent to last chunk")
	}
}

// link says over what connection the stream came.
func (s *Screen) link(p *pen, l *line, w int) {
	c := &p.v.Stream.Conn
	if c.Proto == "" {
		l.Slot(themes.Dim, ink.Unknown, w)
		l.Cut(themes.Dim, ink.Either(p.v.Stream.State.Ended(), "no answer", "no answer yet"))
		return
	}
	word := "new"
	if c.Reused {
		word = "reused"
	}
	l.Slot(themes.Ink, word, w)
	l.Whole(themes.Dim, safeName(c.Proto))
	if c.TLS != "" {
		l.Whole(themes.Dim, p.Join(" · ", safeName(c.TLS)))
	}
	if c.Proxy != "" {
		l.Whole(themes.Warn, " · via proxy")
	}
}

// serverTimes lists what the server said about itself, beside and never in
// our own figures.
func (s *Screen) serverTimes(p *pen, l *line, w int) {
	st := &p.v.Stream
	if len(st.Server) == 0 {
		l.Slot(themes.Dim, ink.Unknown, w)
		l.Cut(themes.Dim, ink.Either(st.State.Ended(), "tells no times", "no times told yet"))
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

// observer is this program looking at itself, so that nobody blames the
// server for what we did.
func (s *Screen) observer(p *pen, l *line, w int) {
	o := &p.v.Observer
	if e := &p.v.Stream.Observer; p.v.Stream.State.Ended() && e.N > 0 {
		o = e
	}
	late := float64(o.LateP99) / 1e6
	// The kernel's stamps are not touched by our lateness.
	blurred := late > lateMs && p.v.Stream.Stamps != metrics.SourceKernel && len(p.v.Stream.Chunks) > 0
	switch {
	case o.N == 0:
		l.Slot(themes.Dim, ink.Unknown, w)
		l.Whole(themes.Dim, ink.Either(p.v.Stream.State.Ended(), "over too soon to tell ", "not measured yet "))
	case blurred:
		l.Slot(themes.Warn, p.Ms(late), w)
		l.Whole(themes.Warn, "late: blurred · ")
	case late > lateMs:
		l.Slot(themes.Ink, p.Ms(late), w)
	default:
		l.Slot(themes.Good, p.Ms(late), w)
	}
	if st := &p.v.Stream; st.Events > 0 || len(st.Chunks) > 0 { // before that nothing was stamped
		l.Whole(themes.Dim, p.Join(p.v.Stream.Stamps.String(), " stamps"))
	}
	if o.LateEvents > 0 {
		l.Whole(themes.Warn, p.Join(" · ", p.Int(o.LateEvents), " read late"))
	}
}
