package live

import (
	"cmp"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/pick"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// allFigures is the maximized panel of figures: every one of them, by what it is
// about.
type allFigures struct {
	rows  []figureRow
	shown bool   // it is on the screen
	at    scroll // of the longest column
}

// figureRow is one row of the table: a heading, or a figure with its value and
// a remark.
type figureRow struct {
	label, text, remark string
	heading, strong     bool
	column, y           int // its place
}

// Columns of a row: of its label and of its value with the unit.
const (
	labelColumns = 17
	valueColumns = 13
	tableColumns = 57 // of a row and the blanks behind it: the usual remarks are whole
)

func (s *allFigures) section(name string) {
	s.rows = append(s.rows, figureRow{label: name, heading: true})
}

// always is the value of what is no metrics.Value and always known.
var always = metrics.Known(0, 0)

// add appends a figure. text is its value, remark stands behind it. An unknown
// figure has its reason instead.
func (s *allFigures) add(label string, v metrics.Value, text, remark string) {
	if !v.OK {
		text, remark = draw.Unknown, format.Why(v.Why)
	}
	s.rows = append(s.rows, figureRow{label: label, text: text, remark: remark})
}

// counted is the text of a figure that rests on the count of tokens: "~190 tok/s"
// where that is an estimate.
func (p *canvas) counted(text string) string {
	return format.Either(p.v.Figures.Estimated(), p.Join("~", text), text)
}

// panel draws the table over r, in as many columns as there is room for.
func (s *allFigures) panel(p *canvas, r draw.Rect) {
	s.shown = true
	s.collect(p)
	in := r.Inner()
	columns := max(in.W/tableColumns, 1)
	height, big := len(s.rows)/columns, 0
	for !s.fit(columns, height) { // the smallest that holds all sections whole
		height++
	}
	if in.H >= height+bigRows+2 && in.W >= 2*tableColumns {
		big = bigRows + 2
	}
	s.at.fit(height, max(in.H-big, 1))
	p.Box(r, themes.Border, p.nowTitle(), cmp.Or(s.at.where(p, "row"), "per user"))
	if big > 0 {
		figs := [...]headline{p.ttft(), p.tpot(), p.speed()}
		p.bigFigures(in.Inset(0, 1), figs[:])
		_, in = in.SplitV(big)
	}
	w := in.W / columns
	for _, f := range pick.All(s.rows) {
		if y := f.y - s.at.top; y >= 0 && y < s.at.room {
			s.row(p.Line(in.X+f.column*w, in.Y+y, w-min(columns-1, 1)*2), f)
		}
	}
}

// fit places the rows into columns of that height, with a blank row between two sections,
// and reports whether all have a place.
func (s *allFigures) fit(columns, height int) bool {
	column, y, end := 0, 0, len(s.rows)
	for i := end - 1; i >= 0; i-- { // from its end, each row has that of its section
		if s.rows[i].y = end - i; s.rows[i].heading {
			end = i
		}
	}
	for _, f := range pick.All(s.rows) {
		switch {
		case !f.heading || y == 0:
		case y+1+f.y > height:
			column, y = column+1, 0
		default:
			y++
		}
		if f.heading && y+f.y > height {
			return false
		}
		f.column, f.y = column, y
		y++
	}
	return column < columns
}

func (s *allFigures) row(l line, f *figureRow) {
	if f.heading {
		l.Cut(themes.Title, f.label)
		return
	}
	role := themes.Text
	switch {
	case f.text == draw.Unknown:
		role = themes.Dim
	case f.strong:
		role = themes.Strong
	}
	l.Slot(themes.Dim, f.label, labelColumns)
	l.Slot(role, f.text, valueColumns)
	if f.text == draw.Unknown {
		l.Cut(themes.Dim, f.remark) // a reason
		return
	}
	l.Whole(themes.Dim, f.remark) // half a figure would be a wrong one
}

// collect lists every figure of the view: those of the table, and beside them what
// is no single figure.
func (s *allFigures) collect(p *canvas) {
	s.rows = s.rows[:0]
	for section := figure.Firsts; section < figure.Sections; section++ {
		if section == figure.Connection {
			s.limit(p)
		}
		name := sectionNames[section]
		if section == figure.Reader {
			name = p.Join("a reader at ", p.Exact(p.v.Figures.Pace.WPM), " words a minute")
		}
		s.section(name)
		before := metrics.Value{} // of the first things that came
		for _, f := range pick.All(figure.All()) {
			if f.Section != section {
				continue
			}
			if f.ID == figure.Cost {
				s.phases(p)
			}
			if d := f.Dist(&p.v.Figures); d != nil {
				s.spread(p, f, d)
				continue
			}
			v := f.Value(&p.v.Stream, &p.v.Figures)
			s.figure(p, f, v, before)
			if v.OK {
				before = v
			}
		}
	}
}

// sectionNames are the headings of the sections; Reader has its pace in it.
var sectionNames = [figure.Sections]string{figure.Firsts: "since the request was sent", figure.Speeds: "speed",
	figure.Gaps: "gaps", figure.Counts: "tokens", figure.Server: "the server says", figure.Connection: "connection"}

// figure appends a figure of the table. before is the one above it.
func (s *allFigures) figure(p *canvas, f *figure.Figure, v, before metrics.Value) {
	text, remark := "", ""
	switch {
	case !v.OK && f.Section == figure.Server:
		switch v.Why { // in this section the subject is known
		case metrics.WhyUnreported, metrics.WhyNoDecodeTime, metrics.WhyNoServerTokens:
			v.Why = metrics.WhyNotReportedEnd
		}
	case f.ID == figure.Cost && v.OK:
		text, remark = p.cost(v)
	case v.OK:
		text, remark = p.figureText(f, v), p.remark(f.ID)
		if f.Section == figure.Firsts && f.ID != figure.Trailer && v.V >= before.V && before.V > 0 {
			remark = p.Join("+", p.Ms(v.V-before.V))
		}
	}
	s.add(f.Row, v, text, remark)
	s.rows[len(s.rows)-1].strong = f.ID == figure.TTFT || f.ID == figure.TPOT || f.ID == figure.Speed
	switch f.ID {
	case figure.Speed: // as a share of what the endpoint is said to be able to do
		if c := metrics.JudgeClaim([]*metrics.Run{{Stream: p.v.Stream, Figures: p.v.Figures}}); c != nil {
			s.add("memory's bound", c.Share.P50, p.Percent(c.Share.P50.V), "of the claim: "+string(c.Is))
		}
	case figure.ServerSpeed:
		for _, t := range p.v.Stream.Server[:min(len(p.v.Stream.Server), timesMost)] {
			s.add(safeName(t.Name), always, p.Ms(float64(t.D)/1e6), "")
		}
	}
}

// figureText is the value of a figure with its unit: "~190 tok/s" where it rests on
// an estimated count of tokens.
func (p *canvas) figureText(f *figure.Figure, v metrics.Value) string {
	text := ""
	switch {
	case f.ID == figure.Residual:
		text = p.Ms(format.Residual(v.V))
	case f.ID == figure.Stalls:
		text = p.Count(p.stallCount())
	case f.ID == figure.ChunkSpeed:
		text = p.Join(p.NumberOf(v), "/s")
	case f.ID == figure.LiveSpeed && p.v.Figures.LiveIsChunks:
		text = p.Join(p.NumberOf(v), " chunks/s")
	default:
		text = p.Keep(format.AppendFigure(p.Scratch(), f.ID, v.V))
	}
	if f.Counted {
		return p.counted(text)
	}
	return text
}

// remarks stand behind a known figure, whatever it is.
var remarks = [figure.Count]string{
	figure.Trailer:         "last chunk to end of body",
	figure.TPOT:            "per output token",
	figure.Speed:           "1 / TPOT",
	figure.PrefillSpeed:    "at least: by the wait",
	figure.SharedReads:     "of the gaps",
	figure.LateReads:       "of the events",
	figure.DecodeTokens:    "the n of TPOT",
	figure.CachedTokens:    "of the prompt",
	figure.ReasoningTokens: "of the output",
	figure.BelowReading:    "of the decode time",
	figure.HeadStart:       "avoids all waiting",
	figure.SpeakerSlow:     "silent after a sentence",
	figure.ServerSpeed:     "tokens / its decode time",
}

// remark is what stands behind a known figure, "" for nothing.
func (p *canvas) remark(id figure.ID) string {
	f := &p.v.Figures
	switch id {
	case figure.Peak:
		if f.PeakRead > 0 {
			return p.Join("≤: one read had ", p.Count(int(f.PeakRead)))
		}
	case figure.Trend:
		return p.Join("per 1000, ", format.Either(f.TrendSure, "above chance", "may be chance"))
	case figure.Residual:
		return p.Join("predicted ", p.Duration(f.Predicted))
	case figure.Longest:
		return p.Join("before chunk ", p.Count(f.LongestChunk+1))
	case figure.Stalls:
		factor := p.Keep(format.AppendFactor(p.Scratch(), f.StallFactor))
		return p.Join("over ", factor, " median, ", p.Keep(format.AppendLimit(p.Scratch(), f.StallFloor)))
	case figure.StallCost:
		return p.Join("over the usual gap, ", p.PercentOf(f.StallShare))
	case figure.Bursts:
		return p.Plural(f.GapsUnknown, "gap unknown", "gaps unknown")
	case figure.Tokens:
		return f.TokenSource.String()
	case figure.Chunks:
		return p.Plural(f.Choices, "choice", "choices")
	case figure.Words:
		return p.Join(p.Count(f.Words), " by ", f.WordsFrom)
	case figure.TimesReading:
		return p.pace().Name
	}
	return remarks[id]
}

func (s *allFigures) spread(p *canvas, f *figure.Figure, d *metrics.Dist) {
	label, about := f.Row, ""
	if f.ID == figure.GapPerToken {
		about = p.Join(", ", say.ITLSource(p.v.Figures.ITLFrom))
	}
	s.add(p.Join(label, " p50"), d.P50, p.Bounded(d.P50, d.Missing.P50), p.Join("n=", p.Count(d.N)))
	s.add(p.Join(label, " p95"), d.P95, p.Bounded(d.P95, d.Missing.P95), "")
	s.add(p.Join(label, " p99"), d.P99, p.Bounded(d.P99, d.Missing.P99), "")
	s.add(p.Join(label, " mean"), d.Mean, p.Duration(d.Mean), p.Join("± ", p.Duration(d.StdDev), about))
}

// cost is what the request cost at the configured price. The currency stands
// beside the figure, or behind it where it is too long.
func (p *canvas) cost(v metrics.Value) (money, remark string) {
	f := &p.v.Figures
	money, remark = p.Keep(format.AppendMoney(p.Scratch(), v.V)), safeName(p.v.Stream.Endpoint.Price.Currency)
	if text := p.Join(money, " ", remark); draw.Width(text) < valueColumns {
		money, remark = text, ""
		if f.CachedTokens.OK && f.CachedTokens.V > 0 {
			remark = "cached tokens in full"
		}
	}
	return money, remark
}

// phases are the parts of an output that has reasoning and an answer.
func (s *allFigures) phases(p *canvas) {
	f := &p.v.Figures
	if f.Reasoning.Chunks == 0 {
		return
	}
	s.phase(p, "reasoning", &f.Reasoning)
	if f.Answer.Chunks > 0 {
		s.phase(p, "answer", &f.Answer)
	}
}

func (s *allFigures) phase(p *canvas, label string, ph *metrics.Phase) {
	s.add(p.Join(label, " speed"), ph.Speed, p.counted(p.Join(p.NumberOf(ph.Speed), " tok/s")),
		p.Join("TPOT ", p.counted(p.Duration(ph.TPOT))))
	s.add(p.Join(label, " from"), ph.First, p.Duration(ph.First), p.Join("to ", p.Duration(ph.Last)))
	s.add(p.Join(label, " size"), ph.Tokens, p.counted(p.WholeOf(ph.Tokens)),
		p.Join("tokens, ", p.Plural(ph.Chunks, "chunk", "chunks")))
}

// limit is what the server allows: the rate limits of its answers.
func (s *allFigures) limit(p *canvas) {
	s.section("rate limit")
	for _, x := range [...]struct {
		what string
		f    *metrics.LimitForecast
	}{{"tokens", &p.v.Limits.Tokens}, {"requests", &p.v.Limits.Requests}} {
		if !x.f.Known() {
			s.add(p.Join(x.what, " left"), metrics.Unknown(metrics.WhyNotReportedEnd), "", "")
			continue
		}
		of := format.If(x.f.Limit >= 0, p.Join("of ", p.Count(x.f.Limit)))
		switch {
		case x.f.Outcome == metrics.LimitReset:
			of = p.Join(of, " reset since")
		case x.f.Reset.OK:
			of = p.Join(of, " reset in ", p.Elapsed(x.f.Reset.V/1e3))
		}
		s.add(p.Join(x.what, " left"), always, p.Count(x.f.Left), of)
		s.add("pace", x.f.Pace, p.Join(p.NumberOf(x.f.Pace), "/s"), p.Plural(x.f.Answers, "answer", "answers"))
		if x.f.Left == 0 && x.f.Outcome == metrics.LimitUsedUp {
			s.add("used up in", always, "now", "")
			continue
		}
		s.add("used up in", x.f.UsedUp, p.Elapsed(x.f.UsedUp.V/1e3),
			format.Either(x.f.Outcome == metrics.LimitUsedUp, "before the reset", "past the reset"))
	}
}

// timesMost is how many of the server's own times the table lists.
const timesMost = 8
