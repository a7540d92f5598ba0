package history

import (
	"cmp"
	"slices"

	"tokscope/metrics/history"
	"tokscope/themes"
	"tokscope/ui/chart/smoke"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
	"tokscope/ui/screen/listing"
)

// picture draws the History screen. It belongs to one goroutine.
type picture struct {
	draw.Canvas
	v      *View
	charts [4]smoke.Chart
	phases phaseTable
	kept   draw.Memo[uint64, phaseTable] // by View.Version
	words  draw.Memo[sentenceKey, string]
	// visible is how many rows of runs have room, cols the columns of their table.
	visible int
	cols    []listing.Column[cell]
}

type line = draw.Line

// onRow is a run that can be clicked, its index among all that match; onColumn a
// heading of the table; target another part.
type onRow int

type onColumn string

type target uint8

const onChart target = 0

// Sizes at which the layout changes.
const (
	compactW, compactH = 60, 18 // below one of them: rows without boxes
	tallH              = 27     // from here on: the phases as a table
	wideW              = 160    // from here on: phases and runs side by side, two charts
	hugeH              = 60     // from here on: four charts
	sentenceH          = 2
	leastRuns          = 7 // rows of the runs, borders included
)

// Draw paints v into r. It covers everything in r and touches nothing outside.
// Any size works.
func (p *picture) Draw(g *draw.Grid, r draw.Rect, v *View) {
	defer p.Open(g, r, v.Glyphs)()
	p.v = v
	p.phases = p.kept.Of(v.Version, func(uint64) phaseTable { return v.phases() })
	if r.W < compactW || r.H < compactH {
		top, _ := r.SplitV(max(r.H-4, 1))
		if _, rows := r.SplitV(p.sentence(top)); v.rows.All > 0 && rows.H > 0 {
			p.table(rows)
		}
		return
	}
	head, body := r.SplitV(sentenceH)
	p.sentence(head.Inset(1, 0))
	switch {
	case v.rows.All == 0:
		p.empty(body)
		return
	case v.rows.Matching == 0:
		p.runs(body)
		return
	}
	if r.W >= wideW {
		p.wide(body)
		return
	}
	phases, runs, write := 1, body.H*2/5, p.phaseLine
	if r.H >= tallH {
		phases, runs, write = min(p.phases.height(), max(body.H/4, 6)), body.H*3/10, p.phasePanel
	}
	top, low := body.SplitV(body.H - max(runs, leastRuns))
	chart, mid := top.SplitV(top.H - phases)
	p.chart(chart, 0, v.Figure, true)
	write(mid)
	p.runs(low)
}

// wide draws two figures side by side, and the phases beside the runs.
func (p *picture) wide(r draw.Rect) {
	low := format.Either(r.H >= hugeH, max(r.H*3/10, p.phases.height()), max(r.H*2/5, p.phases.height()))
	top, bottom := r.SplitV(r.H - low)
	more := companions(p.v.Figure)
	if r.H >= hugeH {
		var under draw.Rect
		top, under = top.SplitV(top.H * 3 / 5)
		left, right := under.SplitH(under.W * 3 / 5)
		p.chart(left, 2, more[1], false)
		p.chart(right, 3, more[2], false)
	}
	left, right := top.SplitH(top.W * 3 / 5)
	p.chart(left, 0, p.v.Figure, true)
	p.chart(right, 1, more[0], false)
	left, right = bottom.SplitH(min(bottom.W*2/5, 84))
	p.phasePanel(left)
	p.runs(right)
}

// companions are the figures beside the chosen one: the other half of a request
// first.
func companions(f history.Figure) []history.Figure {
	return slices.DeleteFunc([]history.Figure{history.TPOT, history.TTFT, history.Total, history.Longest},
		func(g history.Figure) bool { return g == f })
}

// sentenceKey is what the fitted sentence depends on.
type sentenceKey struct {
	version uint64
	w, rows int
}

// sentence writes what the history says first, and returns the rows used.
func (p *picture) sentence(r draw.Rect) int {
	text, role := p.v.headline()
	if text == "" {
		text = p.words.Of(sentenceKey{p.v.Version, r.W, r.H},
			func(k sentenceKey) string { return say.HistorySentence(&p.v.finding).FitRows(k.w, k.rows) })
	}
	return p.Sentence(r, role, len(text), text)
}

// headline is the text of row 2; "" is what the finding says.
func (v *View) headline() (string, themes.Role) {
	switch {
	case v.Err != "":
		return v.Err, themes.Bad
	case !v.Loaded:
		return "Reading the history.", themes.Dim
	case v.rows.All == 0 && v.Busy != "":
		return "Running: " + v.Busy + ". It will stand here when it has ended.", themes.Strong
	case v.rows.All == 0:
		return "Nothing has been measured on this machine yet.", themes.Strong
	case v.rows.Matching == 0:
		return "No run matches the filter. Press / to change it, esc to remove it.", themes.Strong
	}
	return "", themes.Strong
}

// empty says what fills the history, or why it cannot be read.
func (p *picture) empty(r draw.Rect) {
	in := p.Box(r, themes.Border, "runs", "")
	y := 1
	if p.v.Err != "" {
		p.Wrapped(in, y, 4, themes.Text, "It is read again every 2 s. The command tokscope history path says where it is.")
	}
	if p.v.Err != "" || !p.v.Loaded {
		return
	}
	for _, text := range [...]string{
		"Every run of Live, every probe, race and load of this machine " +
			"is kept here: its figures only, no prompt, no answer and no key.",
		"Press 1 and then space to measure once. For a week of data, leave a watch running: tokscope watch --every 30s",
		"With data there are: what changed and since when, one figure " +
			"over time, which phase of the wait explains it, and all runs.",
	} {
		y += p.Wrapped(in, y, 4, themes.Text, text) + 1
	}
}

// chart draws one figure of the shown series over time. first reports that it is
// the chosen figure, whose title names the series.
func (p *picture) chart(r draw.Rect, n int, f history.Figure, first bool) {
	v := p.v
	if v.shown == nil {
		p.Box(r, themes.Border, f.Label(), "")
		return
	}
	name := p.Join(f.Label(), format.If(!f.Timed(), " tok/s"))
	data := smoke.Data{
		Slots: v.shown.Slots, Figure: f, From: v.from, To: v.to, Changes: v.changes(f),
		Linear: v.Linear, Version: v.Version, SignFrom: newsFrom, At: v.Cursor,
	}
	if v.shown.Baseline != nil {
		data.Baseline = v.shown.Baseline.Figures[f].P50
	}
	in := r.Inner()
	p.charts[n].Draw(&p.Canvas, in, &data)
	legend := p.charts[n].Legend(&p.Canvas, &data)
	if first {
		p.Grid.Target(r, onChart)
		name = cmp.Or(draw.FirstFit(r.W-draw.Width(legend)-9, v.title(name, true), v.title(name, false)), v.title(name, true))
	}
	p.Box(r, themes.Border, name, legend)
	if !v.has(f) {
		text := format.Either(v.shown.N > 0 && v.shown.Failed == v.shown.N, "no request ended well",
			p.Join("no ", f.Label(), " in this period"))
		p.Grid.Center(in.X+smoke.AxisWidth, in.Y+in.H/2, in.W-smoke.AxisWidth, text, p.Glyphs, themes.Dim)
	}
}
