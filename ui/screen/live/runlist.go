package live

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/pick"
	"tokscope/metrics/request"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	"tokscope/ui/screen"
	"tokscope/ui/screen/listing"
)

// Widths of the columns in which runs differ.
const (
	nameMost  = 14 // of a name; the header shows the whole one
	nameLeast = 4  // narrower than that a column says nothing
)

// runNames are the columns in which all runs differ, by the ID of a run. What a run does
// not tell differs from nothing.
func runNames(all []metrics.Run) (columns []listing.Names) {
	for _, c := range [...]struct {
		head string // the key of a filter
		of   func(*metrics.Stream) string
	}{
		{"endpoint", func(s *metrics.Stream) string { return sanitize.Line(s.Endpoint.Name, 40) }},
		{"model", func(s *metrics.Stream) string { return sanitize.Line(cmp.Or(s.Model, s.Endpoint.Model), 60) }},
		{"workload", workName}, {"conn", linkName},
	} {
		names := make(map[int]string, len(all))
		first, differ, width := "", false, 0
		for i := range all {
			s := &all[i].Stream
			name := c.of(s)
			first, width = cmp.Or(first, name), max(width, draw.Width(name))
			names[s.ID] = name
			differ = differ || name != "" && name != first ||
				c.head == "endpoint" && !s.Endpoint.Same(&all[0].Stream.Endpoint) // two can have one name
		}
		if differ {
			columns = append(columns, listing.Names{Head: c.head, Width: width, Of: func(id int) string { return names[id] }})
		}
	}
	return columns
}

// workName is a workload in a few columns: its name and its output limit.
func workName(s *metrics.Stream) string {
	out := "open"
	if n := s.Work.MaxTokens; n > 0 {
		out = format.Count(n)
	}
	return sanitize.Line(s.Work.Name, 10) + "→" + out
}

// linkName is a connection in a few columns: "new", "reused HTTP/2.0", "" before it is
// known.
func linkName(s *metrics.Stream) string {
	name := format.Either(s.Conn.Reused, "reused", "new")
	if !s.Conn.Reused && !s.Marks.GotConn.Known() {
		return ""
	}
	return name + format.If(s.Conn.Proto != "" && s.Conn.Proto != "HTTP/1.1", " "+sanitize.Line(s.Conn.Proto, 8))
}

// cell is a row of the table with what it is drawn with.
type cell struct {
	p   *canvas
	run *metrics.Run
}

type column = listing.Column[cell]

// runColumns are those of the table of the session. What runs differ in matters most,
// then how they ended, then their tokens.
func runColumns(names []listing.Names) []column {
	all := []column{{Head: "#", Width: 3, Write: func(l line, r cell) {
		id := r.p.Int(r.run.Stream.Number())
		if pinned := r.p.v.Pinned; pinned != nil && pinned.Stream.ID == r.run.Stream.ID {
			id = r.p.Join(id, "=")
		}
		l.Field(r.role(), id, l.Left())
	}}}
	for i, n := range names {
		all = append(all, column{Head: n.Head, Text: true, Gap: 2, Rank: 1 + i, Least: 2 + nameLeast,
			Width: 2 + min(max(n.Width, len(n.Head)), nameMost), Write: func(l line, r cell) {
				if name := n.Of(r.run.Stream.ID); n.Head == "workload" {
					l.Cut(r.role(), name)
				} else {
					l.Name(r.role(), name)
				}
			}})
	}
	for _, c := range [...]struct {
		id    figure.ID
		width int
		rank  int
		about func(*metrics.Figures) bool // it is marked as less certain; nil: never
	}{{figure.TTFT, 9, 0, nil}, {figure.TPOT, 9, 0, (*metrics.Figures).About},
		{figure.Speed, 12, 0, (*metrics.Figures).About},
		{figure.Tokens, 8, 7, func(f *metrics.Figures) bool { return f.TokenSource == metrics.TokensEstimated }}} {
		all = append(all, column{Head: c.id.Label(), Width: c.width, Rank: c.rank, Write: func(l line, r cell) {
			st, f := &r.run.Stream, &r.run.Figures
			v := figure.Of(c.id).Value(st, f)
			text := r.p.Known(v, func(b []byte, v float64) []byte { return format.AppendFigure(b, c.id, v) })
			switch {
			case c.id == figure.TTFT && !v.OK:
				text = cmp.Or(say.Waited(st, f), text)
			case v.OK && c.about != nil && c.about(f):
				text = r.p.Join("~", text)
			}
			l.Field(r.role(), text, l.Left())
		}})
	}
	return append(all,
		column{Head: "ended", Text: true, Gap: 2, Width: 3, Write: func(l line, r cell) {
			st, status := &r.run.Stream, 0
			if st.State != metrics.Done && st.Fault != nil {
				status = st.Fault.Status
			}
			listing.Ended(&r.p.Canvas, l, st.State, status, say.RunEnded(st))
			sign, role := outcome(r.p.Glyphs, st.State, &r.run.Figures)
			r.p.Grid.Set(l.X, l.Y, sign, role)
		}},
		column{Width: 18, Rank: 6}) // "✗ 500 server error"
}

