package race

import (
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// picture draws the Race screen. It belongs to one goroutine.
type picture struct {
	draw.Canvas
	v     *View
	words words
	room  int // pairs that the table shows; 0 while it is not drawn

	charts [len(racestat.Swapped)]chart.Chart // of the blocks
}

type line = draw.Line

// words are the texts of a race that change with its rounds alone. Writing them
// takes longer than drawing them.
type words struct {
	key      wordsKey
	sentence string
	verdicts []verdictRow
	notes    []note
	rows     []note // the notes in at most most rows of rowsW columns; nil when they are to be laid out

	rowsW, most int
}

// wordsKey is what the words depend on.
type wordsKey struct {
	began                       int64
	rounds, requests, reference int
	lanes                       int
	figure                      figure.ID
	width, rows                 int
	running, holding, some      bool
}

// onLane is a lane that can be clicked; target another part.
type onLane int

type target uint8

const onPairs target = 0

// Sizes at which the layout changes.
const (
	compactW, compactH = 60, 18 // below one of them: rows without boxes
	tallH              = 34     // from here on: the table of pairs
	columnW            = 22     // the narrowest column of text; lanes are rows below
	rowsH              = 8      // of the lanes on a small screen, borders included
	sentenceH          = 2
	hintH              = 4 // of the verdicts before a race, borders included
)

// Draw paints v into r. It covers everything in r and touches nothing outside.
// Any size works.
func (p *picture) Draw(g *draw.Grid, r draw.Rect, v *View) {
	if r.Empty() {
		return
	}
	defer g.Clip(r)()
	g.Fill(r, ' ', themes.Text)
	p.Begin(g, v.Glyphs)
	p.v, p.room = v, 0
	words := &p.words
	if r.W < compactW || r.H < compactH {
		words.refresh(v, r.W, max(r.H-len(v.Race.Lanes)-2, 1))
		p.essentials(r)
		return
	}
	words.refresh(v, r.W-2, sentenceH)
	head, body := r.SplitV(sentenceH)
	p.Wrapped(head.Inset(1, 0), 0, sentenceH, themes.Strong, words.sentence)
	body, foot := body.SplitV(body.H - 1)
	p.status(foot)
	if len(v.Race.Lanes) == 0 {
		p.invitation(body)
		return
	}
	most := format.Either(r.H >= tallH, 6, 2)
	if words.rows == nil || words.rowsW != r.W-4 || words.most != most {
		words.rows, words.rowsW, words.most = p.noteRows(r.W-4, most), r.W-4, most
	}
	verdicts := format.Either(!v.Race.Began.Known(), hintH, len(words.verdicts)+2+1+len(words.rows))
	if v.Race.Swap != nil {
		p.settings(body, verdicts, r.H >= tallH)
		return
	}
	pairs := format.Either(r.H >= tallH, len(v.Race.Lanes)+5, 0)
	lanes := body.H - verdicts - pairs
	if lanes < rowsH {
		lanes = min(rowsH, body.H)
	}
	top, rest := body.SplitV(lanes)
	p.lanes(top)
	mid, low := rest.SplitV(rest.H - pairs)
	if rest.H-pairs < 4 {
		mid, low = rest, draw.Rect{}
	}
	p.verdicts(mid)
	p.pairs(low)
}

// refresh writes the words again where they may have changed: the sentence in so
// many rows of width columns.
func (w *words) refresh(v *View, width, rows int) {
	r := &v.Race
	requests := 0
	for i := range r.Lanes {
		requests += r.Lanes[i].Requests
	}
	key := wordsKey{
		began: int64(r.Began), rounds: len(r.Rounds) + len(r.Blocks), requests: requests,
		reference: v.Reference, lanes: len(r.Lanes), figure: v.Figure,
		running: r.Running, holding: r.Holding, width: width, rows: rows, some: true,
	}
	if w.key == key {
		return
	}
	w.key, w.sentence = key, say.RaceSentenceFit(r, width, rows)
	if !r.Began.Known() && len(r.Lanes) > 0 {
		w.sentence = "Press space to race: the same prompt to each lane in turn, until the difference is settled."
	}
	w.verdicts, w.notes, w.rows = verdictRows(v), notesOf(r), nil
}

// invitation says what to do without contestants.
func (p *picture) invitation(r draw.Rect) {
	in := p.Box(r, themes.Border, "race", "")
	p.Wrapped(in, 1, 4, themes.Text,
		"Choose two to six contestants with e: profiles, providers, "+
			"addresses, models of one endpoint, or the same endpoint cold and warm.")
}

// status is the last row: which lane is live, which are shown as recorded.
func (p *picture) status(r draw.Rect) {
	l := p.Row(r.Inset(1, 0), 0)
	race := &p.v.Race
	switch {
	case !race.Running && race.Ended != racestat.NotEnded:
		l.Cut(themes.Dim, "ended: "+say.RaceEnd(race))
	case !race.Running:
	case race.Holding:
		l.Cut(themes.Warn, "paused; space goes on")
	case race.Swap != nil:
		l.Clauses(themes.Text, say.SwapStep(race))
	case race.Parallel:
		l.Cut(themes.Dim, "parallel: all lanes are live and share this machine's network")
	default:
		p.phases(&l, racestat.Running, themes.Text, "live:")
		p.phases(&l, racestat.Recorded, themes.Dim, "   recorded, aligned at sent:")
		p.phases(&l, racestat.Next, themes.Dim, "   next:")
	}
}

// phases writes which lanes are in a phase.
func (p *picture) phases(l *line, in racestat.Phase, role themes.Role, text string) {
	n := len(text)
	for i, phase := range p.v.Race.Phases {
		if phase == in {
			text = p.Join(text, " ", say.RaceLetter(i))
		}
	}
	if len(text) > n {
		l.Whole(role, text)
	}
}

// essentials are the rows of a small terminal: the sentence, then a row a lane,
// then the verdicts.
func (p *picture) essentials(r draw.Rect) {
	y := p.Wrapped(r, 0, max(r.H-len(p.v.Race.Lanes)-2, 1), themes.Strong, p.words.sentence)
	for i := range p.v.Race.Lanes {
		l := p.Row(r, y+i)
		p.laneRow(&l, i, r.W < compactW)
	}
	y += len(p.v.Race.Lanes)
	if step := say.SwapStep(&p.v.Race); step != "" {
		y += p.Wrapped(r, y, 2, themes.Text, step)
	}
	for i := range p.words.verdicts {
		l, row := p.Row(r, y+i), &p.words.verdicts[i]
		l.Slot(themes.Dim, row.name, 7)
		l.Clauses(row.role, row.state)
	}
}
