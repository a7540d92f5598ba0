package say

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
)

// delays say how late tokscope was: in a few words, and as a sentence. Their verbs are
// the p99, the worst, the shares of the gaps that have only bounds and that are known,
// and what that does to TTFT.
var delays = map[metrics.DelayCode]struct{ brief, text string }{
	metrics.DelayReads: {"%[1]s late, gaps %[4]s known",
		"tokscope read %[1]s late (p99, worst %[2]s): %[3]s of the gaps have only bounds; TTFT %[5]s"},
	metrics.DelayStamps: {"%[1]s late, TTFT and gaps off",
		"tokscope lagged %[1]s (p99, worst %[2]s): TTFT and every gap may be late by as much"},
	metrics.DelayMixed: {"%[1]s late, some times off",
		"tokscope lagged %[1]s (p99, worst %[2]s): times without a kernel timestamp may be late by as much"},
}

// delay writes a form of delays, that of an unknown code as it is.
func delay(form string, d *metrics.Delay) string {
	if form == "" {
		return string(d.Code)
	}
	return fmt.Sprintf(form, format.Ms(d.P99), format.Ms(d.Max), format.Percent(d.Shared),
		format.Percent(1-d.Shared), format.Either(d.First, "may be shorter", "is not affected"))
}

// Delay writes how late tokscope was, and which figures that affects; next is
// what to do. Both are "" for none. An unknown code is written as it is.
func Delay(d *metrics.Delay) (text, next string) {
	form, known := delays[d.Code]
	if known {
		next = "use fewer users, end other programs, or take a machine with more cores"
	}
	return delay(form.text, d), next
}

// DelayBrief is Delay in a few words, for a line of a screen: by how much (p99)
// and what that affects. It is "" for none.
func DelayBrief(d metrics.Delay) string { return delay(delays[d.Code].brief, &d) }

// Stamps names who took stamps, as loadstat.StampsOf says it: "kernel stamps".
func Stamps(source string) string {
	return format.Either(source == "none" || source == "", "no stamps", source+" stamps")
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
func ClientLimit(c loadstat.ClientLimit) string { return clientLimit(c).String() }

// ClientLimitBrief is ClientLimit in a few words, for a line of a screen.
func ClientLimitBrief(c loadstat.ClientLimit) string { return clientLimit(c).Core() }

func clientLimit(c loadstat.ClientLimit) Sentence {
	ms := format.Ms(c.Ms)
	late := "requests leave " + ms + " late"
	switch c.Code {
	case loadstat.LimitSchedule:
		cause := format.Either(c.Users > 0, "all "+format.Count(c.Users)+" users wait for an answer", "tokscope lags")
		return Sentence{{Text: "requests leave " + ms + " after their scheduled time (p99)", Brief: late},
			{Text: ": the schedule is not kept, because " + cause, Rank: 1}}
	case loadstat.LimitSending:
		return Sentence{{Text: "tokscope lags " + ms + " (p99): its requests leave late", Brief: late},
			{Text: ", and this machine may be the limit", Rank: 1}}
	case loadstat.LimitReading:
		return Sentence{{Text: "tokscope reads " + ms + " late (p99)", Brief: "reads " + ms + " late"},
			{Text: ": kernel timestamps are unaffected, its next requests are late", Rank: 1}}
	}
	return Sentence{{Text: string(c.Code)}}
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
