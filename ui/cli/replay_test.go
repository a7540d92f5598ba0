package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"tokscope/metrics"
)

// fakeFiles are two recorded requests; one has no end.
type fakeFiles struct{ err error }

func (f fakeFiles) ReplayRuns([]string, io.Reader, int) ([]metrics.Run, []metrics.ReplayMissing, error) {
	v := metrics.Stream{ID: 1, State: metrics.Done, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1}
	w := v
	w.ID, w.State = 2, metrics.Decoding
	return []metrics.Run{{Stream: v}, {Stream: w}}, []metrics.ReplayMissing{metrics.ReplayWhole, metrics.ReplayNoEnd}, f.err
}
func (f fakeFiles) ReplayJSON(io.Writer, []string, io.Reader, int) error { return f.err }
func (f fakeFiles) ReplayShare(io.Writer, string, io.Reader, bool) error { return f.err }

// TestReplaySummary prints the requests and what the recording lacks of them.
func TestReplaySummary(t *testing.T) {
	o := Replay{Files: []string{"f"}}
	var out bytes.Buffer
	if err := o.summary(&out, nil, fakeFiles{}); err != nil || !strings.Contains(out.String(), "1 of 2 requests: the recording ends before the request") {
		t.Errorf("%v:\n%s", err, out.String())
	}
	if err := o.summary(&out, nil, fakeFiles{errors.New("no such file")}); err == nil {
		t.Error("a file that is not there: no error")
	}
}

// endless is a file that never ends, as a FIFO without a writer.
type endless struct {
	fakeFiles
	end chan struct{}
}

func (f endless) ReplayRuns([]string, io.Reader, int) ([]metrics.Run, []metrics.ReplayMissing, error) {
	<-f.end
	return nil, nil, io.EOF
}

// TestStopEndsTheWaitForAFile: the first Ctrl-C ends each command that opens a file.
func TestStopEndsTheWaitForAFile(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	files := endless{end: make(chan struct{})}
	defer close(files.end)
	r, d := Replay{Files: []string{"f"}}, Definitions{File: "f"}
	for name, run := range map[string]func() error{
		"replay":      func() error { return r.lines(ctx, io.Discard, nil, files) },
		"definitions": func() error { return d.RunFile(ctx, Console{}, DefinitionsFiles{Replayer: files}) },
	} {
		if err := run(); CodeOf(err) != ExitInterrupted {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReplaySaysWhatItCannotWrite: a full device is an error, whatever it had room for.
func TestReplaySaysWhatItCannotWrite(t *testing.T) {
	o := Replay{Files: []string{"f"}}
	for room := range 3 {
		if err := o.summary(&narrow{room}, nil, fakeFiles{}); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
}

// narrow has room for some bytes.
type narrow struct{ room int }

func (n *narrow) Write(b []byte) (int, error) {
	if len(b) > n.room {
		return n.room, io.ErrShortWrite
	}
	n.room -= len(b)
	return len(b), nil
}

// TestReplayFlags takes what goes together.
func TestReplayFlags(t *testing.T) {
	for _, args := range []string{"f --json --speed 0.5", "f g --from 2s --id 3", "- --no-text", "f --no-text --keep-widths"} {
		ran := false
		take := func(context.Context, *Replay) error { ran = true; return nil }
		if err := execute(t, Actions{Replay: take}, append([]string{"replay"}, strings.Fields(args)...)...); err != nil || !ran {
			t.Errorf("%q: %v", args, err)
		}
	}
}
