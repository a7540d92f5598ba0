package lessons

import "tokscope/metrics/serving"

var quantize = lesson{
	key: "quantize", title: "Fewer bytes", focus: "step",
	claim: "No user is faster than bandwidth / bytes of a token: quantize, and every user is faster.",
	text: []string{
		"{hardware} reads {bandwidth}/s; in {precision} a token needs {stepbytes}: {ceiling} at most.",
		"In {small.precision} a token needs {small.stepbytes}: {small.ceiling} at most.",
		"The engine gives {speed} and {small.speed}: some of the time is fixed.",
	},
	try:   "Change the hardware: bandwidth is speed for one user, arithmetic is not.",
	knobs: []serving.Knob{serving.KnobPrecision, serving.KnobHardware},
	set: func(k *serving.Knobs) {
		k.Hardware, k.Users, k.Prompt, k.Output, k.Time = "rtx4090", 1, 200, 40, 0.5
	},
	stages: []stage{precise("full", "bf16"), precise("half", "fp8"), precise("small", "q4")},
	rows:   []row{rowSpeed, {"limit", "tok/s", "ceiling"}},
	verdict: "{small.stepbytes%full.stepbytes} of the bytes gave a user {small.speed/full.speed} the speed, " +
		"{small.speed} of at most {small.ceiling}",
	yes: "fewer bytes, more speed", no: "bytes are not the limit here",
	holds: func(of func(string) float64) bool { // below the ceiling, and over half of the gain expected from the bytes
		return of("full.speed") <= of("full.ceiling") && of("small.speed") <= of("small.ceiling") &&
			of("small.speed/full.speed") > 1+(of("full.stepbytes/small.stepbytes")-1)/2
	},
}

// precise returns a stage in that precision.
func precise(key, precision string) stage {
	return stage{key: key, label: "{precision}", turn: "quantize to {precision}",
		set: func(k *serving.Knobs) { k.Precision = precision }}
}
