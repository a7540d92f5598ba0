package explain

import (
	"tokscope/metrics/serving"
	"tokscope/metrics/stats"
	"tokscope/ui/chart"
)

// zoom is the scale of the timeline: the engine time of one column. It
// changes only for a scale that fits much better, so that the picture scrolls
// steadily.
type zoom struct {
	column  float64 // seconds, above 0
	typical float64 // median duration of the steps, seconds; 0: unknown

	known  bool
	time   float64
	by     int
	index  int // of chart.Round
	sorted []float64
}

// slack is the factor by which the fitting scale may differ from the kept
// one.
const slack = 2.2

// sample is how many of the last steps the typical duration covers.
const sample = 128

// update chooses the scale for v.
func (z *zoom) update(v *View) {
	z.typical = z.median(v.Explain.Steps)
	time := slowness(v.Explain.Knobs.Time)
	fits := min(max(time*columnTime, z.typical/typicalMost, 1e-7), 10)
	kept := chart.Round.At(z.index)
	if !z.known || z.time != time || z.by != v.Zoom || fits > slack*kept || fits < kept/slack {
		z.known, z.time, z.by, z.index = true, time, v.Zoom, chart.Round.Below(fits)
	}
	z.column = chart.Round.At(min(max(z.index-v.Zoom, -21), 6))
}

// median is the typical duration of the last steps, in seconds.
func (z *zoom) median(steps []serving.EngineStep) float64 {
	z.sorted = z.sorted[:0]
	for i := max(len(steps)-sample, 0); i < len(steps); i++ {
		if d := steps[i].End - steps[i].Start; d > 0 && d < 1e6 {
			z.sorted = append(z.sorted, d)
		}
	}
	if len(z.sorted) == 0 {
		return 0
	}
	return stats.Median(z.sorted)
}

// dense reports whether steps share columns.
func (z *zoom) dense() bool { return z.typical > 0 && z.typical < 0.9*z.column }

// gaps reports whether a blank column separates steps.
func (z *zoom) gaps() bool { return z.typical >= gapFrom*z.column }
