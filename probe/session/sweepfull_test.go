package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
)

// halfDisk writes half of what it is given, and then the disk is full.
type halfDisk struct{ f *os.File }

func (d halfDisk) Write(p []byte) (int, error) {
	n, _ := d.f.Write(p[:len(p)/2])
	return n, &os.PathError{Op: "write", Path: d.f.Name(), Err: syscall.ENOSPC}
}

// A step that did not fit on the disk leaves no half line, and is written
// with the next one once there is room.
func TestSweepFileOnAFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "steps")
	f := testkit.Must(OpenSweep(path, "test", time.Unix(0, 0), SweepKey{}))(t)
	add := func(users int) error {
		return f.Add(users, 0, &loadstat.Point{Users: users, Requests: 1}, metrics.Dist{}, time.Unix(9, 0))
	}
	testkit.OK(t, add(1))
	before := testkit.Must(os.ReadFile(path))(t)
	f.out = halfDisk{f.f}
	for n, users := range []int{2, 4} {
		if err := add(users); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("missing in %s: %d (no space left",
			path, n+1)) {
			t.Errorf("step %d: %v", users, err)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != string(before) {
			t.Errorf("a step that did not fit left %q, %v", now[len(before):], err)
		}
	}
	f.out = f.f
	testkit.OK(t, add(8))
	testkit.OK(t, f.Close())
	g := testkit.Must(OpenSweep(path, "test", time.Unix(0, 0), SweepKey{}))(t)
	defer g.Close()
	for _, users := range []int{1, 2, 4, 8} {
		_, _, ok := g.Have(users, 0)
		testkit.That(t, ok, "step %d is lost", users)
	}
}

// fullDisk takes n writes, and then it is full.
type fullDisk struct{ n int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.n--; d.n < 0 {
		return 0, &os.PathError{Op: "write", Path: "/state/session", Err: syscall.ENOSPC}
	}
	return len(p), nil
}

// A full disk ends no measurement. Each request that is not recorded has a
// note, and the end says once what to do.
func TestSessionFileOnAFullDisk(t *testing.T) {
	f := stuckFile(t, newPipe(), 1<<20)
	f.journal.out.close(time.After(0))
	f.journal.out = newBacklog(&fullDisk{1}, recordingName, 0, 1<<20, 1<<20)
	noted := 0
	for id := 1; id <= 3; id++ {
		v := begun(id)
		f.Begin(v)
		f.Await(time.Minute)
		if n, some := f.Lost(id); some {
			noted++
			if !strings.Contains(n.Text, "no space left on device; free space there, or record elsewhere with --state-dir") {
				t.Errorf("request %d has the note %q", id, n.Text)
			}
		}
		v.State = metrics.Done
		Finish(f, v)
		f.Await(time.Minute)
	}
	testkit.That(t, noted != 0, "nobody says that the recording is not whole")
	err := f.Close()
	testkit.That(t, errors.Is(err, syscall.ENOSPC) && strings.Count(err.Error(), "no space left") == 1, "%v", err)
}
