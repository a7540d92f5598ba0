package race

import (
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// picture draws the Race screen. It belongs to one goroutine.
type picture struct {
	draw.Canvas
	v     *View
	words words
	kept  draw.Memo[wordsKey, words]
	room  int // pairs that the table shows; 0 while it is not drawn

	charts [len(racestat.Swapped)]chart.Chart // of the blocks
}

// words are the texts of a race that change with its rounds alone. Writing them
// takes longer than drawing them.
type words struct {
	sentence string
	verdicts []verdictRow
	reach    reach
	wide     int // the columns of the verdicts in words
	// Of the verdicts, some have a ratio, an end of an interval, and are of these pairs alone.
	dots, ends, these bool
	warnings          []draw.Part // what spoils or qualifies the verdicts, in rows
	report            []string    // the rows of the report, for the statistics
}

// wordsKey is what the words depend on.
type wordsKey struct {
	began                          metrics.Stamp
	rounds, reference, width, rows int
	lanes                          [racestat.MaxLanes]string
	figure                         figure.ID
	running, holding               bool
	few, statistics, scoped        bool
}

// onLane is a lane that can be clicked, and onPairs the table of the pairs.
type (
	onLane  int
	onPairs struct{}
)

// Sizes at which the layout changes.
const (
	compactW, compactH = 60, 18 // below one of them: rows without boxes
	tallH              = 34     // from here on: verdicts on all figures of three lanes
	columnW            = 22     // the narrowest column of text; lanes are rows below
	columnH            = 6      // the lowest one, borders included
	sentenceH          = 2
)

// Draw paints v into r. It covers everything in r and touches nothing outside.
// Any size works.
func (p *picture) Draw(g *draw.Grid, r draw.Rect, v *View) {
	defer p.Open(g, r, v.Glyphs)()
	p.v, p.room = v, 0
	n := len(v.Race.Lanes)
	few := n > racestat.MinLanes && (n > fewLanes || r.H < tallH)
	if r.W < compactW || r.H < compactH {
		p.words = p.wordsOf(r.W, max(r.H-n-2, 1), few, true)
		p.essentials(r)
		return
	}
	p.words = p.wordsOf(r.W-2, sentenceH, few, v.Statistics)
	words := &p.words
	head, body := r.SplitV(sentenceH)
	p.Wrapped(head.Inset(1, 0), 0, sentenceH, themes.Strong, words.sentence)
	body, foot := body.SplitV(body.H - 1)
	p.status(foot)
	verdicts := len(words.verdicts) + 3
	switch {
	case n == 0:
		return
	case v.Statistics:
		in := p.Box(body, themes.Border, "statistics", "")
		for i, row := range words.report {
			l := p.Row(in, i)
			l.Raw(themes.Text, format.Either(i == in.H-1 && i+1 < len(words.report), "…; y copies all", row))
		}
		return
	case v.Race.Swap != nil:
		p.settings(body, verdicts+len(words.warnings), r.H >= tallH)
		return
	}
	columns := r.W/n >= columnW
	least, pairs := format.Either(columns, columnH, n+2), format.Either(r.H >= tallH, 8, 5)
	if body.H-verdicts-pairs < least { // six lanes on a small screen
		pairs = 0
	}
	verdicts += max(min(len(words.warnings), body.H-verdicts-pairs-least), 0)
	lanes := max(body.H-verdicts-pairs, min(least, body.H))
	need := n + 2 + mostText
	if most := v.Race.Work.MaxTokens; columns {
		need = format.Either(most > 0, 5+most*textWidth/(r.W/n-4)+fewBars, lanes)
	}
	if pairs > 0 { // they have what the lanes do not need, as far as they have rows for it
		rows := format.Either(v.Race.Began.Known(), max(len(v.Race.Rounds), racestat.NeedsPairs(n)+1), planH)
		lanes = max(min(lanes, need), body.H-verdicts-rows-2)
	}
	top, rest := body.SplitV(lanes)
	p.lanes(top)
	mid, low := rest.SplitV(min(verdicts, rest.H))
	p.verdicts(mid)
	p.pairs(low)
}

// mostText is the largest number of rows of text below lanes that are rows, fewBars a height of
// the bars that shows gaps well.
const mostText, fewBars = 6, 3

// wordsOf writes the words, with the sentence in so many rows of width columns. scoped says in it
// for which time verdicts hold.
func (p *picture) wordsOf(width, rows int, few, scoped bool) words {
	v, r := p.v, &p.v.Race
	key := wordsKey{
		began: r.Began, rounds: len(r.Rounds) + len(r.Blocks), reference: v.Reference, figure: v.Figure, few: few,
		statistics: v.Statistics, scoped: scoped, running: r.Running, holding: r.Holding, width: width, rows: rows,
	}
	for i := range r.Lanes {
		key.lanes[i] = r.Lanes[i].Label
	}
	return p.kept.Of(key, func(wordsKey) words {
		w := words{sentence: say.RaceSentenceFit(r, v.Proposed, scoped, width, rows), verdicts: verdictRows(v, few)}
		w.reach = reachOf(w.verdicts, v)
		for i := range w.verdicts {
			row := &w.verdicts[i]
			row.state = unsaid(row.state, w.sentence)
			w.wide = max(w.wide, nameW+2+draw.Width(row.state))
			of := &row.Verdict
			w.dots, w.ends = w.dots || of.Ratio > 0, w.ends || bounded(of)
			w.these = w.these || say.RaceScope(of, r.Band) != ""
		}
		if v.Statistics {
			_, numbers, _ := strings.Cut(report.Race(r, v.By, true).Text(width-2), "\n\n")
			w.report = strings.Split(numbers, "\n")
		}
		for _, n := range report.RaceNotes(r) {
			if role := warningRoles[n.Name]; role != 0 && n.Text != "" && r.Began.Known() {
				for _, row := range format.Wrap(sanitize.Line(n.Name+": "+n.Text, 300), width-2) {
					w.warnings = append(w.warnings, draw.Part{Role: role, Text: row})
				}
			}
		}
		return w
	})
}

// status is the last row: why the race ended, which round is shown again, and how much slower
// than it was.
func (p *picture) status(r draw.Rect) {
	l, race, h, replay, which := p.Row(r.Inset(1, 0), 0), &p.v.Race, &p.v.Heat, "", ""
	if h.Pair > 0 {
		replay = p.Join("replay of pair ", p.Count(h.Pair), format.If(h.Slow > 1, p.Join(", slowed ", p.Count(h.Slow), "x")))
		which = "same start" + format.If(h.Nearest, ", nearest to the medians")
	}
	switch {
	case !race.Running && race.Ended != racestat.NotEnded:
		l.List(themes.Dim, "; ", "ended: "+say.RaceEnd(race), replay, which)
	case !race.Running:
	case race.Holding:
		l.List(themes.Warn, "; ", "paused; space goes on", replay, which)
	case h.Pair > 0:
		l.List(themes.Dim, "; ", replay, say.RaceAmount(race)+" measured", which)
	case race.Swap != nil:
		l.Clauses(themes.Text, say.SwapStep(race))
	case race.Parallel:
		l.Cut(themes.Dim, "parallel: all lanes are live and share this machine's network")
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
		l.Slot(themes.Dim, row.name, nameW)
		l.Clauses(row.role, row.state)
	}
}
