package live

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/themes"
	"tokscope/ui/chart/scope"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// farStep is how many chunks a far step of the cursor passes: a line of text.
const farStep = 10

// MoveCursor moves the cursor by chunks. Without a cursor it begins at the
// newest chunk, or to the right at the first one. Beyond the newest there is no
// cursor, and the picture follows the stream again.
func (s *picture) MoveCursor(st *metrics.Stream, by int) {
	n, to := len(st.Chunks), s.scope.cursor+by
	switch {
	case n == 0 || to >= n && s.scope.cursor >= 0:
		s.ClearCursor()
		return
	case s.scope.cursor < 0 && by < 0:
		to = n - 1
	case s.scope.cursor < 0:
		to = 0
	}
	s.setCursor(max(to, 0))
}

// ClearCursor removes the cursor and follows the text.
func (s *picture) ClearCursor() {
	if s.scope.cursor >= 0 {
		s.scope.cursor, s.body.follow = -1, true
	}
}

// setCursor puts the cursor on a chunk and brings it and its text into view.
func (s *picture) setCursor(chunk int) {
	s.scope.cursor = chunk
	if s.scope.zoom == scope.Wait { // it has no chunk but the first
		s.scope.zoom = scope.Around
	}
	s.body.reveal(chunk)
}

// PointAt puts the cursor on the chunk under the mouse: in the scope, or in the
// text.
func (s *picture) PointAt(st *metrics.Stream, t draw.Target, x, y int) {
	chunk, ok := -1, false
	if t == onText {
		chunk, ok = s.body.chunkOn(x, y)
	} else {
		chunk, ok = s.scope.scope.ChunkAt(st, x, y)
	}
	if ok && chunk < len(st.Chunks) {
		s.setCursor(chunk)
	}
}

// reveal scrolls to the text of a chunk unless it is in view.
func (s *textPanel) reveal(chunk int) {
	t := &s.text
	if chunk < 0 || chunk >= len(t.chunkEnds) || s.at.room == 0 {
		return
	}
	at, str := int32(0), t.text.String()
	if chunk > 0 {
		at = t.chunkEnds[chunk-1]
	}
	for at < t.chunkEnds[chunk]-1 && (str[at] == ' ' || str[at] == '\n') {
		at++ // a blank before the word may be in the row before
	}
	row := t.rowOf(at)
	s.follow = false
	if row < s.at.top || row >= s.at.top+s.at.room {
		s.at.top = 0
		s.at.move(row - s.at.room/2)
	}
}

// chunkOn is the chunk whose text was drawn at a cell of the screen.
func (s *textPanel) chunkOn(x, y int) (chunk int, ok bool) {
	t := &s.text
	n := s.at.top + y - s.area.Y
	if !s.area.Contains(x, y) || n < 0 || n >= t.rows() {
		return -1, false
	}
	row := t.at(n)
	str := t.text.String()
	for at, col := row.from, s.area.X; !row.heading && at < row.to; {
		n, w := draw.Cluster(str[at:row.to])
		if col += w; x < col {
			return t.chunkAt(at), true
		}
		at += int32(n)
	}
	return -1, false
}

// nextZoom chooses the next window: follow while the stream runs, whole run,
// wait, close-up.
func (s *scopePanel) nextZoom(ended bool) {
	switch s.zoom {
	case scope.Auto:
		if s.zoom = scope.Whole; ended {
			s.zoom = scope.Wait
		}
	case scope.Whole, scope.Follow:
		s.zoom = scope.Wait
	case scope.Wait:
		s.zoom = scope.Around
	default:
		s.zoom = scope.Auto
	}
}

// chunkWords says what chunk i was, each fact for itself, the most important first.
func (p *canvas) chunkWords(i int) (title string, facts [7]string) {
	st := &p.v.Stream
	c := &st.Chunks[i]
	title = p.Join("chunk ", p.Count(i+1), " (white space)")
	if text := strings.TrimSpace(sanitize.Line(string(st.ChunkText(i)), 24)); text != "" {
		title = p.Join("chunk ", p.Count(i+1), " “", text, "”")
	}
	switch ms, burst := gapBefore(st, i); {
	case ms >= 0:
		facts[0] = p.Join(p.Ms(ms), " after chunk ", p.Count(i))
	case burst:
		facts[0] = p.Join("gap unknown: in one read with ", p.Count(i))
	case i == 0:
		facts[0] = "the first chunk"
	default:
		facts[0] = "gap unknown"
	}
	if g := st.Path.Gap(i); g != nil {
		facts[1] = say.PathCause(g).String()
	}
	if d, ok := c.At.Sub(st.Marks.Sent); ok {
		facts[2] = p.Join(p.Ms(float64(d)/1e6), " after sent")
	}
	if st.Stamps != metrics.SourceTool {
		facts[3] = p.Join(p.Count(int(c.Bytes)), " B")
		facts[4] = p.Join("read ", p.Count(int(c.Read)+1))
	}
	if c.Tokens >= 0 {
		facts[5] = p.Plural(int(c.Tokens), "token", "tokens")
	}
	source := metrics.SourceUser
	switch {
	case c.Kernel:
		source = metrics.SourceKernel
	case st.Stamps == metrics.SourceBody, st.Stamps == metrics.SourceTool:
		source = st.Stamps
	}
	facts[6] = p.Join(source.String(), " stamp")
	return title, facts
}

