package live

import (
	"tokscope/metrics"
	"tokscope/themes"
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
		{"prompt", (*Screen).promptSize}, {"now", (*Screen).needle}, {"trend", (*Screen).trend}, {"server", (*Screen).serverTimes},
		{"total", (*Screen).totalTime},
	}
	fewFacts = [...]fact{{"tokens", (*Screen).tokens}, {"longest", (*Screen).worst}, {"chunks", (*Screen).chunks}}
)

// value writes a value in its columns and why it is unknown behind it.
func (l *line) value(v metrics.Value, text string, w int) bool {
	if v.OK {
		l.slot(themes.Ink, text, w)
		return true
	}
	l.slot(themes.Dim, unknown, w)
	l.cut(themes.Dim, v.Why)
	return false
}

func (s *Screen) tokens(p *pen, l *line, w int) {
	v := &p.v.Figures
	if l.value(v.Tokens, p.count0(v.Tokens), w) {
		l.whole(themes.Dim, v.TokenSource.String())
	}
}

func (s *Screen) longest(p *pen, l *line, w int) {
	v := &p.v.Figures
	if l.value(v.Longest, p.duration(v.Longest), w) && v.LongestChunk >= 0 {
		l.whole(themes.Dim, p.join("before chunk ", p.int(v.LongestChunk+1)))
	}
}

// worst is the longest gap, stalls and bursts in one row.
func (s *Screen) worst(p *pen, l *line, w int) {
	v := &p.v.Figures
	l.slot(themes.Ink, p.duration(v.Longest), w)
	role := themes.Dim
	if len(v.Stalls) > 0 {
		role = themes.Stall
	}
	l.slot(role, p.join(p.int(len(v.Stalls)), plural(len(v.Stalls), " stall", " stalls")), 9)
	l.whole(themes.Dim, p.join(p.int(len(v.Bursts)), plural(len(v.Bursts), " burst", " bursts")))
}

func (s *Screen) stalls(p *pen, l *line, w int) {
	v := &p.v.Figures
	role := themes.Ink
	if len(v.Stalls) > 0 {
		role = themes.Stall
	}
	l.slot(role, p.int(len(v.Stalls)), w)
	l.slot(themes.Dim, "bursts", 7)
	l.slot(themes.Ink, p.int(len(v.Bursts)), 5)
	if v.GapsUnknown > 0 {
		l.whole(themes.Dim, p.join(p.int(v.GapsUnknown), plural(v.GapsUnknown, " gap unknown", " gaps unknown")))
	}
}

// waits is how long a reader had to wait for the stream.
func (s *Screen) waits(p *pen, l *line, w int) {
	v := &p.v.Figures
	if l.value(v.BelowReading, p.percent(v.BelowReading.V), w) {
		l.whole(themes.Dim, "of time waiting")
	}
}

func (s *Screen) chunks(p *pen, l *line, w int) {
	v := &p.v.Figures
	l.slot(themes.Ink, p.int(v.Chunks), w)
	if v.TokensPerChunk.OK {
		l.whole(themes.Dim, p.join(p.ratio(v.TokensPerChunk.V), " tokens each"))
	}
}

func (s *Screen) promptSize(p *pen, l *line, w int) {
	v := &p.v.Figures
	if !l.value(v.PromptTokens, p.count0(v.PromptTokens), w) {
		return
	}
	l.put(themes.Dim, "tokens")
	if v.CachedTokens.OK {
		l.whole(themes.Dim, p.join(", ", p.count0(v.CachedTokens), " cached"))
	}
}

// needle is the speed over the last second.
func (s *Screen) needle(p *pen, l *line, w int) {
	v := &p.v.Figures
	if l.value(v.LiveSpeed, p.count(v.LiveSpeed), w) {
		l.whole(themes.Dim, either(v.LiveIsChunks, "chunks/s, last 1 s", "tok/s, last 1 s"))
	}
}

func (s *Screen) trend(p *pen, l *line, w int) {
	v := &p.v.Figures
	if l.value(v.Trend, p.signed(v.Trend.V), w) {
		l.whole(themes.Dim, "per 1000 tokens")
	}
}

func (s *Screen) totalTime(p *pen, l *line, w int) {
	v := &p.v.Figures
	if l.value(v.Total, p.duration(v.Total), w) {
		l.whole(themes.Dim, "sent to last chunk")
	}
}

// link says over what connection the stream came.
func (s *Screen) link(p *pen, l *line, w int) {
	c := &p.v.Stream.Conn
	if c.Proto == "" {
		l.slot(themes.Dim, unknown, w)
		l.cut(themes.Dim, either(p.v.Stream.State.Ended(), "no answer", "no answer yet"))
		return
	}
	word := "new"
	if c.Reused {
		word = "reused"
	}
	l.slot(themes.Ink, word, w)
	l.whole(themes.Dim, safeName(c.Proto))
	if c.TLS != "" {
		l.whole(themes.Dim, p.join(" · ", safeName(c.TLS)))
	}
	if c.Proxy != "" {
		l.whole(themes.Warn, " · via proxy")
	}
}

// serverTimes lists what the server said about itself, beside and never in
// our own figures.
func (s *Screen) serverTimes(p *pen, l *line, w int) {
	st := &p.v.Stream
	if len(st.Server) == 0 {
		l.slot(themes.Dim, unknown, w)
		l.cut(themes.Dim, either(st.State.Ended(), "tells no times", "no times told yet"))
		return
	}
	for i, t := range st.Server {
		sep := ""
		if i > 0 {
			sep = " · "
		}
		if !l.whole(themes.Dim, p.join(sep, safeName(t.Name), " ", p.ms(float64(t.D)/1e6))) {
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
		l.slot(themes.Dim, unknown, w)
	case blurred:
		l.slot(themes.Warn, p.ms(late), w)
		l.whole(themes.Warn, "late: blurred · ")
	case late > lateMs:
		l.slot(themes.Ink, p.ms(late), w)
	default:
		l.slot(themes.Good, p.ms(late), w)
	}
	if st := &p.v.Stream; st.Events > 0 || len(st.Chunks) > 0 { // before that nothing was stamped
		l.whole(themes.Dim, p.join(p.v.Stream.Stamps.String(), " stamps"))
	}
	if o.LateEvents > 0 {
		l.whole(themes.Warn, p.join(" · ", p.int(o.LateEvents), " seen late"))
	}
}
