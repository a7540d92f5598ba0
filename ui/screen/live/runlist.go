package live

import (
	"iter"

	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
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

// runForm is which columns a table has.
type runForm struct {
	widths [numColumns]int // of the names, 0: not shown
	tokens bool            // the count of tokens
	words  bool            // how a run ended, as a word
}

// form chooses the columns for a width: what runs differ in matters most, then
// how they ended, then their tokens.
func (l *runList) form(w int) (f runForm) {
	const (
		figures = 3 + 9 + 9 + 1 + 10 + 2
		sign    = 1
		tokens  = 8
		word    = 11 // "▲ truncated"
	)
	left := w - figures - sign
	for c := range l.differ {
		if need := min(max(l.widest[c], len(listHeads[c])), nameMost); l.differ[c] && left >= nameLeast+2 {
			f.widths[c] = max(min(need, left-2), nameLeast)
			left -= f.widths[c] + 2
		}
	}
	if f.words = left >= word-sign; f.words {
		left -= word - sign
	}
	f.tokens = left >= tokens
	return f
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
