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

// TestReplayFlags refuses what contradicts itself, with the next step.
func TestReplayFlags(t *testing.T) {
	for args, want := range map[string]string{
		"":                          "give a session file",
		"- -":                       "once",
		"f --id -1":                 "--id -1",
		"f --speed 0":               "0.001 to 1000",
		"f --from -1s":              "--from -1s",
		"f --keep-widths":           "--no-text",
		"f g --no-text":             "one file",
		"f --no-text --json":        "--json",
		"f --id 2 --no-text":        "--id",
		"f --json --speed 0.5":      "",
		"f g --from 2s --id 3":      "",
		"- --no-text":               "",
		"f --no-text --keep-widths": "",
	} {
		ran := false
		root := New(Actions{Replay: func(context.Context, *Replay) error { ran = true; return nil }}, "test")
		root.SetArgs(append([]string{"replay"}, strings.Fields(args)...))
		err := root.Execute()
		if want == "" && (err != nil || !ran) {
			t.Errorf("%q: %v", args, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
	for args, want := range map[string]string{"--replay f --speed 2": "--speed is for the embedded engine", "--id 3": "--replay"} {
		root := New(Actions{Serve: func(context.Context, *Serve) error { return nil }}, "test")
		root.SetArgs(append([]string{"serve"}, strings.Fields(args)...))
		if err := root.Execute(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("serve %q: %v, want %q", args, err, want)
		}
	}
}
