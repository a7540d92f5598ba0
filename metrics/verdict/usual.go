package verdict

import (
	"tokscope/metrics"
	"tokscope/metrics/pick"
)

// UsualOf returns what the figures f of a request can be held against, never nil. It knows
// nothing where the history leaves such requests out.
func UsualOf(s *metrics.Stream, f *metrics.Figures) *metrics.Usual {
	left := pick.First(f.Suspect, func(x *metrics.Suspicion) bool { return x.Code.Excludes() })
	if s.Usual == nil || left != nil || s.Served.Tier != "" && s.Served.Tier != s.Usual.Tier {
		return &metrics.Usual{}
	}
	return s.Usual
}

// unusual notes in f that v lies outside the usual. A figure that is worse is at least
// Notable, and Bad from earlierFar times the worse end on. lower says which direction
// is better.
func (f *Finding) unusual(b *metrics.Band, v metrics.Value, lower bool) {
	if !b.Unusual(v) {
		return
	}
	f.Usual, f.Above, f.Evidence = b, b.Above(v), f.Evidence|ByHistory
	if f.Above != lower {
		return
	}
	far := v.V > earlierFar*b.High
	if !lower {
		far = v.V*earlierFar < b.Low
	}
	f.Grade = max(f.Grade, Notable)
	if far {
		f.Grade = max(f.Grade, Bad)
	}
}

// longer returns the part of the wait that takes most of what ms is above the usual
// wait; "" where none takes half of it, or the server did not report it then or now.
func longer(u *metrics.Usual, wait []metrics.Share, ms float64) string {
	for i := range wait {
		p, usual := &wait[i], metrics.Value{}
		switch p.Name {
		case metrics.ShareQueue:
			usual = u.Queue
		case metrics.SharePrefill:
			usual = u.Prefill
		}
		if p.Server && p.Ms.OK && usual.OK && p.Ms.V-usual.V > (ms-u.TTFT.Median)/2 {
			return p.Name
		}
	}
	return ""
}
