package lessons

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// Per-user ceiling = bandwidth / bytes.
var quantize = lesson{
	key: "quantize", title: "Fewer bytes", focus: "step",
	claim: "No user is faster than bandwidth / bytes of a token: quantize, and every user is faster.",
	text: []string{
		"{hardware} reads {bandwidth}; in {precision} a token needs {stepbytes}: {ceiling} at most.",
		"In {small.precision} a token needs {small.stepbytes}: {small.ceiling} at most.",
		"The engine gives {speed} and {small.speed}: some of the time is fixed.",
	},
	try:   "Change the hardware: bandwidth is speed for one user, arithmetic is not.",
	knobs: []serving.Knob{serving.KnobPrecision, serving.KnobHardware},
	set: func(k *serving.Knobs) {
		k.Hardware, k.Users, k.Prompt, k.Output, k.Time = "rtx4090", 1, 200, 40, 0.5
	},
	stages: []stage{precise("full", "bf16"), precise("half", "fp8"), precise("small", "q4")},
	rows:   []row{rowSpeed, {"limit", "tok/s", func(o *explain.Outcome) metrics.Value { return o.Ceiling }}},
	judge: func(got []*explain.Outcome) (string, bool) {
		if !shown(got, 0, 2) {
			return "", false
		}
		a, b := got[0], got[2]
		if !known(a.Measured.Speed, b.Measured.Speed) {
			return "", false
		}
		// Below the ceiling, and more than half of the gain expected from the
		// bytes.
		fewer := a.Machine.StepBytes / b.Machine.StepBytes
		faster := b.Measured.Speed.V / a.Measured.Speed.V
		holds := a.Measured.Speed.V <= a.Ceiling.V && b.Measured.Speed.V <= b.Ceiling.V && faster > 1+(fewer-1)/2
		return fmt.Sprintf("%s of the bytes gave a user %s the speed, %s of at most %s: %s",
			pct(metrics.Known(1/fewer, 0)), times(a.Measured.Speed, b.Measured.Speed), rate(b.Measured.Speed), rate(b.Ceiling),
			or(holds, "fewer bytes, more speed", "bytes are not the limit here")), holds
	},
}

// precise returns a stage in that precision.
func precise(key, precision string) stage {
	return stage{key: key, label: "{precision}", turn: "quantize to {precision}",
		set: func(k *serving.Knobs) { k.Precision = precision }}
}
