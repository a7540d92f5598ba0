package live

// Limits of the picture, with their reasons.
const (
	// fadeStep is how long arrived text keeps each of its tints: 200 ms to the
	// second, 1 s to plain ink. The sequence must be long enough to show a gap,
	// and short enough to leave readable text.
	fadeStep = 200e6 // ns

	// silentAfter is how long nothing must come while decoding until the text panel
	// says so; a reader starts to wonder after a second.
	silentAfter = 1000e6 // ns

	// The time left is shown after the share countdown of a limit has passed,
	// and not before countdownMin, in ns.
	countdown    = 0.2
	countdownMin = 3e9
)
