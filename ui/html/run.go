package html

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/pick"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// What a page plays: so many requests, with so many chunks and bytes of text together. Where there
// are more, chunks share a dot, and blocks stand for texts.
const (
	mostPlayed = 8
	mostChunks = 4000
	mostText   = 80_000
)

// headline are the figures that head the page of a request.
var headline = []figure.ID{figure.TTFT, figure.TPOT, figure.Speed, figure.Longest, figure.Total, figure.Tokens}

// Runs returns the page of requests: d is their report.
func Runs(runs []metrics.Run, d *report.Doc) *Page {
	p := &Page{Kind: format.Either(len(runs) == 1, "one request", format.Plural(len(runs), "request", "requests")), Doc: d}
	played := slices.DeleteFunc(slices.Clone(runs), func(r metrics.Run) bool {
		return len(r.Stream.Chunks) == 0 || !r.Stream.Marks.Sent.Known()
	})
	if len(runs) == 1 {
		p.Request = &runs[0]
	}
	if len(runs) > 0 {
		p.When = runs[0].Stream.Wall
	}
	n := min(len(played), mostPlayed)
	for i := range played[:n] {
		p.play(&played[i], n, len(runs) > 1)
	}
	if more := len(played) - mostPlayed; more > 0 {
		p.Notes = append(p.Notes, "The first "+format.Count(mostPlayed)+" of "+format.Count(len(played))+
			" requests with an answer can be played here.")
	}
	if more := len(runs) - len(played); more > 0 && len(runs) > 1 {
		p.Notes = append(p.Notes, format.Plural(more, "request", "requests")+" brought no chunks, or kept none in memory.")
	}
	return p
}

// Track is a request as a page plays it. Times are µs; of the gap before a chunk none is unknown.
type Track struct {
	Figure `json:"-"`
	At     []int64       `json:"at"`             // arrivals since the request was sent
	Gap    []*int64      `json:"gap"`            // before each
	Heat   []themes.Role `json:"heat"`           // its color
	Text   []string      `json:"text,omitempty"` // absent where texts are left out
	Kind   []string      `json:"kind,omitempty"` // absent where all is content
	Each   int           `json:"each"`           // chunks that share one of these
	Of     int           `json:"of"`             // chunks
}

// play adds a request to the page, one of n.
func (p *Page) play(run *metrics.Run, n int, named bool) {
	s, f := &run.Stream, &run.Figures
	t := Track{Each: (len(s.Chunks)*n + mostChunks - 1) / mostChunks, Of: len(s.Chunks)}
	long := len(s.Text) > mostText/n
	var decode sanitize.Decoder
	for from := 0; from < len(s.Chunks); from += t.Each {
		to := min(from+t.Each, len(s.Chunks))
		longest, text := from, []byte(nil)
		var most float64
		var known bool
		for i := from; i < to; i++ {
			if ms, ok := s.Gap(i); ok && (!known || ms > most) {
				longest, most, known = i, ms, true
			}
			text = decode.Append(text, s.ChunkText(i), i == len(s.Chunks)-1)
		}
		at, _ := s.Chunks[longest].At.Sub(s.Marks.Sent)
		t.At = append(t.At, int64(at)/1000)
		var gap *int64
		if known {
			us := int64(most*1000 + .5)
			gap = &us
		}
		t.Gap, t.Heat = append(t.Gap, gap), append(t.Heat, themes.Heat(format.Either(known, draw.Heat(most), 0)))
		t.Kind = append(t.Kind, s.Chunks[from].Kind.String())
		if !s.TextRemoved && !long {
			t.Text = append(t.Text, string(text))
		}
	}
	if !slices.ContainsFunc(t.Kind, func(k string) bool { return k != metrics.Content.String() }) {
		t.Kind = nil
	}
	t.Title = format.If(named, "Request "+format.Count(s.Number())+": ") + format.Either(named, "the", "The") +
		" gap before every chunk"
	t.About = format.Join(" ", format.If(t.Each > 1, "A dot is the longest gap of "+format.Count(t.Each)+" chunks."),
		format.If(long && !s.TextRemoved, "The text is too long for this page: blocks stand for it."))
	t.plot(f)
	p.Tracks = append(p.Tracks, t)
}

// lowest is the part of the median below which a gap lies on the lower edge of the chart.
const lowest = 1.0 / 8

