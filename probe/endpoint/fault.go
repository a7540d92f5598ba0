package endpoint

import (
	"errors"

	"tokscope/metrics"
	"tokscope/probe/secret"
)

// Refuse returns the fault of a wrong setting or an unsafe request, with the
// next step.
func Refuse(message, next string) *metrics.Fault {
	return &metrics.Fault{Kind: metrics.FaultConfig, Message: secret.NewScrubber().String(message), Next: next}
}

// within returns the fault of what, in which err is, with the next step of err.
func within(what string, err error) error { return Refuse(what+": "+message(err), next(err)) }

// message returns the sentence of err without its next step.
func message(err error) string {
	if f, ok := errors.AsType[*metrics.Fault](err); ok {
		return f.Message
	}
	return err.Error()
}

// next returns the next step of err, or "".
func next(err error) string {
	if f, ok := errors.AsType[*metrics.Fault](err); ok {
		return f.Next
	}
	return ""
}