// role is that of a run: the shown one is strong.
func (r cell) role() themes.Role {
	return format.Either(r.run.Stream.ID == r.p.v.Stream.ID && r.p.v.Other == "", themes.Strong, themes.Dim)
}

// rowsOf yields the indices of the runs for a table of that many rows: the
// newest first. The runs with the numbers of keep have a row too, the last ones
// of the table, where they are older than the others.
func rowsOf(all []metrics.Run, rows int, keep [2]int) iter.Seq[int] {
	return func(yield func(int) bool) {
		// runs of keep that have no row yet
		ahead := pick.Count(all, func(r *metrics.Run) bool { return slices.Contains(keep[:], r.Stream.ID) })
		for i, left := len(all)-1, rows; i >= 0 && left > 0; i-- {
			kept := slices.Contains(keep[:], all[i].Stream.ID)
			if kept {
				ahead--
			}
			if kept || left > ahead {
				if left--; !yield(i) {
					return
				}
			}
		}
	}
}

// lister is the list of the session's runs.
type lister struct {
	own  *own
	list *listing.List

	runs []metrics.Run // that the list has
	left int           // older ones that it has not
}

func newLister(o *own) *lister {
	l := &lister{own: o}
	l.list = listing.New(listing.Config{
		Host: o.host, Request: l.run,
		Shown: o.listed, Show: l.show, One: "run", Of: screen.Live, Kept: say.RunsKept, Suggest: l.suggestions,
		Title: func(r *request.Row) string { return fmt.Sprintf("run %d", r.N) },
		Rule:  func() string { return "it is left out" },
	})
	o.pic.list = l.list
	return l
}

// run is the stream of a run; false when it was dropped.
func (l *lister) run(id int) (metrics.Stream, bool) {
	r, ok := pick.Value(l.own.back.Runs(), func(r *metrics.Run) bool { return r.Stream.ID == id })
	return r.Stream, ok
}

// sample takes the runs of the view, when they are others.
func (l *lister) sample() {
	v := &l.own.view
	runs, left := v.Runs, v.RunsLeftOut
	if !l.own.pic.runs.update(runs) && left == l.left {
		return
	}
	l.runs, l.left = runs, left
	ended := request.ViewOf(0, pick.Each(runs, func(r *metrics.Run) request.Row {
		return request.RowOf(r.Stream.ID, 0, &r.Stream, &r.Figures)
	}))
	ended.Ended += left
	l.list.Names = l.own.pic.runs.names
	l.list.Update(ended)
}

// suggestMost is how many names are suggested.
const suggestMost = 6

// suggestions are filters for the names in which runs differ.
func (l *lister) suggestions() (list []string) {
	for _, n := range l.list.Names {
		for i := range l.runs {
			name := n.Of(l.runs[i].Stream.ID)
			text := n.Head + ":" + name
			if (n.Head == "endpoint" || n.Head == "model") && name != "" && !strings.ContainsAny(name, ` ",`) &&
				!slices.Contains(list, text) && len(list) < suggestMost {
				list = append(list, text)
			}
		}
	}
	return list
}

// show lets the list fill the screen.
func (l *lister) show() (undo func()) {
	v := &l.own.view
	before := v.Max
	v.Max = RunsPanel
	l.sample()
	return func() { v.Max = before }
}
