package live

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// allFigures is the maximized panel of figures: every one of them, by what it is
// about.
type allFigures struct {
	rows     []figureRow
	sections []int // where each section begins in rows
	shown    bool  // it is on the screen
	top      int   // first row in view
	room     int   // rows that fit
	height   int   // rows of the longest column
}

// figureRow is one row of the table: a heading, or a figure with its value and
// a remark.
type figureRow struct {
	label, text, remark string
	heading, strong     bool
}

// Columns of a row: of its label and of its value with the unit.
const (
	labelColumns = 17
	valueColumns = 13
	tableColumns = 57 // of a row and the blanks behind it: the usual remarks are whole
)

// begin drops the rows of the frame before.
func (s *allFigures) begin() { s.rows, s.sections = s.rows[:0], s.sections[:0] }

// section begins a part of the table.
func (s *allFigures) section(name string) {
	s.sections = append(s.sections, len(s.rows))
	s.rows = append(s.rows, figureRow{label: name, heading: true})
}

// add appends a figure. text is its value, remark stands behind it. An unknown
// figure has its reason instead.
func (s *allFigures) add(label string, v metrics.Value, text, remark string) {
	if !v.OK {
		text, remark = draw.Unknown, format.Why(v.Why)
	}
	s.rows = append(s.rows, figureRow{label: label, text: text, remark: remark})
}

// note appends what is no metrics.Value and always known.
func (s *allFigures) note(label, text, remark string) {
	s.rows = append(s.rows, figureRow{label: label, text: text, remark: remark})
}

// counted is the text of a figure that rests on the count of tokens: "~190 tok/s"
// where that is an estimate.
func (p *canvas) counted(text string) string {
	if p.v.Figures.TokenSource == metrics.TokensEstimated {
		return p.Join("~", text)
	}
	return text
}

// headline makes the last row one of the three figures of the screen.
func (s *allFigures) headline() { s.rows[len(s.rows)-1].strong = true }

// panel draws the table over r, in as many columns as there is room for.
func (s *allFigures) panel(p *canvas, now *now, r draw.Rect) {
	s.shown = true
	s.collect(p)
	in := r.Inner()
	columns := max(in.W/tableColumns, 1)
	s.height = s.heightOf(columns)
	big := 0
	if in.H >= s.height+bigRows+2 && in.W >= 2*tableColumns {
		big = bigRows + 2
	}
	s.room = max(in.H-big, 1)
	s.top = min(s.top, max(s.height-s.room, 0))
	title, right := "figures", "per user"
	if p.v.Other != "" {
		title = now.title(p)
	}
	if s.height > s.room {
		right = p.Join("row ", p.Int(s.top+1), "–", p.Int(min(s.top+s.room, s.height)), " of ", p.Int(s.height))
	}
	p.Box(r, themes.Border, title, right)
	if big > 0 {
		figs := [...]figure{p.ttft(), p.tpot(), p.speed()}
		now.bigFigures(p, in.Inset(0, 1), figs[:])
		_, in = in.SplitV(big)
	}
	s.draw(p, in, columns)
}

// heightOf is the smallest height of columns that hold all sections whole, with
// a blank row between two.
func (s *allFigures) heightOf(columns int) int {
	for h := (len(s.rows) + len(s.sections)) / columns; ; h++ {
		used, column := 0, 1
		for i := range s.sections {
			n := s.sectionEnd(i) - s.sections[i]
			if used > 0 && used+1+n > h {
				used, column = 0, column+1
			}
			if used > 0 {
				used++
			}
			if used += n; used > h {
				column = columns + 1
			}
		}
		if column <= columns {
			return h
		}
	}
}

// sectionEnd is the row behind section i.
func (s *allFigures) sectionEnd(i int) int {
	if i+1 < len(s.sections) {
		return s.sections[i+1]
	}
	return len(s.rows)
}

