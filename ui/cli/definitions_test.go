package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit/example"
)

// An argument that is a file, or is called like a session file, is read; any
// other is a target. Flags of the other kind are refused.
func TestDefinitionsFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "any.txt")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var got *Definitions
	run := func(args ...string) error {
		got = nil
		take := func(_ context.Context, o *Definitions) error { got = o; return nil }
		return execute(t, Actions{Definitions: take}, append([]string{"definitions"}, args...)...)
	}
	for arg, isFile := range map[string]bool{file: true, "-": true, "groq": false, "http://127.0.0.1/v1.ndjson": false} {
		if err := run(arg); err != nil || (got.File == arg) != isFile || (got.Target == arg) == isFile {
			t.Errorf("%s: %v, %+v", arg, err, got)
		}
	}
	for _, args := range [][]string{{file, "-n", "3"}, {file, "--id", "-1"}} {
		if err := run(args...); err == nil || got != nil {
			t.Errorf("%v is taken", args)
		}
	}
	dir := t.TempDir()
	for _, arg := range []string{"/nofile", "./nofile", "../nofile", "~/nofile", "nofile.json", "nofile.ndjson",
		"nofile.ndjson.gz", "nofile.txt"} {
		if err := run(arg); CodeOf(err) != ExitUsage || !strings.Contains(err.Error(), arg+": no such file") || got != nil {
			t.Errorf("%s: %v, %+v", arg, err, got)
		}
	}
	if err := run(dir); CodeOf(err) != ExitUsage || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
}

// oneFile is the recording a.ndjson.
type oneFile struct{ runs []metrics.Run }

func (f oneFile) ReplayRuns(files []string, _ io.Reader, _ int) ([]metrics.Run, []metrics.ReplayMissing, error) {
	if files[0] != "a.ndjson" {
		return nil, nil, errors.New("no such file")
	}
	return f.runs, nil, nil
}
func (oneFile) ReplayJSON(io.Writer, []string, io.Reader, int) error { return nil }
func (oneFile) ReplayShare(io.Writer, string, io.Reader, bool) error { return nil }

// A file is read once and printed as text or JSON; what cannot be read is an
// error.
func TestDefinitionsOfAFile(t *testing.T) {
	s := example.Stream(metrics.InReasoning, 50)
	files := DefinitionsFiles{
		Replayer: oneFile{[]metrics.Run{{Stream: *s, Figures: metrics.Measure(s, metrics.Options{})}}},
		Write:    func(w io.Writer, runs []metrics.Run) error { _, err := io.WriteString(w, "json"); return err },
	}
	for _, c := range []struct {
		o    Definitions
		want string
	}{{Definitions{File: "a.ndjson"}, "a.ndjson: one stream under"},
		{Definitions{File: "a.ndjson", Form: Form{JSON: true}}, "json"},
		{Definitions{File: "a.ndjson", Form: Form{ASCII: true}}, "(5.8x)"}} {
		var b strings.Builder
		if err := c.o.RunFile(t.Context(), Console{Out: &b}, files); err != nil || !strings.Contains(b.String(), c.want) {
			t.Errorf("%+v: %v, %.80s", c.o, err, b.String())
		}
	}
	if err := (&Definitions{File: "b.ndjson"}).RunFile(t.Context(), Console{Out: io.Discard}, files); err == nil {
		t.Error("a file that is not there is no error")
	}
}
