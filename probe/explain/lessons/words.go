package lessons

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/probe/explain"
)

// words are the names that may stand in braces in a lesson's texts.
var words = map[string]func(*explain.Outcome) string{
	"hardware":  func(o *explain.Outcome) string { return devices(o) },
	"model":     func(o *explain.Outcome) string { return o.Config.Setup.Model.Name },
	"precision": func(o *explain.Outcome) string { return o.Config.Setup.Precision.Name },
	"users":     func(o *explain.Outcome) string { return strconv.Itoa(o.Config.Knobs.Users) },
	"prompt":    func(o *explain.Outcome) string { return strconv.Itoa(o.Config.Knobs.Prompt) },
	"output":    func(o *explain.Outcome) string { return strconv.Itoa(o.Config.Knobs.Output) },
	"budget":    func(o *explain.Outcome) string { return strconv.Itoa(o.Machine.Budget) },
	"guesses":   func(o *explain.Outcome) string { return strconv.Itoa(o.Config.Knobs.DraftK) },
	"accept":    func(o *explain.Outcome) string { return pct(metrics.Known(o.Config.Knobs.Accept, 0)) },
	"drafter": func(o *explain.Outcome) string {
		if d := o.Config.Setup.Draft; d != nil && d.Model != nil {
			return d.Model.Name
		}
		return "a head"
	},

	"params":    func(o *explain.Outcome) string { return number(o.Machine.PromptParameters/1e9) + " billion parameters" },
	"weights":   func(o *explain.Outcome) string { return bytes(o.Machine.Weights) },
	"stepbytes": func(o *explain.Outcome) string { return bytes(o.Machine.StepBytes) },
	"bandwidth": func(o *explain.Outcome) string { return bytes(o.Machine.Bandwidth) + "/s" },
	"kvtoken":   func(o *explain.Outcome) string { return bytes(o.Machine.KVToken) },
	"capacity":  func(o *explain.Outcome) string { return strconv.Itoa(o.Machine.KVCapacity) },
	"most":      func(o *explain.Outcome) string { return strconv.Itoa(o.MostUsers) },
	"ceiling":   func(o *explain.Outcome) string { return rate(o.Ceiling) },
	"floor":     func(o *explain.Outcome) string { return ms(o.Floor) },

	"ttft":        func(o *explain.Outcome) string { return ms(o.Measured.TTFT) },
	"tpot":        func(o *explain.Outcome) string { return ms(o.Measured.TPOT) },
	"speed":       func(o *explain.Outcome) string { return rate(o.Measured.Speed) },
	"total":       func(o *explain.Outcome) string { return rate(o.Measured.Total) },
	"gap":         func(o *explain.Outcome) string { return ms(o.Measured.Gap50) },
	"maxgap":      func(o *explain.Outcome) string { return ms(o.Measured.MaxGap) },
	"kv":          func(o *explain.Outcome) string { return pct(o.Measured.KV) },
	"kvread":      func(o *explain.Outcome) string { return pct(o.Measured.KVRead) },
	"burst":       func(o *explain.Outcome) string { return value(o.Measured.PerStep, number) },
	"good":        func(o *explain.Outcome) string { return pct(o.Measured.Goodput) },
	"compute":     func(o *explain.Outcome) string { return pct(o.Measured.Compute) },
	"reading":     func(o *explain.Outcome) string { return number(o.Measured.Speed.V/readingSpeed) + " times" },
	"wait":        func(o *explain.Outcome) string { return ms(waitOf(o)) },
	"task":        func(o *explain.Outcome) string { return ms(taskOf(o)) },
	"tasktokens":  func(*explain.Outcome) string { return strconv.Itoa(diff.Tokens) },
	"agent":       func(o *explain.Outcome) string { return ms(agentOf(o)) },
	"agentsteps":  func(*explain.Outcome) string { return strconv.Itoa(agent.Steps) },
	"agenttokens": func(*explain.Outcome) string { return strconv.Itoa(agent.Tokens) },
	"ttftlimit":   func(*explain.Outcome) string { return ms(metrics.Known(goodput.objectives.TTFT, 0)) },
	"tpotlimit":   func(*explain.Outcome) string { return ms(metrics.Known(goodput.objectives.TPOT, 0)) },
}

// readingSpeed is the speed of a reader, tok/s: 238 words a minute (Brysbaert
// 2019) at 0.75 words a token.
const readingSpeed = 238 / 0.75 / 60

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

// number is x with about three significant digits and no exponent.
func number(x float64) string {
	switch a := math.Abs(x); {
	case a >= 99.95 || x == math.Trunc(x) && a < 1e6:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case a >= 9.95:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case a >= 0.095:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return strconv.FormatFloat(x, 'f', 4, 64)
}

// value is a figure, or a dash when it is not known.
func value(v metrics.Value, write func(float64) string) string {
	if !v.OK {
		return "–"
	}
	return write(v.V)
}

// ms is a time in milliseconds, from a second on in seconds.
func ms(v metrics.Value) string {
	return value(v, func(x float64) string {
		switch {
		case x >= 10_000:
			return strconv.FormatFloat(x/1e3, 'f', 0, 64) + " s"
		case x >= 1000:
			return strconv.FormatFloat(x/1e3, 'f', 1, 64) + " s"
		}
		return number(x) + " ms"
	})
}

func rate(v metrics.Value) string {
	return value(v, func(x float64) string { return number(x) + " tok/s" })
}

func pct(v metrics.Value) string {
	return value(v, func(x float64) string {
		if x > 0 && x < 0.0095 {
			return strconv.FormatFloat(100*x, 'f', 1, 64) + " %"
		}
		return strconv.FormatFloat(100*x, 'f', 0, 64) + " %"
	})
}

func bytes(x float64) string {
	for _, u := range []struct {
		of   float64
		unit string
	}{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if x >= u.of {
			return number(x/u.of) + " " + u.unit
		}
	}
	return number(x) + " B"
}

// times is how many times b is of a.
func times(a, b metrics.Value) string {
	if !a.OK || !b.OK || a.V == 0 {
		return "–"
	}
	return strconv.FormatFloat(b.V/a.V, 'f', 1, 64) + "x"
}
