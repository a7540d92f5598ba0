package cli

import (
	"math"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
)

// The limits of a sweep's lists. 64 steps of a minute take about an hour.
const (
	mostSteps = 64
	mostRate  = 10_000.0
)

// parseUsers parses numbers of users such as 1,2,4. Each must be larger than
// the one before, so that the curve has a direction.
func parseUsers(text string) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 || n > maxUsers {
			return nil, Usage("--users %q: %q is not a number from 1 to %d", text, strings.TrimSpace(part), maxUsers)
		}
		if len(out) > 0 && n <= out[len(out)-1] {
			return nil, Usage("--users %q: %d is not above %d: give rising numbers such as %s",
				text, n, out[len(out)-1], defaultUsers)
		}
		out = append(out, n)
	}
	if len(out) > mostSteps {
		return nil, Usage("--users: %d steps, give at most %d", len(out), mostSteps)
	}
	return out, nil
}

// parseRates parses rates such as 0.5,1,2, in requests per second, rising.
func parseRates(text string) ([]float64, error) {
	var out []float64
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsNaN(v) || v < 0.001 || v > mostRate {
			return nil, Usage("--rate %q: %q is not a rate from 0.001 to %s requests per second",
				text, strings.TrimSpace(part), format.Exact(mostRate))
		}
		if len(out) > 0 && v <= out[len(out)-1] {
			return nil, Usage("--rate %q: %v is not above %v: give rising rates such as 1,2,5", text, v, out[len(out)-1])
		}
		out = append(out, v)
	}
	if len(out) > mostSteps {
		return nil, Usage("--rate: %d steps, give at most %d", len(out), mostSteps)
	}
	return out, nil
}

// readRamp parses the value of --ramp. One step stands for its larger end.
func (o *Sweep) readRamp(text string) error {
	for _, flag := range [...]string{"users", "rate", "requests",
		"duration", "resume", "until-slo-breaks", "request-lines", "handover"} {
		if o.Given(flag) {
			return Usage("--ramp and --%s exclude each other", flag)
		}
	}
	d, err := loadstat.ParseDrive(text, loadstat.Drive{}, maxUsers)
	if err != nil {
		return Usage("--ramp %v: give 1-64/2m, or 1-20/s/2m for a rate", err)
	}
	if !d.Ramps() {
		return Usage("--ramp %q: say in which time, such as 1-64/2m", text)
	}
	if d.Poisson = d.Poisson || o.Poisson; d.Open() {
		o.Rates, o.Poisson = []float64{max(d.Rate, d.To)}, d.Poisson
	} else {
		o.Users = []int{max(d.Users, int(d.To))}
	}
	o.Ramp, o.Duration, o.ServerMetrics = d, d.Within, "off"
	return nil
}

// parseLengths parses the value of flag with metrics.ParseLengths.
func parseLengths(flag, text string) (metrics.Lengths, error) {
	l, err := metrics.ParseLengths(text)
	switch {
	case err != nil:
		return l, Usage("--%s %q: %v", flag, text, err)
	case l.IsZero():
		return l, Usage("--%s is empty: give %s", flag, metrics.LengthForms)
	}
	return l, nil
}
