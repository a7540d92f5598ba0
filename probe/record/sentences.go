package record

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/doctor"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/racestat"
	"tokscope/metrics/slo"
	"tokscope/metrics/verdict"
	"tokscope/metrics/watchstat"
)

// Sentences formats the sentences inside the formats. This package writes
// none: the program passes the functions of the screens. A nil function
// leaves its sentence empty, and the name of the code for a reason. The
// functions may be called from any goroutine.
type Sentences struct {
	Load    func(*loadstat.View) string   // "summary" of a load
	Verdict func(*slo.LensVerdict) string // "say" of a lens
	// "say" of an agent's task
	Cost func(*slo.AgentCost) string
	// "text" of a doubt about the figures
	Suspicion func(*metrics.Suspicion) string
	// "why_not_steady" of a point
	Unsteady func(loadstat.Unsteady) string
	// why a load or sweep "stopped"
	Ending func(metrics.Ending) string
	// the reason of an unknown figure
	Why    func(metrics.Why) string
	Budget func(*slo.LensBudget) (why, source string) // of a lens
	// "client_limits" of a load
	Limit     func(loadstat.ClientLimit) string
	RateLimit func(f *metrics.LimitForecast, what string) string // "text" of a rate limit
	About     func(key string) string                            // "about" of a lens
	// what tokscope's lateness affects
	Delay func(*metrics.Delay) (text, next string)
	// "conclusion" of findings
	Conclude func([]verdict.Finding) string
	// "text" and "next" of a check
	Check func(*doctor.Check) (string, []string)
	// "conclusion" of a check-up
	CheckUp func(*doctor.Report) string
	Race    func(*racestat.View) string // "summary" of a race
	RaceEnd func(*racestat.View) string // why a race ended
	// "summary" of a comparison
	Compare func(*comparison.Comparison) string
	// "text" of a figure compared
	CompareRow func(*comparison.Row) string
	RaceState  func(v *racestat.Verdict, name func(lane int) string, view *racestat.View) string // "text" of a verdict
	// Watch says how a target is at a moment, WatchEvent what a probe changed,
	// WatchPause why it is not probed, WatchEnd why a watch ended, and WatchSummary
	// how all targets are.
	Watch        func(*watchstat.Target, time.Time) string
	WatchEvent   func(watchstat.Event, *watchstat.Target, time.Time) string
	WatchPause   func(*watchstat.Target, *watchstat.Board) string
	WatchEnd     func(*watchstat.Board) string
	WatchSummary func(*watchstat.Board, time.Time) string
}

// said is what f says of v, "" without f.
func said[T any](f func(T) string, v T) string {
	if f == nil {
		return ""
	}
	return f(v)
}

// ending writes e, as its code without Ending.
func (s *Sentences) ending(e metrics.Ending) string {
	if s.Ending == nil {
		return string(e.Code)
	}
	return s.Ending(e)
}
