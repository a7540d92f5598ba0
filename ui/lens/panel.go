package lens

import (
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/themes"
)

// Panel is a lens and what it says. The zero value shows nothing. It belongs
// to one goroutine.
type Panel struct {
	lens  *metrics.Lens
	task  metrics.AgentTask
	now   metrics.LensFigures
	past  metrics.LensFigures
	ascii bool

	title    string
	short    string // without what the figures are
	key      string
	name     string // what the figures are; "" for those of a request
	about    string
	pastNote string // the same with what the column at the right is; "" without any
	rows     []row
	tightest int  // of rows, the one that uses most of its budget; -1 when none is known
	sign     rune // of the worst verdict
	role     themes.Role
	cost     cost

	verdicts []metrics.LensVerdict // reused
}

// row is one budget in words.
type row struct {
	sign     rune
	role     themes.Role // of the sign and the gauge
	metric   string
	label    string
	measured string
	known    bool   // measured is a number
	limit    string // "≤ 450 ms", "no limit"
	share    string // "42 %" of the budget
	bare     string // the limit for a line, "of 450 ms"
	used     float64
	gauge    bool
	short    string
	why      string
	source   string
	// The comparison with earlier runs; pastSign is 0 without any.
	past     string
	instead  string // what stands for a figure that is not known yet: "predicted 44 ms"
	pastSign rune
	pastRole themes.Role
}

// Update says what is to be shown: the lens of that key (nothing for one that
// there is not), the figures now and those they are held against (the medians
// of earlier requests, or what their Name says), whose Requests is 0 when there
// are none. task is the agent's.
func (p *Panel) Update(key string, task metrics.AgentTask, now, past metrics.LensFigures, gl *themes.Glyphs) {
	l := metrics.LensByKey(key)
	if l == p.lens && task == p.task && now == p.now && past == p.past && gl.ASCII == p.ascii {
		return
	}
	other := l != p.lens || gl.ASCII != p.ascii
	if l != nil && (other || p.now.Kind != now.Kind || p.past.Kind != past.Kind || p.past.Requests != past.Requests) {
		p.ascii = gl.ASCII
		p.captions(l, &now, &past)
	}
	p.lens, p.task, p.now, p.past, p.ascii = l, task, now, past, gl.ASCII
	if l == nil {
		return
	}
	p.verdicts = l.AppendVerdicts(p.verdicts[:0], &now, task)
	if other {
		p.rows = make([]row, len(p.verdicts))
	}
	p.tightest = -1
	worst := metrics.GradeUnknown
	for i := range p.verdicts {
		v, r := &p.verdicts[i], &p.rows[i]
		p.row(r, v, gl)
		if r.gauge && (p.tightest < 0 || r.used > p.rows[p.tightest].used) {
			p.tightest = i
		}
		if v.Grade <= metrics.GradeMisses {
			worst = max(worst, v.Grade)
		}
	}
	p.sign, p.role = signOf(worst, gl)
	if past.Requests > 0 {
		p.verdicts = l.AppendVerdicts(p.verdicts[:0], &past, task)
		for i := range p.verdicts {
			if v, r := &p.verdicts[i], &p.rows[i]; v.Measured.OK {
				r.past = p.text(about(v.Estimated) + metrics.LensNumber(v.Metric, v.Measured.V))
				r.pastSign, r.pastRole = signOf(v.Grade, gl)
				if past.Kind != "" && !r.known {
					r.instead = p.text(past.Kind + " " + r.past)
				}
			}
		}
	}
	p.cost = cost{}
	if l.Key == "agent" {
		p.cost = p.costOf(task.Cost(now.TTFT.Typical, now.TPOT.Typical), now.Estimated, "")
		if !p.cost.known && past.Kind != "" { // better than nothing, and said to be another's
			p.cost = p.costOf(task.Cost(past.TTFT.Typical, past.TPOT.Typical), past.Estimated, past.Kind+": ")
		}
	}
}

