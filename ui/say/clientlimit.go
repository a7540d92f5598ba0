package say

import (
	"fmt"

	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
)

// ClientLimit writes why tokscope itself limits a load, "" where it does not.
// An unknown code is written as it is.
func ClientLimit(c loadstat.ClientLimit) string {
	switch c.Code {
	case loadstat.LimitSchedule:
		cause := "tokscope lags"
		if c.Users > 0 {
			cause = fmt.Sprintf("all %s users wait for an answer", format.Count(c.Users))
		}
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
