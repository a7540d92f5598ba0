package endpoint

import (
	"errors"

	"tokscope/metrics"
)

// refuse makes the fault of a wrong setting or a refusal for safety: what is
// wrong, and what to do.
func Refuse(message, next string) *metrics.Fault {
	return &metrics.Fault{Kind: metrics.FaultConfig, Message: NewScrubber().String(message), Next: next}
}

// FlagError is a flag with a wrong value: wrong usage, not a wrong
// configuration. It hides the fault that words it from errors.As, because a
// fault of kind config has an exit code of its own.
type FlagError struct{ fault *metrics.Fault }

// Error implements error.
func (e *FlagError) Error() string { return e.fault.Error() }

// message returns the sentence of err without its next step.
func message(err error) string {
	var f *metrics.Fault
	if errors.As(err, &f) {
		return f.Message
	}
	return err.Error()
}

// next returns the next step of err, or "".
func next(err error) string {
	var f *metrics.Fault
	if errors.As(err, &f) {
		return f.Next
	}
	return ""
}
