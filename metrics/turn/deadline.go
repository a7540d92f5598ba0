package turn

import (
	"time"

	"tokscope/metrics"
)

// Deadlines are what a client does by itself in a silence. 0: it does not, or nobody knows.
type Deadlines struct {
	Says    time.Duration `json:"says_ms"`     // it shows that it waits
	GivesUp time.Duration `json:"gives_up_ms"` // it aborts the request
	Pings   bool          `json:"pings"`       // a ping ends the silence too
}

// Quiet is a silence that lasts, and how long it lasts until the client does something: 0 is
// now, unknown is never. In ms.
type Quiet struct {
	For, Says, GivesUp metrics.Value
}

// Quiet returns the silence at now of an answer whose last data came at data and whose last
// ping at ping; both may be NoStamp, and sent is when the wait began.
func (d Deadlines) Quiet(sent, data, ping, now metrics.Stamp) Quiet {
	last := max(sent, data)
	q := Quiet{For: metrics.Since(last, now, metrics.WhyNotSent)}
	if d.Pings {
		last = max(last, ping)
	}
	left := func(of time.Duration) metrics.Value {
		switch silent, known := now.Sub(last); {
		case !known:
			return metrics.Unknown(metrics.WhyNotSent)
		case of == 0:
			return metrics.Unknown(metrics.WhyNoLimit)
		default:
			return metrics.Known(float64(max(of-silent, 0))/1e6, 0)
		}
	}
	q.Says, q.GivesUp = left(d.Says), left(d.GivesUp)
	return q
}
