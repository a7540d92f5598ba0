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
	"time"

	"github.com/spf13/cobra"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
)

// fakeHistory is a Historian with two series.
type fakeHistory struct {
	asked   history.Query
	removed bool
	series  int // that match
	named   string
	err     error
}

func (f *fakeHistory) View(q history.Query) (history.View, error) {
	if q.Series != nil {
		return lateRise(), f.err
	}
	f.asked = q
	v := history.View{All: 7, Matching: 3, Since: time.Unix(0, 0)}
	for range f.series {
		s := history.SeriesView{Series: history.Series{Endpoint: "groq", Model: "m", Workload: "chat"}}
		s.Figures[history.TTFT] = history.Quantiles{N: 62, P50: 263}
		v.Series = append(v.Series, s)
	}
	if strings.Contains(q.Filter, "nothing") {
		v.Matching = 0
	}
	return v, f.err
}

// lateRise are 62 runs, the newest first, of which the newest 22 took 3.5 times as long.
func lateRise() (v history.View) {
	for i := range 62 {
		e := history.Entry{At: time.Unix(int64(1000+10*i), 0), State: metrics.Done, N: 1}
		ms := 261 + float64(i%5)
		if i >= 40 {
			ms *= 3.5
		}
		e.Figures[history.TTFT] = metrics.Known(ms, 1)
		v.Entries = append([]history.Entry{e}, v.Entries...)
	}
	return v
}

func (f *fakeHistory) Remove(history.Query) (int, error) {
	f.removed = true
	return 3, nil
}

func (f *fakeHistory) SetBaseline(name string, s history.Series, _, _ time.Time) (history.Baseline, error) {
	f.named = name
	return history.Baseline{Name: name, Series: s, N: 9}, nil
}
func (f *fakeHistory) RemoveBaseline(name string) (bool, error) { return name == "usual", nil }
func (f *fakeHistory) Baselines() ([]history.Baseline, error)   { return nil, nil }
func (f *fakeHistory) Path() string                             { return "/state/history.ndjson" }
func (f *fakeHistory) ImportFile(r io.Reader, _, _ string) (history.Imported, error) {
	data, err := io.ReadAll(r)
	if string(data) == "bad" {
		return history.Imported{}, errors.New("not a file of figures")
	}
	return history.Imported{Entries: len(data), New: 1}, err
}
func (f *fakeHistory) WriteView(out io.Writer, filter string, _ *history.View) error {
	_, err := io.WriteString(out, "json of "+filter+"\n")
	return err
}

// TestHistoryCommand runs each verb with its arguments as a person types them.
func TestHistoryCommand(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good"), filepath.Join(dir, "bad")
	for path, text := range map[string]string{good: "12345", bad: "bad"} {
		testkit.OK(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for _, x := range []struct {
		args     []string
		in       string // of a terminal; "" has none
		series   int
		code     int
		filter   string
		limit    int
		out, err string // parts
		removed  bool
	}{
		{args: []string{}, limit: 10, out: "runs since 1970-01-01"},
		{args: []string{"127.0.0.1:18401"}, series: 1, filter: "127.0.0.1:18401", limit: 10,
			out: "TTFT 3.50x since 1970-01-01 00:23"},
		{args: []string{"groq", "since:7d"}, filter: "groq since:7d", limit: 10, out: "3 of 7 runs"},
		{args: []string{"long answer", "workload:1k in"}, filter: `"long answer" workload:"1k in"`, limit: 10},
		{args: []string{"--since", "24h", "--limit", "0"}, filter: "since:24h"},
		{args: []string{"groq", "--json"}, filter: "groq", out: "json of groq\n"},
		{args: []string{"--csv"}, limit: 1, out: "time,branch,"},
		{args: []string{"--limit", "-3"}, code: ExitUsage, err: "0 or more"},
		{args: []string{"foo>3"}, code: ExitUsage, err: `"foo" is not known`},
		{args: []string{"--since", "soon"}, code: ExitUsage, err: "24h, 7d"},
		{args: []string{"path"}, out: "/state/history.ndjson\n"},
		{args: []string{"rm"}, code: ExitUsage},
		{args: []string{"rm", "groq"}, code: ExitUsage, filter: "groq", limit: 1, err: "Add --yes"},
		{args: []string{"rm", "groq", "--yes"}, filter: "groq", limit: 1, out: "3 runs are removed.", removed: true},
		{args: []string{"rm", "groq"}, in: "y\n", filter: "groq", limit: 1, out: "3 runs are removed.", removed: true},
		{args: []string{"rm", "groq"}, in: "\n", code: ExitUsage, filter: "groq", limit: 1, err: "nothing was removed"},
		{args: []string{"rm", "nothing"}, filter: "nothing", limit: 1, out: "nothing was removed"},
		{args: []string{"baseline"}, out: "no baselines"},
		{args: []string{"baseline", "list"}, out: "no baselines"},
		{args: []string{"baseline", "rm", "usual"}},
		{args: []string{"baseline", "rm", "other"}, code: ExitUsage, err: "no baseline is called other"},
		{args: []string{"baseline", "set", "usual", "groq"}, series: 1, filter: "groq", limit: 1,
			out: "baseline usual: 9 runs"},
		{args: []string{"baseline", "set", "usual", "groq"}, series: 2, code: ExitUsage, filter: "groq", limit: 1,
			err: "2 series match"},
		{args: []string{"baseline", "set", "usual", "groq"}, series: 0, code: ExitUsage, filter: "groq", limit: 1,
			err: "nothing in the history matches"},
		{args: []string{"baseline", "set", "usual", "ttft>5"}, series: 1, code: ExitUsage,
			err: "leave out terms on single runs"},
		{args: []string{"import", good}, out: "1 of 5 runs added, 4 known before"},
		{args: []string{"import", good, bad}, code: ExitFailed, out: "1 of 5 runs added", err: "bad: not a file of figures"},
		{args: []string{"import", filepath.Join(dir, "none")}, code: ExitFailed, err: "no such file"},
	} {
		f := &fakeHistory{series: x.series}
		var out, errs bytes.Buffer
		a := Actions{History: func(ctx context.Context, o *History) error {
			return o.Run(ctx, Console{In: strings.NewReader(x.in), Out: &out, Err: &errs, InTerminal: x.in != "",
				ErrTerminal: x.in != "", Env: func(string) string { return "" }}, f)
		}}
		err := execute(t, a, append([]string{"history"}, x.args...)...)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if code := CodeOf(err); code != x.code || !strings.Contains(text, x.err) || !strings.Contains(out.String(), x.out) ||
			f.asked.Filter != x.filter || f.asked.Limit != x.limit || f.removed != x.removed {
			t.Errorf("%q: code %d, error %q, asked %q with limit %d, removed %v, printed\n%s", x.args, code, text,
				f.asked.Filter, f.asked.Limit, f.removed, out.String())
		}
	}
}

// TestNoHistoryFlag holds that every command that records can leave no history, and
// that the flag is the setting's opposite.
func TestNoHistoryFlag(t *testing.T) {
	each(New(Actions{}, "v1"), func(c *cobra.Command) {
		if fs := c.Flags(); fs.Lookup("model") != nil && fs.Lookup("record") != nil && fs.Lookup("no-history") == nil {
			t.Errorf("%s keeps a history always", c.CommandPath())
		}
	})
	for arg, want := range map[string]string{"": "", "--no-history": "false"} {
		testkit.Is(t, asked(t, strings.Fields(arg)...).Changed()["history"], want, arg, "history")
	}
}
