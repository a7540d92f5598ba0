package explain

import (
	"cmp"
	"slices"
	"strings"

	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// stepPanel takes one step apart: how long it took, what took it, how much of
// the hardware it used, and what limits it.
func (p *canvas) stepPanel(r draw.Rect, border themes.Role) {
	st := p.now.step
	title := "this step"
	if st != nil {
		title = p.Join("step ", p.Int(int(st.Number)))
		switch {
		case p.now.back > 0:
			title = p.Join(title, " ─ ", p.Plural(p.now.back, "step", "steps"), " back")
		case st == p.now.view.Doing:
			title = p.Join(title, " ─ under way")
		case r.W >= 40:
			title = p.Join(title, " ─ the newest")
		}
	}
	right := ""
	if st != nil && st.Pool != "" {
		right = p.Join(st.Pool, " pool")
	}
	in := p.Box(r, border, title, right)
	if st == nil {
		p.Middle(in, themes.Dim, p.nothing())
		return
	}
	seconds := st.End - st.Start
	y := 0
	if in.H >= 11 && in.W >= 34 {
		p.bigStep(in, st)
		y = format.Either(in.H >= 13, 4, 3)
	} else {
		l := p.Row(in, 0)
		l.Write(themes.Figure, p.Ms(seconds*1e3))
		l.Skip(2)
		l.Cut(themes.Text, p.batchWords(st, l.Left()))
		y = 1
		if in.H >= 9 {
			l = p.Row(in, 1)
			p.bound(&l, themes.Dim, st)
			y = 2
		}
	}
	body := draw.Rect{X: in.X, Y: in.Y + y, W: in.W, H: in.H - y}
	if in.H < 6 {
		p.terms(body, st)
		return
	}
	body.H -= 2
	p.uses(in, p.terms(body, st)-in.Y, st)
}

// uses is how much of the two peaks of the hardware the step used, from row y
// of in on, or below a blank row.
func (p *canvas) uses(in draw.Rect, y int, st *serving.EngineStep) {
	if y+2 < in.H {
		y++
	}
	p.use(p.Row(in, y), "bandwidth", st.Bandwidth, st.Binds == "bandwidth")
	p.use(p.Row(in, y+1), "compute", st.Compute, st.Binds == "compute")
}

// bigStep is the duration in large numerals, and what the step is beside it.
func (p *canvas) bigStep(in draw.Rect, st *serving.EngineStep) {
	num, unit, _ := strings.Cut(p.Ms((st.End-st.Start)*1e3), " ")
	n := p.Grid.Big(in.X, in.Y, num, p.Glyphs, themes.Figure, in.W)
	l := p.Row(in, 2)
	l.Skip(n + 1)
	l.Write(themes.Unit, unit)
	at := max(n+4, 18)
	side := draw.Rect{X: in.X + at, Y: in.Y, W: in.W - at, H: 3}
	l = p.Row(side, 0)
	l.Cut(themes.Strong, p.batchWords(st, l.Left()))
	l = p.Row(side, 1)
	p.yield(&l, st)
	l = p.Row(side, 2)
	p.bound(&l, themes.Text, st)
}

// bound writes what limits the step, in one word where there is no room to say
// what it waits for.
func (p *canvas) bound(l *line, role themes.Role, st *serving.EngineStep) {
	if !l.Whole(role, p.binds(st)) && st.Binds != "" {
		l.Cut(role, p.Join(st.Binds, "-bound"))
	}
}

// batchWords is what is in the batch, in fewer words where room columns are too few.
func (p *canvas) batchWords(st *serving.EngineStep, room int) string {
	prefill, decodes := p.Join("prefill ", p.Count(st.Prefilled)), p.Count(st.Decodes)
	switch {
	case st.Prefilled > 0 && st.Decodes > 0:
		both := p.Join(prefill, " + ", decodes)
		return cmp.Or(draw.FirstFit(room, p.Join(both, " decode")), both)
	case st.Prefilled > 0:
		return cmp.Or(draw.FirstFit(room, p.Join(prefill, format.Either(st.Prefilled == 1, " token", " tokens"))), prefill)
	case st.Decodes > 0:
		brief := p.Join(decodes, " decode")
		return cmp.Or(draw.FirstFit(room, p.Join("decode for ", p.Plural(st.Decodes, "user", "users"))), brief)
	}
	return "nothing computed"
}

// yield is what came out of the step, and who did not get into it.
func (p *canvas) yield(l *line, st *serving.EngineStep) {
	l.Whole(themes.Dim, p.Join(p.Plural(st.Tokens, "token", "tokens"), " out"))
	l.Whole(themes.Warn, format.If(st.Preempted > 0, p.Join(", ", p.Count(st.Preempted), " preempted")))
	if st.Waiting > 0 {
		l.Whole(themes.Dim, p.Join(", ", p.Count(st.Waiting), format.Either(st.Waiting == 1, " waits", " wait")))
	}
}

// binds returns in words what limits the step.
func (p *canvas) binds(st *serving.EngineStep) string {
	switch st.Binds {
	case "bandwidth":
		return "bandwidth-bound: waits for memory"
	case "compute":
		return format.Either(st.Compute > 1, "compute-bound, above the bf16 peak", "compute-bound: waits for arithmetic")
	case "latency":
		return "latency-bound: fixed times"
	}
	return ""
}

// termColumns are the columns of the step's table in a panel of some width: a
// name, amounts, a bar from bar on, what limits, and a time.
type termColumns struct{ name, amounts, bar, width, limit, time int }

func columnsOfTerms(w int) termColumns {
	c := termColumns{name: 13, time: 8}
	if w >= 60 {
		c.name = 17
	}
	switch {
	case w >= 60:
		c.amounts = 22
	case w >= 40:
		c.amounts = 9
	}
	if w >= 70 {
		c.limit = 11
	}
	c.bar = c.name + c.amounts
	c.width = max(w-c.bar-c.limit-c.time-1, 0)
	return c
}

// terms is the table of what took the time: the bars add up to the step. It
// returns the row after the last one.
func (p *canvas) terms(r draw.Rect, st *serving.EngineStep) int {
	if r.H < 1 {
		return r.Y
	}
	total := st.End - st.Start
	var room [numGroups]termRow
	rows := rowsOf(room[:0], st, &p.now.shares, min(r.H, numGroups))
	c := columnsOfTerms(r.W)
	pitch := format.Either(r.H >= 2*len(rows)+2, 2, 1) // rows a term
	for i := range rows {
		t, g := &rows[i].term, &groups[rows[i].group]
		l := p.Row(r, i*pitch)
		some := t.Seconds > 0
		role := format.Either(some, themes.Text, themes.Dim)
		cell := p.Line(l.X, l.Y, c.name)
		cell.Write(role, format.Either(len(g.name) < c.name, g.name, cmp.Or(g.short, g.name)))
		cell = p.Line(l.X+c.name, l.Y, r.W-c.name)
		bytes, flops := p.amount(t.Bytes, "B"), p.amount(t.FLOPs, "FLOP")
		switch {
		case c.amounts >= 22:
			cell.Field(themes.Dim, bytes, 8)
			cell.X = l.X + c.name + 8
			cell.Field(themes.Dim, flops, 12)
		case c.amounts > 0 && t.Limit == "compute" && flops != "":
			cell.Field(themes.Dim, p.amount(t.FLOPs, "F"), 8)
		case c.amounts > 0:
			cell.Field(themes.Dim, bytes, 8)
		}
		if total > 0 && some {
			glyph, bar := p.limit(t.Limit)
			p.bar(l.X+c.bar, l.Y, c.width, t.Seconds/total, glyph, bar)
		}
		if c.limit > 0 && some {
			l.X = r.Right() - c.time - c.limit
			l.Field(themes.Dim, t.Limit, c.limit-1)
		}
		l.X = r.Right() - c.time
		l.Field(format.Either(some, role, themes.Faint), format.Either(some, p.Ms(t.Seconds*1e3), draw.Unknown), c.time)
	}
	return min(r.Y+len(rows)*pitch, r.Bottom())
}

// bar is a bar of w columns filled by f, of the glyph given, with an end in
// eighths where the glyph is the full block.
func (p *canvas) bar(x, y, w int, f float64, glyph rune, role themes.Role) {
	f = min(max(finite(f), 0), 1)
	if glyph == p.Glyphs.Block {
		p.Grid.HBar(x, y, w, f, p.Glyphs, role)
		return
	}
	n := int(f*float64(w) + 0.5)
	if n == 0 && f > 0 {
		p.Grid.Set(x, y, p.Glyphs.Parts[0], role)
	}
	p.Grid.Across(x, y, n, glyph, role)
}

// use is how much of a peak of the hardware the step used, below the bars of
// its parts.
func (p *canvas) use(l line, name string, f float64, binds bool) {
	from, end := l.X, l.End
	c := columnsOfTerms(end - from)
	glyph, role := p.limit(name)
	l.End = from + c.bar
	l.Write(format.Either(binds, themes.Strong, themes.Dim), name)
	switch l.End = end; {
	case !binds:
	case c.limit > 0:
		l.X = end - c.time - c.limit
		l.Field(themes.Strong, "limit", c.limit-1)
	case c.amounts > 0:
		l.X = from + c.name
		l.Field(themes.Strong, "limit", 8)
	}
	x, w := from+c.bar, c.width
	p.Grid.Across(x, l.Y, w, p.Glyphs.LightShade, themes.Faint)
	p.bar(x, l.Y, w, f, glyph, role)
	if f > 1 && w > 0 { // narrower numbers exceed the peak of bf16
		p.Grid.Set(x+w-1, l.Y, p.Glyphs.Ghost, role)
	}
	l.X, l.End = max(end-c.time, from), end
	if p.now.machine().Dataflow && !(f > 0) {
		l.Field(themes.Dim, draw.Unknown, c.time) // nothing is read, or the figure is unknown
	} else {
		l.Field(themes.Strong, p.Percent(f), c.time)
	}
}

// groups are the rows of the step's table: terms that a viewer sees as one thing.
// Those that are telling show a choice of a person: how a group of devices shares a
// model, a draft, a kind of attention. They keep their row however short they are.
var groups = [...]struct {
	name    string
	short   string // where the name has no room
	telling bool
	terms   []string
}{
	{name: "weights", terms: []string{"projections", "feed-forward", "output head"}},
	{name: "experts", terms: []string{"experts"}},
	{name: "CPU experts", telling: true, terms: []string{"CPU experts"}},
	{name: "KV read", terms: []string{"KV read"}},
	{name: "linear states", short: "states", telling: true, terms: []string{"states"}},
	{name: "prompt attention", short: "attention", terms: []string{"prompt attention"}},
	{name: "all-reduce", telling: true, terms: []string{"all-reduce"}},
	{name: "exchange", telling: true, terms: []string{"exchange"}},
	{name: "draft model", telling: true, terms: []string{"draft"}},
	{name: "kernels", terms: []string{"kernels", "launch"}},
	{name: "engine", terms: []string{"engine", "front end"}},
	{name: "activations", terms: []string{"activations"}},
	{name: "the rest"},
}

// rest is the group of the terms that no other has, so that nothing is lost.
const numGroups, rest = len(groups), len(groups) - 1

func groupOf(name string) int {
	for g := range groups {
		if slices.Contains(groups[g].terms, name) {
			return g
		}
	}
	return rest
}

// shares are the seconds of each group over a number of steps.
type shares [numGroups]float64

// sharesOf adds up the latest of the steps that ran on the machine m. Only
// groups with a share get a row, so that rows stay the same from step to step.
func sharesOf(steps []serving.EngineStep, m *serving.Machine) (of shares) {
	for i, n := len(steps)-1, 0; i >= 0 && n < rowSample; i-- {
		if steps[i].Machine != m {
			continue
		}
		n++
		for _, t := range steps[i].Cost() {
			of[groupOf(t.Name)] += t.Seconds
		}
	}
	return of
}

// termRow is a row of the table: a group, or several that share a row for
// lack of rows.
type termRow struct {
	group   int
	term    serving.StepTerm
	longest float64 // seconds of the longest term, which has the limit
}

func (r *termRow) add(term *serving.StepTerm) {
	r.term.Seconds += term.Seconds
	r.term.Bytes += term.Bytes
	r.term.FLOPs += term.FLOPs
	if term.Seconds > r.longest {
		r.longest, r.term.Limit = term.Seconds, term.Limit
	}
}

// rowsOf appends to an empty dst at most n rows that add up to the step: those of the groups with
// a share, or in the step. If there are more, the least are merged as the rest,
// those that show a choice last.
func rowsOf(dst []termRow, st *serving.EngineStep, of *shares, n int) []termRow {
	var by [numGroups]termRow
	terms := st.Cost()
	for i := range terms {
		by[groupOf(terms[i].Name)].add(&terms[i])
	}
	var room [numGroups]int
	ranked := room[:0]
	for g := range by {
		if by[g].group = g; of[g] > 0 || by[g].term.Seconds > 0 {
			ranked = append(ranked, g)
		}
	}
	slices.SortFunc(ranked, func(a, b int) int {
		if groups[a].telling != groups[b].telling {
			return format.Either(groups[a].telling, -1, 1)
		}
		return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(b, a))
	})
	own, other := ranked[:format.Either(len(ranked) > n, max(n-1, 0), len(ranked))], termRow{group: rest}
	for g := range by {
		switch {
		case g != rest && slices.Contains(own, g):
			dst = append(dst, by[g])
		case slices.Contains(ranked, g):
			other.add(&by[g].term)
		}
	}
	if len(dst) < len(ranked) && n > 0 {
		dst = append(dst, other)
	}
	return dst
}
