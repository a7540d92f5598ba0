package cli

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
)

// saved is a result of 20 requests to a model, whose times are ms; failed of them
// failed.
func saved(model string, ms float64, failed int) *comparison.Sample {
	g := comparison.Group{Setup: comparison.Setup{Model: model, Users: 1}}
	for i := range 20 {
		e := history.Entry{State: metrics.Done, N: 1}
		e.Figures[history.TTFT] = metrics.Known(ms+float64(i), 1)
		if i < failed {
			e.State, e.Failed = metrics.Failed, 1
		}
		g.Add(&e)
	}
	return &comparison.Sample{Kind: comparison.KindProbe, Groups: []comparison.Group{g}}
}

// runCompare runs the command over these results.
func runCompare(t *testing.T, files map[string]*comparison.Sample, args ...string) (string, error) {
	t.Helper()
	read := func(name, _, _ string, _ io.Reader, _ func(string) string) (*comparison.Sample, error) {
		if s := files[name]; s != nil {
			s.Source = name
			return s, nil
		}
		return nil, Usage("open %s: no such file", name)
	}
	write := func(out io.Writer, _ *comparison.Comparison, _ string) error {
		_, err := io.WriteString(out, "{}\n")
		return err
	}
	var out bytes.Buffer
	err := execute(t, Actions{Compare: func(ctx context.Context, o *Compare) error {
		return o.Run(ctx, Console{Out: &out, In: strings.NewReader("")}, read, write)
	}}, append([]string{"compare"}, args...)...)
	return out.String(), err
}

// TestCompareCodes checks output and exit code of the command.
func TestCompareCodes(t *testing.T) {
	files := map[string]*comparison.Sample{
		"a": saved("m", 100, 0), "b": saved("m", 300, 0), "other": saved("n", 100, 0), "failed": saved("m", 100, 20),
		"some": saved("m", 100, 10),
	}
	for _, c := range []struct {
		args string
		code int
		want string // of the output, or of the error
	}{
		{"a b", ExitOK, "TTFT of B is 2.83x that of A (2.74–2.92)."},
		{"a a", ExitOK, "TTFT unchanged within"},
		{"a b --json", ExitOK, "{}\n"},
		{"a b --markdown", ExitOK, "**TTFT of B is"},
		{"a b --fail-if ttft>1.2x", ExitSLO, "ttft.p50 > 1.2x: met: 2.83x (2.74–2.92)"},
		{"a b --fail-if ttft>2.9x", ExitOK, "undecided"},
		{"a b --fail-if ttft>1.2x --json", ExitSLO, "{}\n"},
		{"b a --fail-if ttft>1.2x", ExitOK, "not met: 0.35x"},
		{"b a --fail-if ttft~of~A~>~1.2x~B", ExitSLO, "met: 2.83x"},
		{"a some --fail-if failures>20%", ExitSLO, "failures > 20%: met: 50 % (27–73 %)"},
		{"a failed", ExitFailed, "B failed in 20 of 20 requests, A in 0 of 20"},
		{"a other", ExitUsage, "other model (m and n). Measure both alike, or compare anyway with --allow model"},
		{"a other --allow model", ExitOK, "a difference may come from it"},
		{"a other --allow weather", ExitUsage, "known are model, workload"},
		{"a missing", ExitUsage, "no such file"},
		{"a", ExitUsage, "1 result: give two"},
		{"- -", ExitUsage, "cannot both be read from stdin"},
		{"a b --fail-if ttft>fast", ExitUsage, "write a ratio"},
		{"a b --fail-if ttft~of~groq~>~1.2x", ExitUsage, "has the targets A and B"},
		{"a b --fail-if ttft~>~1.2x~baseline", ExitUsage, "has the targets A and B"},
	} {
		out, err := runCompare(t, files, words(c.args)...)
		if err != nil {
			out += err.Error()
		}
		testkit.That(t, CodeOf(err) == c.code && strings.Contains(out, c.want),
			"%s: code %d, want %d, %q in\n%s", c.args, CodeOf(err), c.code, c.want, out)
	}
}

// TestCompareInterrupted: a side that waits for a pipe ends with the context, and
// output that nobody reads is an error.
func TestCompareInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	block := make(chan struct{})
	defer close(block)
	o := Compare{A: "a", B: "b"}
	err := o.Run(ctx, Console{Out: io.Discard}, func(_, _, _ string, _ io.Reader,
		_ func(string) string) (*comparison.Sample, error) {
		<-block
		return nil, nil
	}, nil)
	testkit.That(t, CodeOf(err) == ExitInterrupted, "interrupted: %v", err)
	read := func(_, _, _ string, _ io.Reader, _ func(string) string) (*comparison.Sample, error) {
		return saved("m", 1, 0), nil
	}
	if err := o.Run(t.Context(), Console{Out: closed{}}, read, nil); CodeOf(err) != ExitFailed {
		t.Errorf("unread: %v", err)
	}
}

// Requests that stand on both sides are refused: a baseline and a range of the
// history overlap easily, and would look more alike than they are.
func TestCompareRefusesTheSameRequests(t *testing.T) {
	a, b := saved("m", 100, 0), saved("m", 300, 0)
	for _, s := range []*comparison.Sample{a, b} {
		for i := range 3 {
			s.Groups[0].Add(&history.Entry{ID: string(rune('a' + i)), State: metrics.Done, N: 1})
		}
	}
	read := func(name, _, _ string, _ io.Reader, _ func(string) string) (*comparison.Sample, error) {
		return map[string]*comparison.Sample{"a": a, "b": b}[name], nil
	}
	err := (&Compare{A: "a", B: "b"}).Run(context.Background(), Console{Out: io.Discard}, read, nil)
	testkit.That(t, CodeOf(err) == ExitUsage && strings.Contains(err.Error(), "3 requests stand on both sides"), "%v", err)
}
