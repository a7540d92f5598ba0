package live

import (
	"iter"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/screen/listing"
)

// Columns of the list of runs that are shown only where runs differ in them.
const (
	byEndpoint = iota
	byModel
	byWork
	byLink
	numColumns
)

// listHeads are their headings.
var listHeads = [numColumns]string{"endpoint", "model", "workload", "conn"}

// Widths of these columns.
const (
	nameMost  = 14 // of a name; the header shows the whole one
	nameLeast = 4  // narrower than that a column says nothing
)

// runList names what the runs of a session differ in.
type runList struct {
	names  [][numColumns]string // of each run, sanitized
	differ [numColumns]bool
	widest [numColumns]int
}

// listRuns names the conditions of runs.
func listRuns(all []metrics.Run) (l runList) {
	l.names = make([][numColumns]string, len(all))
	var first *[numColumns]string
	for i := range all {
		st := &all[i].Stream
		model := st.Model
		if model == "" {
			model = st.Endpoint.Model
		}
		n := &l.names[i]
		*n = [numColumns]string{sanitize.Line(st.Endpoint.Name, 40),
			sanitize.Line(model, 60), workName(&st.Work), linkName(st)}
		if first == nil {
			first = n
		}
		for c := range n {
			unknown := n[c] == "" || first[c] == ""
			if n[c] != first[c] && (c != byLink || !unknown) {
				l.differ[c] = true
			}
		}
		if first[byLink] == "" {
			first[byLink] = n[byLink]
		}
	}
	// Two endpoints can have one name, and two prompts too.
	for i := range all {
		a, b := &all[0].Stream, &all[i].Stream
		l.differ[byEndpoint] = l.differ[byEndpoint] || a.Endpoint.URL != b.Endpoint.URL
	}
	for i := range l.names {
		for c, name := range l.names[i] {
			l.widest[c] = max(l.widest[c], draw.Width(name))
		}
	}
	return l
}

// workName is a workload in a few columns: its name and its output limit.
func workName(w *metrics.Workload) string {
	out := "open"
	if w.MaxTokens > 0 {
		out = format.Count(w.MaxTokens)
	}
	return sanitize.Line(w.Name, 10) + "→" + out
}

// linkName is a connection in a few columns: "cold h1", "warm h2", "" before it
// is known.
func linkName(s *metrics.Stream) string {
	name := "cold"
	switch {
	case s.Conn.Reused:
		name = "warm"
	case !s.Marks.GotConn.Known():
		return ""
	}
	switch s.Conn.Proto {
	case "":
		return name
	case "HTTP/1.1":
		return name + " h1"
	case "HTTP/2.0":
		return name + " h2"
	}
	return name + " " + sanitize.Line(s.Conn.Proto, 8)
}

// first is the first column that runs differ in.
func (l *runList) first() (column int, ok bool) {
	for c, differ := range l.differ {
		if differ {
			return c, true
		}
	}
	return 0, false
}

// cell is a row of the table with what it is drawn with.
type cell struct {
	p     *canvas
	run   *metrics.Run
	names *[numColumns]string
}

type column = listing.Column[cell]

// columns are those of the table of the session. What runs differ in matters most,
// then how they ended, then their tokens.
func (l *runList) columns() []column {
	all := []column{{Head: "#", Width: 3, Write: func(l line, r cell) {
		id := r.p.Int(r.run.Stream.ID)
		if pinned := r.p.pinned; pinned != nil && pinned.Stream.ID == r.run.Stream.ID {
			id = r.p.Join(id, "=")
		}
		l.Field(r.role(), id, l.Left())
	}}}
	for c := range l.differ {
		if l.differ[c] {
			all = append(all, column{Head: listHeads[c], Text: true, Gap: 2, Rank: 1 + c, Least: 2 + nameLeast,
				Width: 2 + min(max(l.widest[c], len(listHeads[c])), nameMost), Write: func(l line, r cell) {
					if c == byWork {
						l.Cut(r.role(), r.names[c])
					} else {
						l.Raw(r.role(), r.names[c])
					}
				}})
		}
	}
	return append(all,
		column{Head: "TTFT", Width: 9, Write: timeOf(func(f *metrics.Figures) metrics.Value { return f.TTFT })},
		column{Head: "TPOT", Width: 9, Write: timeOf(func(f *metrics.Figures) metrics.Value { return f.TPOT })},
		column{Head: "speed", Width: 11, Write: func(l line, r cell) {
			text := draw.Unknown
			if v := r.run.Figures.Speed; v.OK {
				text = r.p.Join(r.p.NumberOf(v), " tok/s")
			}
			l.Field(r.role(), text, l.Left())
		}},
		column{Head: "tokens", Width: 8, Rank: 7, Write: func(l line, r cell) {
			l.Field(r.role(), r.p.WholeOf(r.run.Figures.Tokens), l.Left())
		}},
		column{Head: "ended", Text: true, Gap: 2, Width: 3, Write: func(l line, r cell) {
			if word, role := r.p.endWord(r.run.Stream.State); !l.Whole(role, word) {
				sign, _ := draw.Outcome(r.p.Glyphs, r.run.Stream.State)
				l.Set(role, sign)
			}
		}},
		column{Width: 10, Rank: 6}) // "▲ truncated"
}

// timeOf writes a time of a run.
func timeOf(of func(*metrics.Figures) metrics.Value) func(line, cell) {
	return func(l line, r cell) { l.Field(r.role(), r.p.Duration(of(&r.run.Figures)), l.Left()) }
}

// role is that of a run: the shown one is strong.
func (r cell) role() themes.Role {
	if r.run.Stream.ID == r.p.v.Stream.ID && r.p.v.Other == "" {
		return themes.Strong
	}
	return themes.Dim
}

// rowsOf yields the indices of the runs for a table of that many rows: the
// newest first. The runs with the numbers of keep have a row too, the last ones
// of the table, where they are older than the others.
func rowsOf(all []metrics.Run, rows int, keep [2]int) iter.Seq[int] {
	return func(yield func(int) bool) {
		n := len(all)
		first := max(n-max(rows, 0), 0) // the oldest that has a row by its age
		var older [2]int
		m := 0
		for i := range all[:first] {
			if id := all[i].Stream.ID; (id == keep[0] || id == keep[1]) && m < len(older) {
				older[m] = i
				m++
			}
		}
		m = min(m, max(rows, 0))
		for i := n - 1; i >= min(first+m, n); i-- {
			if !yield(i) {
				return
			}
		}
		for i := m - 1; i >= 0; i-- {
			if !yield(older[i]) {
				return
			}
		}
	}
}