// captions writes the texts of the frame.
func (p *Panel) captions(l *metrics.Lens, now, past *metrics.LensFigures) {
	p.key, p.name = l.Key, p.text(now.Kind)
	p.short = p.text("lens ─ " + l.Key)
	p.title, p.about, p.pastNote = p.short, l.About, ""
	if now.Kind != "" {
		p.title = p.text("lens ─ " + l.Key + " ─ " + now.Kind)
	}
	switch {
	case past.Kind != "":
		p.pastNote = p.text(l.About + " ─ right: " + past.Kind)
	case past.Requests > 1:
		p.pastNote = p.text(l.About + " ─ right: median of " + strconv.Itoa(past.Requests) + " earlier runs")
	case past.Requests > 0:
		p.pastNote = p.text(l.About + " ─ right: the run before")
	}
}

// row puts a verdict into words. r is that of the same budget before, whose
// texts about the budget itself are kept, or a zero one.
func (p *Panel) row(r *row, v *metrics.LensVerdict, gl *themes.Glyphs) {
	if r.metric == "" {
		p.budget(r, v)
	}
	r.measured, r.short, r.past, r.instead, r.pastSign, r.share = "–", p.factor(v.Short), "", "", 0, ""
	r.used, r.known, r.gauge = v.Used.V, v.Measured.OK || v.Clock.OK, v.Used.OK && v.Budget.Limit > 0
	r.sign, r.role = signOf(v.Grade, gl)
	switch {
	case v.Measured.OK:
		r.measured = about(v.Estimated) + metrics.LensNumber(v.Metric, v.Measured.V)
	case v.Clock.OK:
		r.measured = metrics.LensNumber(v.Metric, v.Clock.V)
		if v.Grade == metrics.GradeUnknown {
			r.short, r.role = "used so far", themes.Prefill
		}
	}
	if v.Grade == metrics.GradeFree && v.Metric != metrics.LensThroughput {
		r.short = "" // the limit says it
	}
	if r.gauge {
		r.share = share(r.used)
	}
	r.measured, r.short = p.text(r.measured), p.text(r.short)
}

// budget fills in what a row says of its budget.
func (p *Panel) budget(r *row, v *metrics.LensVerdict) {
	b := &v.Budget
	r.metric, r.label, r.limit = v.Metric, metrics.LensLabel(v.Metric), "no limit"
	if b.Limit > 0 {
		n := whole.Replace(metrics.LensNumber(v.Metric, b.Limit))
		r.limit, r.bare = "≤ "+n, "of "+n
		if b.AtLeast {
			r.limit, r.bare = "≥ "+n, "≥ "+n
		}
	}
	r.limit, r.bare, r.why, r.source = p.text(r.limit), p.text(r.bare), p.text(b.Why), p.text(b.Source)
}

// share is how much of a budget is used.
func share(used float64) string {
	switch n := used * 100; {
	case n < 0.5:
		return "<1 %"
	case n >= 999.5:
		return ">999 %"
	default:
		return strconv.Itoa(int(n+0.5)) + " %"
	}
}

// about marks an estimate, as the other figures of the screens do.
func about(estimate bool) string {
	if estimate {
		return "~"
	}
	return ""
}

// signOf shows a grade by shape and colour.
func signOf(g metrics.Grade, gl *themes.Glyphs) (rune, themes.Role) {
	switch g {
	case metrics.GradeMeets:
		return gl.Check, themes.Good
	case metrics.GradeClose:
		return '!', themes.Warn
	case metrics.GradeMisses:
		return gl.Fail, themes.Bad
	case metrics.GradeFree:
		return gl.Bullet, themes.Dim
	}
	return gl.Unknown, themes.Dim
}

// whole writes a round limit without the noughts that a measured figure keeps.
var whole = strings.NewReplacer(".00 ", " ", "0.0 ", "0 ")

var toASCII = strings.NewReplacer("≤", "<=", "≥", ">=", "–", "-", "─", "-", "×", "x", "−", "-", "…", "~", "·", ".")

// factor writes the "27x" that such a text may begin with as the screens do.
func (p *Panel) factor(s string) string {
	n := strings.IndexByte(s, 'x')
	if p.ascii || n <= 0 || strings.Trim(s[:n], "0123456789.k") != "" {
		return s
	}
	return s[:n] + "×" + s[n+1:]
}

// text is one of our own texts in the letters of the glyph set.
func (p *Panel) text(s string) string {
	if p.ascii {
		return toASCII.Replace(s)
	}
	return s
}
