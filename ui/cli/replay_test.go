package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
)

// fakeFiles are two recorded requests; one has no end.
type fakeFiles struct{ err error }

func (f fakeFiles) ReplayRuns([]string, io.Reader, int) ([]metrics.Run, []metrics.ReplayMissing, error) {
	v := metrics.Stream{ID: 1, State: metrics.Done, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1}
	w := v
	w.ID, w.State = 2, metrics.Decoding
	return []metrics.Run{{Stream: v}, {Stream: w}}, []metrics.ReplayMissing{metrics.ReplayWhole, metrics.ReplayNoEnd},
		f.err
}
func (f fakeFiles) ReplayJSON(io.Writer, []string, io.Reader, int) error { return f.err }
func (f fakeFiles) ReplayShare(io.Writer, string, io.Reader, bool) error { return f.err }

// TestReplaySummary prints the requests and what the recording lacks of them.
func TestReplaySummary(t *testing.T) {
	o := Replay{ReplayPlan: metrics.ReplayPlan{Files: []string{"f"}}}
	var out bytes.Buffer
	if err := o.lines(t.Context(), Console{Out: &out}, fakeFiles{}); err != nil || !strings.Contains(out.String(),
		"1 of 2 requests: the recording ends before the request") {
		t.Errorf("%v:\n%s", err, out.String())
	}
	if err := o.lines(t.Context(), Console{Out: &out}, fakeFiles{errors.New("no such file")}); err == nil {
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

func (f endless) ReplayJSON(io.Writer, []string, io.Reader, int) error {
	<-f.end
	return io.EOF
}

// endlessHistory is a history and a file to import that never end.
type endlessHistory struct {
	fakeHistory
	end chan struct{}
}

func (f *endlessHistory) View(history.Query) (history.View, error) {
	<-f.end
	return history.View{}, io.EOF
}

func (f *endlessHistory) ImportFile(io.Reader, string, string) (history.Imported, error) {
	<-f.end
	return history.Imported{}, io.EOF
}

// waits are the commands that read files, each with files that never end.
func waits(t *testing.T, c Console) map[string]func(ctx context.Context) error {
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	files, store := endless{end: end}, &endlessHistory{end: end}
	there := filepath.Join(t.TempDir(), "session-1.ndjson")
	testkit.OK(t, os.WriteFile(there, make([]byte, 2_500_000), 0o600))
	r := Replay{ReplayPlan: metrics.ReplayPlan{Files: []string{there}}}
	return map[string]func(ctx context.Context) error{
		"replay": func(ctx context.Context) error { return r.lines(ctx, c, files) },
		"replay --json": func(ctx context.Context) error {
			return writing(ctx, c, r.Files, func() error { return files.ReplayJSON(nil, nil, nil, 0) })
		},
		"definitions": func(ctx context.Context) error {
			return (&Definitions{File: there}).RunFile(ctx, c, DefinitionsFiles{Replayer: files})
		},
		"compare": func(ctx context.Context) error {
			return (&Compare{A: there, B: there}).Run(ctx, c, func(string, string, string, io.Reader,
				func(string) string) (*comparison.Sample, error) {
				<-end
				return nil, io.EOF
			}, nil)
		},
		"history": func(ctx context.Context) error { return (&History{}).show(ctx, c, store) },
		"history import": func(ctx context.Context) error {
			return (&History{Names: []string{there}}).importFiles(ctx, c, store)
		},
	}
}

// TestStopEndsTheWaitForAFile: the first Ctrl-C ends each command that reads files,
// also in the middle of one.
func TestStopEndsTheWaitForAFile(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, run := range waits(t, Console{Out: io.Discard}) {
		err := run(ctx)
		testkit.That(t, CodeOf(err) == ExitInterrupted, "%s: %v", name, err)
	}
}

// TestReadingIsSaid: from a second on a terminal on stderr has what is read, its size and
// the time; before that, and elsewhere, nothing.
func TestReadingIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, x := range map[string]struct {
			terminal bool
			wait     time.Duration
			want     string
		}{
			"short": {true, 900 * time.Millisecond, ""},
			"pipe":  {false, 9 * time.Second, ""},
			"long":  {true, 2100 * time.Millisecond, "reading session-1.ndjson (3 MB): 2 s"},
		} {
			var out, said bytes.Buffer
			for command, run := range waits(t, Console{Out: &out, Err: &said, ErrTerminal: x.terminal}) {
				if command == "history" {
					continue // it has another file
				}
				said.Reset()
				ctx, cancel := context.WithTimeout(t.Context(), x.wait)
				err := run(ctx)
				testkit.That(t, CodeOf(err) == ExitInterrupted, "%s of %s: %v", command, name, err)
				cancel()
				if s := said.String(); x.want == "" && s != "" || !strings.Contains(s, x.want) || x.want != "" &&
					!strings.HasSuffix(s, "\r\x1b[2K") {
					t.Errorf("%s of %s says %.300q", command, name, s)
				}
			}
		}
	})
}

// TestReplaySaysWhatItCannotWrite: a full device is an error, whatever it had room for.
func TestReplaySaysWhatItCannotWrite(t *testing.T) {
	o := Replay{ReplayPlan: metrics.ReplayPlan{Files: []string{"f"}}}
	for room := range 3 {
		err := o.lines(t.Context(), Console{Out: &narrow{room}}, fakeFiles{})
		testkit.That(t, errors.Is(err, io.ErrShortWrite), "with room for %d bytes: %v", room, err)
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
	for _, args := range []string{"f --json --speed 0.5", "f g --from 2s --id 3", "- --no-text",
		"f --no-text --keep-widths"} {
		ran := false
		take := func(context.Context, *Replay) error { ran = true; return nil }
		err := execute(t, Actions{Replay: take}, append([]string{"replay"}, strings.Fields(args)...)...)
		testkit.That(t, err == nil && ran, "%q: %v", args, err)
	}
}
