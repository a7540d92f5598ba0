package lessons

import (
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// names are the words in braces that become text.
var names = map[string]func(*explain.Outcome) string{
	"hardware":  func(o *explain.Outcome) string { return o.Config.Setup.Group() },
	"model":     func(o *explain.Outcome) string { return o.Config.Setup.Model.Name },
	"precision": func(o *explain.Outcome) string { return o.Config.Setup.Precision.Name },
	"users":     func(o *explain.Outcome) string { return strconv.Itoa(o.Config.Knobs.Users) },
	"budget":    func(o *explain.Outcome) string { return strconv.Itoa(o.Machine.Budget) },
	"guesses":   func(o *explain.Outcome) string { return strconv.Itoa(o.Config.Knobs.DraftK) },
	"most":      func(o *explain.Outcome) string { return strconv.Itoa(int(o.MostUsers.V)) },
	"drafter": func(o *explain.Outcome) string {
		if d := o.Config.Setup.Draft; d != nil && d.Model != nil {
			return d.Model.Name
		}
		return "a head"
	},
	"agentsteps": func(*explain.Outcome) string { return strconv.Itoa(agent.Steps) },
}

// figure is a number in a lesson: its unit, one of those in serving, and its value.
type figure struct {
	unit string
	of   func(*explain.Outcome) metrics.Value
}

// figures are the words in braces that become numbers. Rows and claims use them too.
var figures = map[string]figure{
	"prompt": {serving.LessonCount, fixed(func(o *explain.Outcome) float64 { return float64(o.Config.Knobs.Prompt) })},
	"output": {serving.LessonCount, fixed(func(o *explain.Outcome) float64 { return float64(o.Config.Knobs.Output) })},
	"billions": {serving.LessonNumber, fixed(func(o *explain.Outcome) float64 {
		return o.Machine.PromptParameters / 1e9
	})},
	"weights":   {serving.LessonBytes, fixed(func(o *explain.Outcome) float64 { return o.Machine.Weights })},
	"stepbytes": {serving.LessonBytes, fixed(func(o *explain.Outcome) float64 { return o.Machine.StepBytes })},
	"bandwidth": {serving.LessonBytes, fixed(func(o *explain.Outcome) float64 { return o.Machine.Bandwidth })},
	"kvtoken":   {serving.LessonBytes, fixed(func(o *explain.Outcome) float64 { return o.Machine.KVToken })},
	"capacity":  {serving.LessonCount, fixed(func(o *explain.Outcome) float64 { return float64(o.Machine.KVCapacity) })},
	"ceiling":   {serving.LessonRate, func(o *explain.Outcome) metrics.Value { return o.Ceiling }},
	"floor":     {serving.LessonMs, func(o *explain.Outcome) metrics.Value { return o.Floor }},

	"ttft":      {serving.LessonMs, func(o *explain.Outcome) metrics.Value { return o.Measured.TTFT }},
	"tpot":      {serving.LessonMs, func(o *explain.Outcome) metrics.Value { return o.Measured.TPOT }},
	"speed":     {serving.LessonRate, func(o *explain.Outcome) metrics.Value { return o.Measured.Speed }},
	"total":     {serving.LessonRate, func(o *explain.Outcome) metrics.Value { return o.Measured.Total }},
	"gap":       {serving.LessonMs, func(o *explain.Outcome) metrics.Value { return o.Measured.Gap50 }},
	"maxgap":    {serving.LessonMs, func(o *explain.Outcome) metrics.Value { return o.Measured.MaxGap }},
	"kv":        {serving.LessonShare, func(o *explain.Outcome) metrics.Value { return o.Measured.KV }},
	"kvread":    {serving.LessonShare, func(o *explain.Outcome) metrics.Value { return o.Measured.KVRead }},
	"burst":     {serving.LessonNumber, func(o *explain.Outcome) metrics.Value { return o.Measured.PerStep }},
	"good":      {serving.LessonShare, func(o *explain.Outcome) metrics.Value { return o.Measured.Goodput }},
	"goodrate":  {serving.LessonNumber, func(o *explain.Outcome) metrics.Value { return o.Measured.GoodRate }},
	"compute":   {serving.LessonShare, func(o *explain.Outcome) metrics.Value { return o.Measured.Compute }},
	"read":      {serving.LessonShare, func(o *explain.Outcome) metrics.Value { return o.Measured.Bandwidth }},
	"evicted":   {serving.LessonNumber, func(o *explain.Outcome) metrics.Value { return o.Measured.Evicted }}, // a second
	"preempted": {serving.LessonCount, fixed(func(o *explain.Outcome) float64 { return float64(o.Measured.Preempted) })},
	"pace":      {serving.LessonNumber, pace},

	"task":        {serving.LessonMs, func(o *explain.Outcome) metrics.Value { return timeOf(diff, o) }},
	"tasktokens":  {serving.LessonCount, fixed(func(*explain.Outcome) float64 { return float64(diff.Tokens) })},
	"agent":       {serving.LessonMs, func(o *explain.Outcome) metrics.Value { return timeOf(agent, o) }},
	"agenttokens": {serving.LessonCount, fixed(func(*explain.Outcome) float64 { return float64(agent.Tokens) })},
	"ttftlimit":   {serving.LessonLimit, fixed(func(*explain.Outcome) float64 { return goodput.objectives.TTFT })},
	"tpotlimit":   {serving.LessonLimit, fixed(func(*explain.Outcome) float64 { return goodput.objectives.TPOT })},
}

// fixed is a figure that is always known.
func fixed(of func(*explain.Outcome) float64) func(*explain.Outcome) metrics.Value {
	return func(o *explain.Outcome) metrics.Value { return metrics.Known(of(o), 0) }
}

func scaled(v metrics.Value, by float64) metrics.Value {
	v.V *= by
	return v
}

// pace is how many times that of a reader a user's speed is: 238 words a minute
// (Brysbaert 2019) at 0.75 words a token.
func pace(o *explain.Outcome) metrics.Value { return scaled(o.Measured.Speed, 60*0.75/238) }

// named returns the stage and the word of a name in braces: {name} is of stage at,
// {key.name} of the stage with that key.
func (l *lesson) named(name string, at int) (stage int, word string) {
	if key, of, ok := strings.Cut(name, "."); ok {
		for j := range l.stages {
			if l.stages[j].key == key {
				return j, of
			}
		}
	}
	return at, name
}

// figure returns a figure by its name in braces: {a/b} is how many times b the figure
// a is, {a%b} which share of it. It is unknown where its stage has no outcome. ok is
// false for a name that is no figure's.
func (l *lesson) figure(name string, at int, all []*explain.Outcome) (unit string, v metrics.Value, ok bool) {
	if i := strings.IndexAny(name, "/%"); i >= 0 {
		_, a, okA := l.figure(name[:i], at, all)
		_, b, okB := l.figure(name[i+1:], at, all)
		v = metrics.Unknown(metrics.WhyOneUnknown)
		if a.OK && b.OK && b.V != 0 {
			v = metrics.Known(a.V/b.V, 0)
		}
		unit = serving.LessonTimes
		if name[i] == '%' {
			unit = serving.LessonShare
		}
		return unit, v, okA && okB
	}
	i, word := l.named(name, at)
	f, ok := figures[word]
	if !ok || all[i] == nil {
		return f.unit, metrics.Unknown(metrics.WhyStageNotRun), ok
	}
	return f.unit, f.of(all[i]), true
}

// fill inserts names and figures of the stages into a template. known reports whether
// all of its stages and figures are. An unknown name stays; a test looks for it.
func (l *lesson) fill(template string, at int, all []*explain.Outcome) (text string, known bool) {
	var b strings.Builder
	known = true
	for {
		head, rest, ok := strings.Cut(template, "{")
		b.WriteString(head)
		if !ok {
			return b.String(), known
		}
		var name string
		name, template, _ = strings.Cut(rest, "}")
		i, word := l.named(name, at)
		unit, v, ok := l.figure(name, at, all)
		switch {
		case ok:
			b.WriteString(serving.LessonFigure(unit, v))
			known = known && v.OK
		case names[word] == nil:
			b.WriteString("{" + name + "}")
		case all[i] == nil:
			known = false
		default:
			b.WriteString(names[word](all[i]))
		}
	}
}
