package session_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/session"
)

// TestStampsIntoAFIFO checks that each request comes out of a FIFO when it ends,
// and that a reader that stops loses what no longer fits, with an error.
func TestStampsIntoAFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stamps")
	if !mkfifo(t, path) {
		t.Skip("this system has no FIFOs")
	}
	reader, err := os.OpenFile(path, os.O_RDWR, 0) // reading alone would wait for a writer
	testkit.OK(t, err)
	defer func() { _ = reader.Close() }()
	d := testkit.Must(session.NewStampDump(path))(t)
	lines := bufio.NewReader(reader)
	for id := 1; id < 4; id++ {
		v := metrics.Stream{ID: id, State: metrics.Done, Marks: metrics.NewMarks(),
			Chunks: []metrics.Chunk{{At: 1000, User: 1040, Read: 3}}}
		d.Ended(v)
		text, err := lines.ReadString('\n') // before the next one ends
		var l session.StampLine
		if err == nil {
			err = json.Unmarshal([]byte(text), &l)
		}
		testkit.That(t, err == nil && l.ID == id && len(l.At) == 1 && l.At[0] == 1000 && l.Late[0] == 40,
			"request %d comes out as %q, %v", id, text, err)
	}
	testkit.Is(t, d.Close(), nil)
	d, err = session.NewStampDump(path)
	testkit.OK(t, err)
	big := metrics.Stream{State: metrics.Done, Marks: metrics.NewMarks(), Chunks: make([]metrics.Chunk, 400)}
	for range 6000 { // more than wait, and more than the pipe holds
		d.Ended(big)
	}
	go func() { _, _ = lines.WriteTo(io.Discard) }()
	testkit.Refuses(t, d.Close(), "are left out: the reader is too slow")
}
