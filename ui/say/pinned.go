package say

import (
	"math"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/ui/format"
)

// alike is the share by which the speeds of two runs may differ and be as fast.
const alike = 0.05

// pinned compares a run with the reference: "2.7x slower than #1, first token 88.0 ms
// later".
func pinned(f *verdict.Finding) Sentence {
	than := " than #" + format.Count(f.N)
	later := "first token " + format.Ms(math.Abs(f.Ms-f.Low)) + format.Either(f.Ms > f.Low, " later", " sooner")
	var speed string
	switch ratio := f.Ratio; {
	case ratio == 0:
		return Sentence{{Text: later + than}}
	case ratio > 1+alike:
		speed = format.Times(ratio, 0, ratio) + " faster" + than
	case ratio < 1/(1+alike):
		speed = format.Times(1/ratio, 0, 1/ratio) + " slower" + than
	default:
		speed = "as fast as #" + format.Count(f.N)
	}
	return Sentence{{Text: speed}, details(format.If(f.Low > 0, ", "+later))}
}

// Pin says which run is the reference from now on, under its name, and what is compared
// with it: "run 1 is pinned: TTFT 188 ms, 139 tok/s. Other runs are compared with it when
// they end".
func Pin(name string, r *metrics.Run) string {
	return name + " is pinned: TTFT " + format.Known(r.Figures.TTFT, format.Ms) + ", " +
		format.Known(r.Figures.Speed, format.Rate) + ". Other runs are compared with it when they end"
}

// Unpin says that no run is the reference any more.
func Unpin(r *metrics.Run) string {
	return "run " + format.Count(r.Stream.Number()) + " is not pinned any more"
}

// NoMark says that nothing lies in the direction in which one looked.
func NoMark(after bool) string {
	return "no pause, change or failure " + format.Either(after, "after", "before") + " this moment"
}

// NoFailure says so in a list of runs, the newest first.
func NoFailure(older bool) string {
	return "no failed run " + format.Either(older, "below", "above") + " this one"
}