// plot draws the gaps over time, and the waits above it.
func (t *Track) plot(f *metrics.Figures) {
	plot, end := &t.Plot, float64(t.At[len(t.At)-1])/1000
	plot.X.Linear(max(end, 1), format.Limit)
	plot.X.Max = max(end, 1) // the last tick may lie outside
	var known []float64
	for _, gap := range t.Gap {
		if gap != nil && *gap > 0 {
			known = append(known, float64(*gap)/1000)
		}
	}
	plot.LeftRole = themes.Dim
	if len(known) == 0 {
		plot.Left.Linear(1, format.Limit)
		t.About = format.Join(" ", t.About, "No gap is known: "+format.Why(f.Longest.Why)+".")
	} else {
		t.gaps(slices.Sorted(slices.Values(known)), f)
	}
	if unknown := len(t.Gap) - 1 - len(known); unknown > 0 {
		t.About = format.Join(" ", t.About, format.Plural(unknown, "gap is", "gaps are")+" unknown and not drawn.")
	}
	if f.TTFT.OK {
		t.Bands = []Band{{0, f.TTFT.V, themes.Prefill, "waiting " + format.Ms(f.TTFT.V)},
			{f.TTFT.V, end, themes.Decode, "decode " + format.Ms(end-f.TTFT.V)}}
	}
}

// gaps draws the known gaps, which are sorted in ms.
func (t *Track) gaps(sorted []float64, f *metrics.Figures) {
	plot, most, middle := &t.Plot, sorted[len(sorted)-1], sorted[len(sorted)/2]
	least := max(sorted[0], middle*lowest)
	if most > 3*least {
		plot.Left.Decades(least, most, format.Limit)
	} else {
		plot.Left.Linear(most, format.Limit)
	}
	dots, below := plot.Line(themes.Accent), 0
	dots.Loose = true
	for i, gap := range t.Gap {
		if gap == nil || *gap <= 0 {
			continue
		}
		x, ms := float64(t.At[i])/1000, float64(*gap)/1000
		if ms < plot.Left.Min {
			below++
		}
		dots.Points = append(dots.Points, chart.Point{X: x, Y: max(ms, plot.Left.Min), Role: t.Heat[i]})
		if ms == most && f.Longest.OK && len(plot.Notes) == 0 {
			plot.Notes = append(plot.Notes, chart.Note{X: x, Y: ms, Role: themes.Warn, Left: x > plot.X.Max/2,
				Text: "longest " + format.Ms(f.Longest.V)})
		}
	}
	if below > 0 {
		t.About = format.Join(" ", t.About, format.Plural(below, "shorter gap lies", "shorter gaps lie")+
			" on the lower edge.")
	}
	if f.Gaps.P50.OK {
		plot.Rules = append(plot.Rules, chart.Rule{At: f.Gaps.P50.V, Role: themes.Dim,
			Label: "median " + format.Ms(f.Gaps.P50.V)})
	}
}

// data is the JSON of the tracks, in which no "<" stands.
func (p *Page) data() string {
	text, err := json.Marshal(p.Tracks)
	if err != nil { // numbers and strings have a form
		return "[]"
	}
	return string(text)
}

// cards are the main figures of a request.
func cards(b *strings.Builder, run *metrics.Run) {
	b.WriteString(`<dl class="cards">` + "\n")
	for _, id := range headline {
		v := figure.Of(id).Value(&run.Stream, &run.Figures)
		d := definition(id)
		number, unit, _ := strings.Cut(format.Known(v, func(v float64) string { return format.Figure(id, v) }), " ")
		if id == figure.Tokens {
			d.Formula = say.TokensFrom(run.Figures.TokenSource)
		}
		about := format.If(run.Figures.Estimated() && figure.Of(id).Counted, "estimated; ")
		b.WriteString("<div><dt>" + report.Escape(id.Label()) + "</dt><dd><b>" + report.Escape(number) + "</b> " +
			report.Escape(unit) + "</dd><dd class=\"what\">" + report.Escape(about+
			format.Either(v.OK, cmp.Or(d.Formula, d.Unit), format.Why(v.Why))) + "</dd></div>\n")
	}
	b.WriteString("</dl>\n")
}

// all is the table of all figures of a request, with what they are made of.
func all(b *strings.Builder, run *metrics.Run) {
	b.WriteString(`<div class="scroll" tabindex="0"><table class="all"><thead><tr><th>figure</th>` +
		`<th class="n">value</th>` + "<th>made of, or why it is unknown</th></tr></thead>\n<tbody>")
	for i := range figure.All() {
		row := &figure.All()[i]
		if row.Key == "" {
			continue
		}
		v := row.Value(&run.Stream, &run.Figures)
		b.WriteString("<tr><th>" + report.Escape(row.Label) + `</th><td class="n">` +
			report.Escape(format.Known(v, func(v float64) string { return format.Figure(row.ID, v) })) + "</td><td>" +
			report.Escape(format.Either(v.OK, definition(row.ID).Formula, format.Why(v.Why))) + "</td></tr>\n")
	}
	b.WriteString("</tbody></table></div>\n")
}

// definition is that of a figure; the zero Definition where it has none.
func definition(id figure.ID) say.Definition {
	if d := pick.First(say.Definitions(), func(d *say.Definition) bool { return d.ID == id }); d != nil {
		return *d
	}
	return say.Definition{}
}
