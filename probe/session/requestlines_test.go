package session

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/result"
)

func createLines(t *testing.T) (*RequestLines, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lines")
	l := testkit.Must(CreateRequestLines(path, "test", time.Unix(0, 0), metrics.Endpoint{Name: "h\x1b[31m",
		URL: "http://h/v1", Model: "m"}))(t)
	return l, path
}

func failedStream() (*metrics.Stream, *metrics.Figures) {
	v := &metrics.Stream{
		ID: 3, State: metrics.Failed, Usage: metrics.NoUsage(), Marks: metrics.NewMarks(),
		Fault: &metrics.Fault{Kind: metrics.FaultReset, Message: strings.Repeat("ü", 400) + "\x1b[31m"},
	}
	f := metrics.Measure(v, metrics.Options{})
	return v, &f
}

// Lines are in the file while the sweep runs: a kill loses a moment.
func TestRequestLinesAreFlushed(t *testing.T) {
	l, path := createLines(t)
	v, f := failedStream()
	l.Add(1, 8, 0, 5, v, f)
	for limit := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		data, err := os.ReadFile(path)
		if err == nil && bytes.Count(data, []byte("\n")) == 2 {
			break
		}
		testkit.Given(t, !time.Now().After(limit), "not written: %q, %v", data, err)
	}
	testkit.OK(t, l.Close())
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v: others can read it", info.Mode(), err)
	}
	data, err := os.ReadFile(path)
	testkit.That(t, err == nil && !bytes.ContainsRune(data, 0x1b), "an escape is in the file: %v, %q", err, data)
	var line RequestLine
	testkit.OK(t, result.Unmarshal(bytes.Split(data, []byte("\n"))[1], &line))
	if line.Fault != "reset" || len(line.Message) > mostMessage || !strings.HasSuffix(line.Message, "ü") ||
		line.TTFT.OK || line.Sent.Known() || line.Users != 8 || line.User != 5 {
		t.Errorf("%+v", line)
	}
}

// Beyond the bound requests are counted, and the error says so.
func TestRequestLinesAreBounded(t *testing.T) {
	l, path := createLines(t)
	l.most = 2
	v, f := failedStream()
	for range 5 {
		l.Add(1, 1, 0, 1, v, f)
	}
	testkit.Refuses(t, l.Close(), "lacks 3 of 5 requests")
	data, err := os.ReadFile(path)
	if err != nil || bytes.Count(data, []byte("\n")) != 4 ||
		!bytes.Contains(data, []byte(`{"type":"end","requests":5,"requests_left_out":3}`)) {
		t.Errorf("%v in\n%s", err, data)
	}
}

// A disk that fails is no silent loss.
func TestRequestLinesOfABrokenFile(t *testing.T) {
	l, path := createLines(t)
	testkit.OK(t, l.f.Close())
	v, f := failedStream()
	l.Add(1, 1, 0, 1, v, f)
	testkit.Refuses(t, l.Close(), path)
}
