package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/slo"
	"tokscope/ui/report"
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

func (e *Exit) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

// Unwrap returns the cause.
func (e *Exit) Unwrap() error { return e.Err }

// Warn writes sentences for a person, one a line; "" is none. They may contain outside
// strings, so Warn sanitizes them.
func Warn(w io.Writer, warnings ...string) {
	for _, text := range warnings {
		if text != "" {
			fmt.Fprintln(w, "tokscope:", sanitize.Line(text, 300))
		}
	}
}

// PrintError writes the error of a command. The error may contain outside
// strings, so PrintError sanitizes it. Keys are already removed.
func PrintError(w io.Writer, err error) {
	if x, ok := errors.AsType[*Exit](err); ok && x.Err == nil {
		return
	}
	fmt.Fprintln(w, "tokscope:", sanitize.Line(inWords(err), 2000))
}

// inWords returns the text of err, each of joined errors once.
func inWords(err error) string {
	var seen []string
	for text := range strings.Lines(err.Error()) {
		if text = strings.TrimSpace(text); !slices.Contains(seen, text) {
			seen = append(seen, text)
		}
	}
	text := strings.Join(seen, " ")
	if unwritten(err) && errors.Is(err, syscall.ENOSPC) {
		text += "; free space on its disk"
	}
	return text
}

// unwritten reports whether err is that of a write: of stdout, or of a file.
func unwritten(err error) bool {
	p, ok := errors.AsType[*fs.PathError](err)
	return ok && p.Op == "write"
}

// CodeOf returns the exit code for an error of a command.
func CodeOf(err error) int {
	if err == nil {
		return ExitOK
	}
	if x, ok := errors.AsType[*Exit](err); ok {
		return x.Code
	}
	f, failed := errors.AsType[*metrics.Fault](err)
	switch {
	case failed:
		return codeOfFault(f)
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case unwritten(err):
		return ExitFailed
	}
	return ExitUsage
}

// codeOfFault maps a failed request to its exit code.
func codeOfFault(f *metrics.Fault) int {
	switch f.Kind {
	case metrics.FaultConfig, metrics.FaultAuth, metrics.FaultLocal:
		return ExitConfig
	case metrics.FaultDNS, metrics.FaultConnect, metrics.FaultTLS:
		return ExitUnreachable
	case metrics.FaultTimeout:
		if strings.HasPrefix(f.Bound, "connect ") || strings.HasPrefix(f.Bound, "TLS handshake ") {
			return ExitUnreachable
		}
	}
	return ExitFailed
}

// CodeOfRuns returns the exit code for ended requests. An interruption has
// priority, then the first failure's own code, then a missed SLO.
func CodeOfRuns(runs []metrics.Run, slos []slo.Objective, interrupted bool) int {
	if interrupted {
		return ExitInterrupted
	}
	code := ExitOK
	for i := range runs {
		if f := runs[i].Stream.Fault; f != nil {
			return codeOfFault(f)
		}
		if !slo.Met(&runs[i], slos...) {
			code = ExitSLO
		}
	}
	return code
}

// CodeOfSweep returns the exit code of a sweep. An interruption has priority,
// then a step where requests failed and none ended well, then missed SLOs (report.Sweep.Misses).
// A step in which nothing ended is no failure.
func CodeOfSweep(r *report.Sweep) int {
	if r.Interrupted {
		return ExitInterrupted
	} else if r.Depth != nil {
		return codeOfDepth(r.Depth)
	}
	good := 0
	code := ExitOK
	for _, s := range pick.All(r.Steps) {
		good += s.Point.Requests
		if s.Extra.AllFailed && code == ExitOK {
			code = ExitFailed
			_, faults := s.Point.Failures()
			if f := pick.First(faults, func(f *metrics.FaultCount) bool { return f.N > 0 }); f != nil {
				code = codeOfFault(&metrics.Fault{Kind: f.Kind})
			}
		}
	}
	switch {
	case code != ExitOK:
		return code
	case good == 0 && r.View.Done == 0 && r.Fault != nil:
		return codeOfFault(r.Fault)
	case r.Misses():
		return ExitSLO
	}
	return ExitOK
}