// draw writes the sections into columns of s.height rows, from row s.top on.
func (s *allFigures) draw(p *canvas, in draw.Rect, columns int) {
	w := in.W / columns
	column, used := 0, 0
	for i, from := range s.sections {
		rows := s.rows[from:s.sectionEnd(i)]
		if used > 0 && used+1+len(rows) > s.height {
			column, used = column+1, 0
		}
		if used > 0 {
			used++
		}
		for j := range rows {
			if y := used + j - s.top; y >= 0 && y < s.room {
				s.row(p.Line(in.X+column*w, in.Y+y, w-min(columns-1, 1)*2), &rows[j])
			}
		}
		used += len(rows)
	}
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

// scroll moves the table by rows, up when negative.
func (s *allFigures) scroll(rows int) {
	s.top = min(max(s.top+rows, 0), max(s.height-s.room, 0))
}

// collect lists every figure of the view.
func (s *allFigures) collect(p *canvas) {
	s.begin()
	s.firsts(p)
	s.speeds(p)
	s.gaps(p)
	s.tokens(p)
	s.reader(p)
	s.server(p)
	s.limit(p)
	s.connection(p)
}

// firsts is the ladder of the first things that came, each with its distance to
// the one before.
func (s *allFigures) firsts(p *canvas) {
	f := &p.v.Figures
	s.section("since the request was sent")
	before := metrics.Known(0, 0)
	for _, x := range [...]struct {
		label string
		v     metrics.Value
	}{
		{"TTFB byte", f.TTFB}, {"TTFE event", f.TTFE}, {"first choice", firstChoice(&p.v.Stream, f)},
		{"TTFT token", f.TTFT}, {"TTFC content", f.TTFC}, {"first non-blank", f.FirstInk},
		{"first sentence", f.FirstSentence}, {"last chunk", f.Total},
	} {
		remark := ""
		if x.v.OK && x.v.V >= before.V && before.V > 0 {
			remark = p.Join("+", p.Ms(x.v.V-before.V))
		}
		s.add(x.label, x.v, p.Duration(x.v), remark)
		if x.label == "TTFT token" {
			s.headline()
		}
		if x.v.OK {
			before = x.v
		}
	}
	s.add("tail", f.Trailer, p.Duration(f.Trailer), "last chunk to end of body")
}

// firstChoice is the time to the first event with choices, such as one that has
// only a role.
func firstChoice(s *metrics.Stream, f *metrics.Figures) metrics.Value {
	if !f.TTFE.OK {
		return f.TTFE // its reason holds for every later event
	}
	return metrics.Since(s.Marks.Sent, s.Marks.FirstRole, metrics.WhyNoChunk)
}

// speeds are the figures of how fast it went on.
func (s *allFigures) speeds(p *canvas) {
	f := &p.v.Figures
	s.section("speed")
	s.add("TPOT", f.TPOT, p.counted(p.Duration(f.TPOT)), "per output token")
	s.headline()
	s.add("per user", f.Speed, p.counted(p.Join(p.NumberOf(f.Speed), " tok/s")), "1 / TPOT")
	s.headline()
	s.add("last 1 s", f.LiveSpeed, p.Join(p.NumberOf(f.LiveSpeed), draw.Either(f.LiveIsChunks, " chunks/s", " tok/s")), "")
	once := ""
	if f.Peak.OK && f.PeakRead > 0 {
		once = p.Join("≤: one read had ", p.Count(int(f.PeakRead)))
	}
	s.add("peak of 1 s", f.Peak, p.Join(p.NumberOf(f.Peak), " tok/s"), once)
	s.add("chunks", f.ChunkSpeed, p.Join(p.NumberOf(f.ChunkSpeed), "/s"), "")
	sure := ""
	if f.Trend.OK {
		sure = draw.Either(f.TrendSure, "above chance", "may be chance")
	}
	s.add("trend of gaps", f.Trend, p.change(f.Trend.V), p.Join("per 1000, ", sure))
	s.add("prefill", f.PrefillSpeed, p.Join(p.NumberOf(f.PrefillSpeed), " tok/s"), "at least: by the wait")
	s.add("residual", f.Residual, p.Ms(format.Residual(f.Residual.V)), p.Join("predicted ", p.Duration(f.Predicted)))
}

// gaps are the figures of how even it was.
func (s *allFigures) gaps(p *canvas) {
	f := &p.v.Figures
	s.section("gaps")
	for _, x := range [...]struct {
		label string
		d     *metrics.Dist
		about string
	}{{"gap", &f.Gaps, ""}, {"gap/token", &f.ITL, p.Join(", ", format.ITLSource(f.ITLFrom))}} {
		s.add(p.Join(x.label, " p50"), x.d.P50, p.Bounded(x.d.P50, x.d.Missing.P50), p.Join("n=", p.Count(x.d.N)))
		s.add(p.Join(x.label, " p95"), x.d.P95, p.Bounded(x.d.P95, x.d.Missing.P95), "")
		s.add(p.Join(x.label, " p99"), x.d.P99, p.Bounded(x.d.P99, x.d.Missing.P99), "")
		s.add(p.Join(x.label, " mean"), x.d.Mean, p.Duration(x.d.Mean), p.Join("± ", p.Duration(x.d.StdDev), x.about))
	}
	before := ""
	if f.LongestChunk >= 0 {
		before = p.Join("before chunk ", p.Count(f.LongestChunk+1))
	}
	s.add("longest", f.Longest, p.Duration(f.Longest), before)
	s.add("over 1 s", f.LongGaps, p.WholeOf(f.LongGaps), "")
	s.note("stalls", p.Count(p.stallCount()),
		p.Join("over ", p.Keep(format.AppendFactor(p.Scratch(), f.StallFactor)), " median, ", p.tick(f.StallFloor)))
	s.add("stall cost", f.StallCost, p.Duration(f.StallCost), p.Join(p.PercentOf(f.StallShare), " of the decode time"))
	s.note("bursts", p.Count(len(f.Bursts)),
		p.Join(p.Count(f.GapsUnknown), draw.Either(f.GapsUnknown == 1, " gap unknown", " gaps unknown")))
	s.add("shared reads", f.SharedShare, p.PercentOf(f.SharedShare), "of the gaps")
	s.add("read late", f.LateShare, p.PercentOf(f.LateShare), "of the events")
}

// tokens are the counts.
func (s *allFigures) tokens(p *canvas) {
	f := &p.v.Figures
	s.section("tokens")
	s.add("output", f.Tokens, p.counted(p.WholeOf(f.Tokens)), f.TokenSource.String())
	s.add("of the stream", f.DecodeTokens, p.counted(p.WholeOf(f.DecodeTokens)), "the n of TPOT")
	s.note("chunks", p.Count(f.Chunks), p.Join(p.Count(f.Choices), draw.Either(f.Choices == 1, " choice", " choices")))
	s.add("per chunk", f.TokensPerChunk, p.counted(p.NumberOf(f.TokensPerChunk)), "")
	s.add("prompt", f.PromptTokens, p.WholeOf(f.PromptTokens), "")
	s.add("cached", f.CachedTokens, p.WholeOf(f.CachedTokens), "of the prompt")
	s.add("reasoning", f.ReasonTokens, p.WholeOf(f.ReasonTokens), "of the output")
	for _, x := range [...]struct {
		label string
		ph    *metrics.Phase
	}{{"reasoning", &f.Reasoning}, {"answer", &f.Answer}} {
		if x.ph.Chunks > 0 && f.Reasoning.Chunks > 0 {
			s.phase(p, x.label, x.ph)
		}
	}
	s.cost(p)
}

// cost is what the request cost at the configured price. The currency stands
// beside the figure, or behind it where it is too long.
func (s *allFigures) cost(p *canvas) {
	f := &p.v.Figures
	cost := metrics.Cost(&p.v.Stream, f)
	money, currency := p.Keep(format.AppendMoney(p.Scratch(), cost.V)), safeName(p.v.Stream.Endpoint.Price.Currency)
	if text := p.Join(money, " ", currency); draw.Width(text) < valueColumns {
		money, currency = text, ""
		if f.CachedTokens.OK && f.CachedTokens.V > 0 {
			currency = "cached tokens in full"
		}
	}
	s.add("cost", cost, money, currency)
}

// phase is one part of an output that has two.
func (s *allFigures) phase(p *canvas, label string, ph *metrics.Phase) {
	s.add(p.Join(label, " speed"), ph.Speed, p.counted(p.Join(p.NumberOf(ph.Speed), " tok/s")),
		p.Join("TPOT ", p.counted(p.Duration(ph.TPOT))))
	s.add(p.Join(label, " from"), ph.First, p.Duration(ph.First), p.Join("to ", p.Duration(ph.Last)))
	s.add(p.Join(label, " size"), ph.Tokens, p.counted(p.WholeOf(ph.Tokens)),
		p.Join("tokens, ", p.Plural(ph.Chunks, "chunk", "chunks")))
}

// reader is what a person has of it.
func (s *allFigures) reader(p *canvas) {
	f := &p.v.Figures
	s.section(p.Join("a reader at ", p.Exact(f.Pace.WPM), " words a minute"))
	s.add("words", f.WPM, p.Join(p.NumberOf(f.WPM), " wpm"), p.Join(p.Count(f.Words), " by ", f.WordsFrom))
	s.add("against a reader", f.TimesReading, p.times(f.TimesReading), p.paceName())
	s.add("waits", f.BelowReading, p.PercentOf(f.BelowReading), "of the decode time")
	s.add("head start", f.ReaderWait, p.Duration(f.ReaderWait), "avoids all waiting")
	s.add("speaker, 150 wpm", f.SpeakerDry[0], p.Duration(f.SpeakerDry[0]), "silent after a sentence")
	s.add("speaker, 180 wpm", f.SpeakerDry[1], p.Duration(f.SpeakerDry[1]), "")
}

// server is what the server says of itself.
func (s *allFigures) server(p *canvas) {
	f := &p.v.Figures
	s.section("the server says")
	for _, x := range [...]struct {
		label, text, remark string
		v                   metrics.Value
	}{
		{"its TTFT", p.Duration(f.ServerTTFT), "", f.ServerTTFT},
		{"its speed", p.Join(p.NumberOf(f.ServerSpeed), " tok/s"), "tokens / its decode time", f.ServerSpeed},
	} {
		switch x.v.Why { // in this section the subject is known
		case metrics.WhyUnreported, metrics.WhyNoDecodeTime, metrics.WhyNoServerTokens:
			x.v.Why = metrics.WhyNotReportedEnd
		}
		s.add(x.label, x.v, x.text, x.remark)
	}
	for i, t := range p.v.Stream.Server {
		if i == timesMost {
			break
		}
		s.note(safeName(t.Name), p.Ms(float64(t.D)/1e6), "")
	}
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
		of := ""
		if x.f.Limit >= 0 {
			of = p.Join("of ", p.Count(x.f.Limit))
		}
		switch {
		case x.f.Outcome == metrics.LimitReset:
			of = p.Join(of, " reset since")
		case x.f.Reset.OK:
			of = p.Join(of, " reset in ", p.Elapsed(x.f.Reset.V/1e3))
		}
		s.note(p.Join(x.what, " left"), p.Count(x.f.Left), of)
		s.add("pace", x.f.Pace, p.Join(p.NumberOf(x.f.Pace), "/s"),
			p.Join(p.Count(x.f.Answers), draw.Either(x.f.Answers == 1, " answer", " answers")))
		if x.f.Left == 0 && x.f.Outcome == metrics.LimitUsedUp {
			s.note("used up in", "now", "")
			continue
		}
		s.add("used up in", x.f.UsedUp, p.Elapsed(x.f.UsedUp.V/1e3),
			draw.Either(x.f.Outcome == metrics.LimitUsedUp, "before the reset", "past the reset"))
	}
}

// timesMost is how many of the server's own times the table lists.
const timesMost = 8

// connection is how the request got there.
func (s *allFigures) connection(p *canvas) {
	f := &p.v.Figures
	s.section("connection")
	s.add("DNS", f.DNS, p.Duration(f.DNS), "")
	s.add("TCP", f.TCP, p.Duration(f.TCP), "")
	s.add("TLS", f.TLS, p.Duration(f.TLS), "")
	s.add("sending", f.Send, p.Duration(f.Send), "")
}
