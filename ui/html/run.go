package html

import (
	"cmp"
	"math"
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
		t := runs[0].Stream.Tool
		if t != nil && !slices.ContainsFunc(runs, func(r metrics.Run) bool {
			return r.Stream.Tool == nil || r.Stream.Tool.Tool != t.Tool || r.Stream.Tool.Version != t.Version
		}) {
			p.Kind += " of a file of " + format.Join(" ", t.Tool, t.Version)
		}
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

// track is a request as a page plays it, with a value of each list for each dot. Times are µs.
type track struct {
	At   []int64       `json:"at"`             // arrivals since the request was sent
	Gap  []int64       `json:"gap"`            // before each; negative where it is unknown
	Heat []themes.Role `json:"heat"`           // its color
	Text []string      `json:"text,omitempty"` // absent where texts are left out
	Kind []string      `json:"kind,omitempty"` // absent where all is content
	Each int           `json:"each"`           // chunks that share one of these
	Of   int           `json:"of"`             // chunks
}

// unknownGap is -1 µs, in ms.
const unknownGap = -.001

// play adds a request to the page, one of n.
func (p *Page) play(run *metrics.Run, n int, named bool) {
	s := &run.Stream
	t := &track{Each: (len(s.Chunks)*n + mostChunks - 1) / mostChunks, Of: len(s.Chunks)}
	long := len(s.Text) > mostText/n
	var decode sanitize.Decoder
	for from := 0; from < len(s.Chunks); from += t.Each {
		longest, most, text := from, unknownGap, []byte(nil)
		for i := from; i < min(from+t.Each, len(s.Chunks)); i++ {
			if ms, ok := s.Gap(i); ok && ms > most {
				longest, most = i, ms
			}
			text = decode.Append(text, s.ChunkText(i), i == len(s.Chunks)-1)
		}
		at, _ := s.Chunks[longest].At.Sub(s.Marks.Sent)
		t.At, t.Gap = append(t.At, int64(at)/1000), append(t.Gap, int64(math.Round(most*1000)))
		t.Heat = append(t.Heat, themes.Heat(draw.Heat(most)))
		t.Kind = append(t.Kind, s.Chunks[from].Kind.String())
		if !s.TextRemoved && !long {
			t.Text = append(t.Text, string(text))
		}
	}
	if !slices.ContainsFunc(t.Kind, func(k string) bool { return k != metrics.Content.String() }) {
		t.Kind = nil
	}
	f := Figure{track: t, Title: format.Either(named, "Request "+format.Count(s.Number())+": the", "The") +
		" gap before every chunk"}
	f.About = format.Join(" ", format.If(t.Each > 1, "A dot is the longest gap of "+format.Count(t.Each)+" chunks."),
		format.If(long && !s.TextRemoved, "The text is too long for this page: blocks stand for it."),
		f.gaps(&run.Figures))
	p.Figures = append(p.Figures, f)
}

// lowest is the part of the median below which a gap lies on the lower edge of the chart, and
// apart the ratio of gaps from which on its axis is logarithmic.
const (
	lowest = 1.0 / 8
	apart  = 3
)

// gaps draws the known gaps over time, and the waits above them. It returns what the chart lacks.
func (f *Figure) gaps(of *metrics.Figures) string {
	plot, t := &f.Plot, f.track
	end, known := float64(t.At[len(t.At)-1])/1000, []float64(nil)
	for _, us := range t.Gap {
		if us > 0 {
			known = append(known, float64(us)/1000)
		}
	}
	slices.Sort(known)
	n, least, most := len(known), 0.0, 1.0
	if n > 0 {
		least, most = max(known[0], known[n/2]*lowest), known[n-1]
	}
	plot.X.Linear(max(end, 1), format.Limit)
	plot.X.Max = max(end, 1) // the last tick may lie outside
	plot.LeftRole = themes.Dim
	scale(&plot.Left, least, most, apart, format.Limit)
	dots, below := plot.Line(themes.Accent), 0
	dots.Loose = true
	for i, us := range t.Gap {
		x, ms := float64(t.At[i])/1000, float64(us)/1000
		if us <= 0 {
			continue
		}
		if ms < plot.Left.Min {
			below++
		}
		dots.Points = append(dots.Points, chart.Point{X: x, Y: max(ms, plot.Left.Min), Role: t.Heat[i]})
		if ms == most && of.Longest.OK && len(plot.Notes) == 0 {
			plot.Notes = append(plot.Notes, chart.Note{X: x, Y: ms, Role: themes.Warn, Left: x > plot.X.Max/2,
				Text: "longest " + format.Ms(of.Longest.V)})
		}
	}
	if of.Gaps.P50.OK {
		plot.Rules = append(plot.Rules, chart.Rule{At: of.Gaps.P50.V, Role: themes.Dim,
			Label: "median " + format.Ms(of.Gaps.P50.V)})
	}
	if of.TTFT.OK {
		f.Names = []Name{{themes.Prefill, "waiting " + format.Ms(of.TTFT.V), 0, of.TTFT.V},
			{themes.Decode, "decode " + format.Ms(end-of.TTFT.V), of.TTFT.V, end}}
	}
	unknown := len(t.Gap) - 1 - n
	return format.Join(" ", format.If(n == 0, "No gap is known: "+format.Why(of.Longest.Why)+"."),
		format.If(below > 0, format.Plural(below, "shorter gap lies", "shorter gaps lie")+" on the lower edge."),
		format.If(unknown > 0, format.Plural(unknown, "gap is", "gaps are")+" unknown and not drawn."))
}

// cards are the main figures of a request.
func cards(b *strings.Builder, run *metrics.Run) {
	b.WriteString(`<dl class="cards">` + "\n")
	for _, id := range headline {
		v, d := figure.Of(id).Value(&run.Stream, &run.Figures), definition(id)
		number, unit, _ := strings.Cut(format.Known(v, func(v float64) string { return format.Figure(id, v) }), " ")
		if id == figure.Tokens {
			d.Formula = say.TokensFrom(run.Figures.TokenSource)
		}
		report.HTML(b, "<div><dt>%s</dt><dd><b>%s</b> %s</dd><dd class=\"what\">%s%s</dd></div>\n", id.Label(), number, unit,
			format.If(run.Figures.Estimated() && figure.Of(id).Counted, "estimated; "),
			format.Either(v.OK, cmp.Or(d.Formula, d.Unit), format.Why(v.Why)))
	}
	b.WriteString("</dl>\n")
}

// all is the table of all figures of a request, with what they are made of.
func all(b *strings.Builder, run *metrics.Run) {
	b.WriteString(`<div class="scroll" tabindex="0"><table><thead><tr><th>figure</th><th class="n">value</th>` +
		"<th>made of, or why it is unknown</th></tr></thead>\n<tbody>")
	for _, row := range figure.All() {
		if v := row.Value(&run.Stream, &run.Figures); row.Key != "" {
			report.HTML(b, "<tr><th>%s</th><td class=\"n\">%s</td><td>%s</td></tr>\n", row.Label,
				format.Known(v, func(v float64) string { return format.Figure(row.ID, v) }),
				format.Either(v.OK, definition(row.ID).Formula, format.Why(v.Why)))
		}
	}
	b.WriteString("</tbody></table></div>\n")
}

// definition is that of a figure; the zero Definition where it has none.
func definition(id figure.ID) say.Definition {
	d, _ := pick.Value(say.Definitions(), func(d *say.Definition) bool { return d.ID == id })
	return d
}
