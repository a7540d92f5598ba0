package lens

import (
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// Panel is a lens and its verdicts. The zero value shows nothing. It belongs
// to one goroutine.
type Panel struct {
	lens  *slo.Lens
	task  slo.AgentTask
	now   slo.LensFigures
	past  slo.LensFigures
	ascii bool

	title    string
	short    string // without the figures' source
	key      string
	name     string // what the figures are; "" for those of a request
	about    string
	pastNote string // the same with what the column at the right is; "" without any
	rows     []row
	tightest int  // row that uses most of its budget; -1 when none is known
	sign     rune // of the worst verdict
	role     themes.Role
	cost     cost
	voice    string // what a voice makes of the stream; "" for other lenses

	verdicts []slo.LensVerdict // reused
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

// Update recomputes the panel. key is the lens; an unknown one shows nothing.
// now are the current figures. past is the baseline, with Requests 0 for
// none: the medians of earlier requests, or what its Kind says. task is the
// agent's.
func (p *Panel) Update(key string, task slo.AgentTask, now, past slo.LensFigures, gl *themes.Glyphs) {
	l := slo.LensByKey(key)
	if l == p.lens && task == p.task && now == p.now && past == p.past && gl.ASCII == p.ascii {
		return
	}
	other := l != p.lens || gl.ASCII != p.ascii
	if l != nil && (other || p.now.Kind != now.Kind || p.now.Requests != now.Requests ||
		p.past.Kind != past.Kind || p.past.Requests != past.Requests) {
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
	worst := slo.GradeUnknown
	for i := range p.verdicts {
		v, r := &p.verdicts[i], &p.rows[i]
		p.row(r, v, gl)
		if r.gauge && (p.tightest < 0 || r.used > p.rows[p.tightest].used) {
			p.tightest = i
		}
		if v.Grade <= slo.GradeMisses {
			worst = max(worst, v.Grade)
		}
	}
	p.sign, p.role = signOf(worst, gl)
	basis := say.LensBasis(&past)
	if past.Requests > 0 {
		p.verdicts = l.AppendVerdicts(p.verdicts[:0], &past, task)
		for i := range p.verdicts {
			if v, r := &p.verdicts[i], &p.rows[i]; v.Measured.OK && v.Metric == r.metric {
				r.past = p.text(about(v.Estimated) + say.LensFigure(v.Metric, v.Measured.V))
				r.pastSign, r.pastRole = signOf(v.Grade, gl)
				if basis != "" && !r.known {
					r.instead = p.text(basis + " " + r.past)
				}
			}
		}
	}
	if p.voice = ""; l.Key == "voice" && !now.Sounds() {
		p.voice = p.text(say.Voice(&now.Voice))
	}
	p.cost = cost{}
	if l.Key == "agent" {
		p.cost = p.costOf(task.Cost(now.TTFT.Typical, now.TPOT.Typical), now.Estimated, "")
		if !p.cost.known && basis != "" { // better than nothing, and named as another's
			p.cost = p.costOf(task.Cost(past.TTFT.Typical, past.TPOT.Typical), past.Estimated, basis+": ")
		}
	}
}

// captions writes the texts of the frame.
func (p *Panel) captions(l *slo.Lens, now, past *slo.LensFigures) {
	about, nowBasis, pastBasis := say.LensAbout(l.Key), say.LensBasis(now), say.LensBasis(past)
	p.key, p.name = l.Key, p.text(nowBasis)
	p.short = p.text("lens ─ " + l.Key)
	p.title, p.about, p.pastNote = p.short, about, ""
	if nowBasis != "" {
		p.title = p.text("lens ─ " + l.Key + " ─ " + nowBasis)
	}
	switch {
	case pastBasis != "":
		p.pastNote = p.text(about + " ─ right: " + pastBasis)
	case past.Requests > 1:
		p.pastNote = p.text(about + " ─ right: median of " + format.Count(past.Requests) + " earlier runs")
	case past.Requests > 0:
		p.pastNote = p.text(about + " ─ right: the run before")
	}
}

// row puts a verdict into words. r holds the previous row of the same budget,
// or a zero one. Its texts about the budget itself are kept.
func (p *Panel) row(r *row, v *slo.LensVerdict, gl *themes.Glyphs) {
	if r.metric != v.Metric {
		p.budget(r, v)
	}
	r.measured, r.short, r.past, r.instead, r.pastSign, r.share = "–", say.VerdictShort(v), "", "", 0, ""
	r.used, r.known, r.gauge = v.Used.V, v.Measured.OK || v.Clock.OK, v.Used.OK && v.Budget.Limit > 0
	r.sign, r.role = signOf(v.Grade, gl)
	switch {
	case v.Measured.OK:
		r.measured = about(v.Estimated) + say.LensFigure(v.Metric, v.Measured.V)
	case v.Clock.OK:
		r.measured = say.LensFigure(v.Metric, v.Clock.V)
		if v.Grade == slo.GradeUnknown {
			r.short, r.role = "used so far", themes.Prefill
		}
	}
	if v.Grade == slo.GradeFree && v.Metric != slo.LensThroughput {
		r.short = "" // the limit shows it
	}
	if r.gauge {
		r.share = format.Percent(r.used)
	}
	r.measured, r.short = p.text(r.measured), p.text(r.short)
}

// budget fills in the texts about the budget.
func (p *Panel) budget(r *row, v *slo.LensVerdict) {
	b := &v.Budget
	r.metric, r.label, r.limit = v.Metric, say.LensLabel(v.Metric), "no limit"
	if b.Limit > 0 {
		n := say.LensLimit(v.Metric, b.Limit)
		r.limit, r.bare = "≤ "+n, "≤ "+n
		if b.AtLeast {
			r.limit, r.bare = "≥ "+n, "≥ "+n
		}
	}
	why, source := say.LensBudget(b)
	r.limit, r.bare, r.why, r.source = p.text(r.limit), p.text(r.bare), p.text(why), p.text(source)
}

// about marks an estimate, as the other figures of the screens do.
func about(estimate bool) string {
	if estimate {
		return "~"
	}
	return ""
}

// signOf returns the shape and color of a grade.
func signOf(g slo.Grade, gl *themes.Glyphs) (rune, themes.Role) {
	switch g {
	case slo.GradeMeets:
		return gl.Check, themes.Good
	case slo.GradeClose:
		return '!', themes.Warn
	case slo.GradeMisses:
		return gl.Fail, themes.Bad
	case slo.GradeFree:
		return gl.Bullet, themes.Dim
	}
	return gl.Unknown, themes.Dim
}

// text converts one of our own texts to the glyph set.
func (p *Panel) text(s string) string {
	if p.ascii {
		return format.ASCII(s)
	}
	return s
}
