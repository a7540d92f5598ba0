package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"tokscope/metrics"
	"tokscope/ui/sanitize"
)

// Exit codes, the same for every command.
const (
	ExitOK          = 0
	ExitFailed      = 1   // a request failed, or results could not be written
	ExitUsage       = 2   // wrong flags or arguments
	ExitSLO         = 3   // an SLO was missed
	ExitConfig      = 4   // configuration, key, or a limit of this machine
	ExitUnreachable = 5   // the endpoint was unreachable
	ExitInterrupted = 130 // ended by SIGINT, SIGTERM or SIGHUP, or its terminal was closed
)

// Exit is an error with the exit code of the program. A nil Err means that
// everything is already printed.
type Exit struct {
	Code int
	Err  error
}

// Error implements error.
func (e *Exit) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

// Unwrap returns the cause.
func (e *Exit) Unwrap() error { return e.Err }

// PrintError writes the last words of a command. Outside strings may stand in
// an error, so it is made safe for a terminal; keys are gone already.
func PrintError(w io.Writer, err error) {
	var x *Exit
	if errors.As(err, &x) && x.Err == nil {
		return
	}
	fmt.Fprintln(w, "tokscope:", sanitize.Line(err.Error(), 2000))
}

// CodeOf returns the exit code for an error of a command.
func CodeOf(err error) int {
	if err == nil {
		return ExitOK
	}
	var x *Exit
	if errors.As(err, &x) {
		return x.Code
	}
	var f *metrics.Fault
	if errors.As(err, &f) {
		return codeOfFault(f)
	}
	if errors.Is(err, context.Canceled) {
		return ExitInterrupted
	}
	return ExitUsage
}

// codeOfFault sorts a failed request into the exit codes.
func codeOfFault(f *metrics.Fault) int {
	switch f.Kind {
	case metrics.FaultConfig, metrics.FaultAuth:
		return ExitConfig
	case metrics.FaultDNS, metrics.FaultConnect, metrics.FaultTLS:
		return ExitUnreachable
	case metrics.FaultTimeout:
		if f.Bound == "connect" || f.Bound == "tls" {
			return ExitUnreachable
		}
	}
	return ExitFailed
}

// CodeOfRuns returns the exit code for ended requests: interrupted before
// anything else, then the first failure's own code, then a missed SLO.
func CodeOfRuns(runs []metrics.Run, slos []metrics.Objective, interrupted bool) int {
	if interrupted {
		return ExitInterrupted
	}
	for i := range runs {
		if f := runs[i].Stream.Fault; f != nil {
			return codeOfFault(f)
		}
	}
	for i := range runs {
		if ok, _ := metrics.Met(&runs[i], slos); !ok {
			return ExitSLO
		}
	}
	return ExitOK
}
