package result

import (
	"time"

	"tokscope/metrics"
)

// Sentences say what stands in the formats as text: on a value of metrics, such as a
// metrics.Why, a *slo.LensVerdict or a *racestat.View, they return the sentences in
// the order of the fields that hold them. now is the moment of what a watch says, zero
// for all others. This package writes no sentence: the program passes say.Texts, which
// lists the values. Nil, or no sentence on a value, leaves its texts empty, and its
// code for an ending. It may be called from any goroutine.
type Sentences func(of any, now time.Time) []string

// all returns what s says on a value: at least n sentences, empty ones included.
func (s Sentences) all(of any, now time.Time, n int) (texts []string) {
	if s != nil {
		texts = s(of, now)
	}
	return append(texts, make([]string, max(n-len(texts), 0))...)
}

// One returns the first sentence on a value.
func (s Sentences) One(of any) string { return s.all(of, time.Time{}, 1)[0] }

// Ending returns the sentence on e, or its code.
func (s Sentences) Ending(e metrics.Ending) string {
	if s == nil {
		return string(e.Code)
	}
	return s.One(e)
}
