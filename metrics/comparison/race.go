package comparison

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"tokscope/metrics/condition"
	"tokscope/metrics/figure"
	"tokscope/metrics/pick"
	"tokscope/metrics/racestat"
	"tokscope/metrics/stats"
)

// RaceLanes returns the lanes of a condition on a race between them: the one that is
// judged, and of a ratio the one that it is to, else -1. A lane is named by its letter,
// its label or the value that varies; of two lanes it is B, and to A. The error
// names the right form.
func RaceLanes(lanes []racestat.Lane, c *condition.Condition) (of, than int, err error) {
	if !slices.Contains(racestat.Figures[:], c.Figure) {
		return 0, 0, errors.New("a race compares ttft, tpot, total, longest_gap and failures: choose one of them")
	}
	if c.Unit == condition.Ratio && c.Quantile != 0.5 {
		return 0, 0, errors.New("a race has the ratio of medians alone: leave the quantile out")
	}
	if of, err = raceLane(lanes, c.Of, 1); err != nil || c.Unit != condition.Ratio {
		return of, -1, err
	}
	if than, err = raceLane(lanes, c.Than, max(1-of, 0)); err == nil && than == of {
		err = fmt.Errorf("%s is compared with itself: name two lanes", lanes[of].Label)
	}
	return of, than, err
}

// raceLane returns the lane of a name; the given one of two lanes for "".
func raceLane(lanes []racestat.Lane, name string, usual int) (int, error) {
	if name == "" && len(lanes) == racestat.MinLanes {
		return usual, nil
	}
	if name == "" {
		return 0, errors.New("say which lanes, such as 'ttft of B > 1.2x A'")
	}
	for i := range lanes {
		if name == lanes[i].Label || name == lanes[i].Value {
			return i, nil
		}
	}
	if i := int(name[0] - 'A'); len(name) == 1 && i < len(lanes) {
		return i, nil
	}
	labels := pick.Each(lanes, func(l *racestat.Lane) string { return l.Label })
	return 0, fmt.Errorf("no lane is called %s: write its letter, or one of %s", name, strings.Join(labels, ", "))
}

// JudgeRace returns what a race says of conditions, without those that name a lane of
// another race. The intervals hold whenever the race stops, at the level of one verdict
// of the race.
func JudgeRace(v *racestat.View, conditions []condition.Condition) (out []Verdict) {
	for _, c := range conditions {
		of, than, err := RaceLanes(v.Lanes, &c)
		if err != nil {
			continue
		}
		one := Verdict{Condition: c, Of: of, Than: than, Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
		switch {
		case c.Figure == figure.Failures:
			if l := &v.Lanes[of]; l.Counted > 0 {
				one.Value = float64(l.Lost) / float64(l.Counted)
				one.Low, one.High = stats.ProbabilityInterval(l.Lost, l.Counted, v.Alpha)
			}
		case c.Unit == condition.Ratio:
			if w, ok := v.Verdict(c.Figure, than, of); ok {
				one.Value, one.Low, one.High = w.Ratio, w.Lo, w.Hi
			}
		default:
			var values []float64
			for r := range v.Good(of) {
				if x := r.Values[c.Figure]; x.OK {
					values = append(values, x.V)
				}
			}
			if len(values) > 0 {
				slices.Sort(values)
				one.Value = stats.Quantile(values, c.Quantile)
				one.Low, one.High = stats.QuantileInterval(values, c.Quantile, v.Alpha)
				one.Low = max(one.Low, 0)
			}
		}
		one.Outcome = c.Judge(one.Low, one.High)
		out = append(out, one)
	}
	return out
}
