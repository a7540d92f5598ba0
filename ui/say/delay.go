package say

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
)

// Delay writes how late tokscope was, and which figures that affects; next is
// what to do. Both are "" for none. An unknown code is written as it is.
func Delay(d *metrics.Delay) (text, next string) {
	late, worst := format.Ms(d.P99), format.Ms(d.Max)
	switch d.Code {
	case "":
		return "", ""
	case metrics.DelayReads:
		ttft := format.Either(d.First, "TTFT may be shorter", "TTFT is not affected")
		text = fmt.Sprintf("tokscope read %s late (p99, worst %s): %s of the gaps have only bounds; %s",
			late, worst, format.Percent(d.Shared), ttft)
	case metrics.DelayStamps:
		text = fmt.Sprintf("tokscope lagged %s (p99, worst %s): TTFT and every gap may be late by as much", late, worst)
	case metrics.DelayMixed:
		text = fmt.Sprintf("tokscope lagged %s (p99, worst %s): times without a kernel timestamp may be late by as much",
			late, worst)
	default:
		return string(d.Code), ""
	}
	return text, "use fewer users, end other programs, or take a machine with more cores"
}

// DelayBrief is Delay in a few words, for a line of a screen: by how much (p99)
// and what that affects. It is "" for none.
func DelayBrief(d metrics.Delay) string {
	switch d.Code {
	case "":
		return ""
	case metrics.DelayReads:
		return format.Ms(d.P99) + " late, gaps " + format.Percent(1-d.Shared) + " known"
	case metrics.DelayStamps:
		return format.Ms(d.P99) + " late, TTFT and gaps off"
	case metrics.DelayMixed:
		return format.Ms(d.P99) + " late, some times off"
	}
	return string(d.Code)
}

// Stamps names who took stamps, as loadstat.StampsOf says it: "kernel stamps".
func Stamps(source string) string {
	if source == "none" || source == "" {
		return "no stamps"
	}
	return source + " stamps"
}

// Missing writes between what the percentiles of d lie, "" where unknown gaps
// cannot visibly move them.
func Missing(d *metrics.Dist) string {
	if !d.Uncertain() {
		return ""
	}
	text := format.Percent(d.KnownShare()) + " of gaps known"
	for _, q := range [...]struct {
		name string
		v    metrics.Value
		b    metrics.Bound
	}{{"p50", d.P50, d.Missing.P50}, {"p95", d.P95, d.Missing.P95}, {"p99", d.P99, d.Missing.P99}} {
		if q.v.OK && q.b.Wide() {
			text += ", " + q.name + " within " + format.Range(q.b.Low, q.b.High, format.Ms)
		}
	}
	return text
}

// ClientLimit writes why tokscope itself limits a load, "" where it does not.
// An unknown code is written as it is.
func ClientLimit(c loadstat.ClientLimit) string {
	switch c.Code {
	case loadstat.LimitSchedule:
		cause := format.Either(c.Users > 0, "all "+format.Count(c.Users)+" users wait for an answer", "tokscope lags")
		return fmt.Sprintf("requests leave %s after their scheduled time (p99): the schedule is not kept, because %s",
			format.Ms(c.Ms), cause)
	case loadstat.LimitSending:
		return fmt.Sprintf("tokscope lags %s (p99): its requests leave late, and this machine may be the limit",
			format.Ms(c.Ms))
	case loadstat.LimitReading:
		return fmt.Sprintf("tokscope reads %s late (p99): kernel timestamps are unaffected, its next requests are late",
			format.Ms(c.Ms))
	}
	return string(c.Code)
}

// ClientLimitBrief is ClientLimit in a few words, for a line of a screen.
func ClientLimitBrief(c loadstat.ClientLimit) string {
	switch c.Code {
	case loadstat.LimitSchedule, loadstat.LimitSending:
		return "requests leave " + format.Ms(c.Ms) + " late"
	case loadstat.LimitReading:
		return "reads " + format.Ms(c.Ms) + " late"
	}
	return string(c.Code)
}

// Use writes what tokscope took of the machine, to be appended to its lag: "; used 0.31
// of 2 cores, 118 of 1,024 descriptors". What is unknown is left out; "" when
// all of it is.
func Use(u *metrics.Use) string {
	text := ""
	if v := u.CPUUsed(); v.OK {
		text = "; used " + format.Number(v.V) + " of " + format.Plural(u.Cores, "core", "cores")
	}
	if u.Descriptors > 0 && u.DescriptorLimit > 0 {
		if text == "" {
			text = "; used "
		} else {
			text += ", "
		}
		text += format.Count(u.Descriptors) + " of " + format.Count(u.DescriptorLimit) + " descriptors"
	}
	return text
}
