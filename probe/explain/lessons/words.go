package lessons

import (
	"fmt"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// words are the names allowed in braces in a lesson's texts.
var words = map[string]func(*explain.Outcome) string{
	"hardware":  func(o *explain.Outcome) string { return devices(o) },
	"model":     func(o *explain.Outcome) string { return o.Config.Setup.Model.Name },
	"precision": func(o *explain.Outcome) string { return o.Config.Setup.Precision.Name },
	"users":     func(o *explain.Outcome) string { return strconv.Itoa(o.Config.Knobs.Users) },
	"prompt":    func(o *explain.Outcome) string { return count(o.Config.Knobs.Prompt) },
	"output":    func(o *explain.Outcome) string { return count(o.Config.Knobs.Output) },
	"budget":    func(o *explain.Outcome) string { return strconv.Itoa(o.Machine.Budget) },
	"guesses":   func(o *explain.Outcome) string { return strconv.Itoa(o.Config.Knobs.DraftK) },
	"accept":    func(o *explain.Outcome) string { return pct(metrics.Known(o.Config.Knobs.Accept, 0)) },
	"drafter": func(o *explain.Outcome) string {
		if d := o.Config.Setup.Draft; d != nil && d.Model != nil {
			return d.Model.Name
		}
		return "a head"
	},

	"params": func(o *explain.Outcome) string {
		return number(metrics.Known(o.Machine.PromptParameters/1e9, 0)) + " billion parameters"
	},
	"weights":   func(o *explain.Outcome) string { return bytes(o.Machine.Weights) },
	"stepbytes": func(o *explain.Outcome) string { return bytes(o.Machine.StepBytes) },
	"bandwidth": func(o *explain.Outcome) string { return bytes(o.Machine.Bandwidth) + "/s" },
	"kvtoken":   func(o *explain.Outcome) string { return bytes(o.Machine.KVToken) },
	"capacity":  func(o *explain.Outcome) string { return count(o.Machine.KVCapacity) },
	"most":      func(o *explain.Outcome) string { return strconv.Itoa(o.MostUsers) },
	"ceiling":   func(o *explain.Outcome) string { return rate(o.Ceiling) },
	"floor":     func(o *explain.Outcome) string { return ms(o.Floor) },

	"ttft":    func(o *explain.Outcome) string { return ms(o.Measured.TTFT) },
	"tpot":    func(o *explain.Outcome) string { return ms(o.Measured.TPOT) },
	"speed":   func(o *explain.Outcome) string { return rate(o.Measured.Speed) },
	"total":   func(o *explain.Outcome) string { return rate(o.Measured.Total) },
	"gap":     func(o *explain.Outcome) string { return ms(o.Measured.Gap50) },
	"maxgap":  func(o *explain.Outcome) string { return ms(o.Measured.MaxGap) },
	"kv":      func(o *explain.Outcome) string { return pct(o.Measured.KV) },
	"kvread":  func(o *explain.Outcome) string { return pct(o.Measured.KVRead) },
	"burst":   func(o *explain.Outcome) string { return number(o.Measured.PerStep) },
	"good":    func(o *explain.Outcome) string { return pct(o.Measured.Goodput) },
	"compute": func(o *explain.Outcome) string { return pct(o.Measured.Compute) },
	"reading": func(o *explain.Outcome) string {
		return serving.LessonFigure(serving.LessonNumber, reading(o)) + " times"
	},
	"wait":        func(o *explain.Outcome) string { return ms(waitOf(o)) },
	"task":        func(o *explain.Outcome) string { return ms(taskOf(o)) },
	"tasktokens":  func(*explain.Outcome) string { return count(diff.Tokens) },
	"agent":       func(o *explain.Outcome) string { return ms(agentOf(o)) },
	"agentsteps":  func(*explain.Outcome) string { return strconv.Itoa(agent.Steps) },
	"agenttokens": func(*explain.Outcome) string { return count(agent.Tokens) },
	"ttftlimit":   func(*explain.Outcome) string { return limit(goodput.objectives.TTFT) },
	"tpotlimit":   func(*explain.Outcome) string { return limit(goodput.objectives.TPOT) },
}

// readingSpeed is the speed of a reader, tok/s: 238 words a minute (Brysbaert
// 2019) at 0.75 words a token.
const readingSpeed = 238 / 0.75 / 60

// reading returns the ratio of a user's speed to that of a reader.
func reading(o *explain.Outcome) metrics.Value {
	v := o.Measured.Speed
	v.V /= readingSpeed
	return v
}

// fill inserts the figures of the stages into a template: {name} is that of
// stage at, {key.name} that of the stage with that key. An unknown name stays
// unchanged; a test looks for it.
func (l *lesson) fill(template string, at int, all []explain.Outcome) string {
	var b strings.Builder
	for {
		head, rest, ok := strings.Cut(template, "{")
		b.WriteString(head)
		if !ok {
			return b.String()
		}
		var name string
		name, template, _ = strings.Cut(rest, "}")
		i := at
		if key, of, ok := strings.Cut(name, "."); ok {
			for j := range l.stages {
				if l.stages[j].key == key {
					i, name = j, of
				}
			}
		}
		if f := words[name]; f != nil {
			b.WriteString(f(&all[i]))
		} else {
			b.WriteString("{" + name + "}")
		}
	}
}

// devices describes the hardware of one group: "4 x H100".
func devices(o *explain.Outcome) string {
	s := o.Config.Setup
	if s.TP > 1 {
		return fmt.Sprintf("%d x %s", s.TP, s.Hardware.Name)
	}
	return s.Hardware.Name
}

// The figures of the texts; the screen formats them.

func number(v metrics.Value) string { return serving.LessonFigure(serving.LessonNumber, v) }
func ms(v metrics.Value) string     { return serving.LessonFigure(serving.LessonMs, v) }
func limit(v float64) string        { return serving.LessonFigure(serving.LessonLimit, metrics.Known(v, 0)) }
func rate(v metrics.Value) string   { return serving.LessonFigure(serving.LessonRate, v) }
func pct(v metrics.Value) string    { return serving.LessonFigure(serving.LessonShare, v) }
func bytes(v float64) string        { return serving.LessonFigure(serving.LessonBytes, metrics.Known(v, 0)) }
func count(n int) string {
	return serving.LessonFigure(serving.LessonCount, metrics.Known(float64(n), 0))
}

// times returns the ratio of a to b.
func times(a, b metrics.Value) string {
	v := metrics.Unknown(metrics.WhyOneUnknown)
	if a.OK && b.OK && a.V != 0 {
		v = metrics.Known(b.V/a.V, 0)
	}
	return serving.LessonFigure(serving.LessonTimes, v)
}