// chunkTitle is the name of chunk i; without a cursor it is that after the longest gap.
func (p *canvas) chunkTitle(name string) string {
	return format.If(p.cursor < 0, "longest gap ─ ") + name
}

// chunkLine writes the facts of chunk i in one row: those that fit whole.
func (s *scopePanel) chunkLine(p *canvas, l line, i int) {
	name, facts := p.chunkWords(i)
	l.Cut(format.Either(p.cursor < 0, themes.Dim, themes.Badge), p.chunkTitle(name))
	l.Skip(2)
	l.List(themes.Text, ", ", facts[:]...)
}

// chunkPanel writes the facts of chunk i into a box, with the path and the next pause;
// without a chunk those of the connection.
func (s *scopePanel) chunkPanel(p *canvas, r draw.Rect, i int) {
	st := &p.v.Stream
	if i < 0 {
		in := p.Box(r, themes.Border, "connection", "")
		l := p.Row(in, 0)
		switch {
		case p.link(&l):
		case st.Marks.GotConn.Known():
			l.List(themes.Text, ", ", format.Either(st.Conn.Reused, "reused", "new"), safeName(st.Conn.Remote))
		default:
			l.Cut(themes.Dim, connectionWords[st.Work.Connection])
		}
		if text := say.Path(st.Path); text != "" {
			l = p.Row(in, 1)
			l.Clauses(themes.Dim, p.Join("path: ", text))
		}
		return
	}
	name, facts := p.chunkWords(i)
	in := p.Box(r, themes.Border, p.chunkTitle(name), p.Join("of ", p.Count(len(st.Chunks))))
	l := p.Row(in, 0)
	l.Cut(themes.Strong, facts[0])
	l.Whole(themes.Text, p.Join(", ", facts[2]))
	l = p.Row(in, 1)
	l.List(themes.Text, ", ", facts[3:]...)
	_, in = in.SplitV(2)
	cause, role, rows := "", themes.Text, min(in.H, 2)
	if g := st.Path.Gap(i); g != nil {
		cause = say.PathCause(g).FitRows(in.W, rows)
	} else if path := say.Path(st.Path); path != "" { // of the whole stream
		role = themes.Dim
		cause = format.Clauses(p.Join("path: ", path), func(s string) bool { return len(format.Wrap(s, in.W)) <= rows })
	}
	_, in = in.SplitV(p.Wrapped(in, 0, rows, role, cause))
	k := slices.IndexFunc(p.v.Figures.Stalls, func(x metrics.Stall) bool { return x.Chunk > p.cursor })
	if k >= 0 && p.v.Figures.Stalls[k].Chunk != i {
		p.nextPause(in, p.v.Figures.Stalls[k])
	}
}

// nextPause says below a chunk which pause comes next, and whose it was.
func (p *canvas) nextPause(in draw.Rect, stall metrics.Stall) {
	l := p.Row(in, 0)
	l.Write(themes.Key, "n  ")
	l.Whole(themes.Dim, p.Join("next pause: ", p.Ms(stall.Ms), " before chunk ", p.Count(stall.Chunk+1)))
	if g := p.v.Stream.Path.Gap(stall.Chunk); g != nil {
		l = p.Row(in, 1)
		l.Skip(3)
		l.Whole(themes.Dim, say.PathCause(g).Fit(l.Left()))
	}
}

// marks are the chunks of a stream that a person looks for, in their order: those after a
// pause, the first of reasoning, answer or call behind another one, and the last one
// before a failure.
func (s *picture) marks(v *View) (chunks []int) {
	for i := range v.Figures.Stalls {
		chunks = append(chunks, v.Figures.Stalls[i].Chunk)
	}
	for i := 1; i < len(s.body.text.parts); i++ {
		chunks = append(chunks, s.body.text.parts[i].first)
	}
	if st := v.Stream.State; st == metrics.Failed || st == metrics.Truncated {
		chunks = append(chunks, len(v.Stream.Chunks)-1)
	}
	slices.Sort(chunks)
	return slices.DeleteFunc(slices.Compact(chunks), func(i int) bool { return i < 0 || i >= len(v.Stream.Chunks) })
}

// nextMark puts the cursor on the next mark of the run, or for by < 0 on the one before.
// Without a cursor it begins at the beginning, or at the end. In the list of runs it
// selects the next one that did not end well.
func (s *Screen) nextMark(by int) func() tea.Cmd {
	return func() tea.Cmd {
		if s.listed() {
			if !s.pic.list.Find(by, func(r *request.Row) bool { return r.State != metrics.Done }) {
				return s.host.Say(say.NoFailure(by > 0))
			}
			return nil
		}
		marks, at := s.pic.marks(&s.view), s.pic.scope.cursor
		if by < 0 {
			slices.Reverse(marks)
			if at < 0 {
				at = len(s.view.Stream.Chunks)
			}
		}
		i := slices.IndexFunc(marks, func(chunk int) bool { return cmp.Compare(chunk, at) == by })
		if i < 0 {
			return s.host.Say(say.NoMark(by > 0))
		}
		s.pic.setCursor(marks[i])
		return nil
	}
}
