//go:build !windows

package history

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// TestSabotagedFolder holds that whatever stands under a name of the store, every use of
// it ends soon and in little memory: with an error, or as if the file were not there.
func TestSabotagedFolder(t *testing.T) {
	probetest.TakesTime(t, "ten plants under six names")
	plants := map[string]func(path string) error{
		"a FIFO":                func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a folder":              func(path string) error { return os.MkdirAll(filepath.Join(path, "within"), 0o700) },
		"a link to zeros":       func(path string) error { return os.Symlink("/dev/zero", path) },
		"a link to itself":      func(path string) error { return os.Symlink(filepath.Base(path), path) },
		"nothing":               func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a terabyte of nothing": func(path string) error { return sparse(path, 1<<40) },
		"300 MB of nothing":     func(path string) error { return sparse(path, 300<<20) },
		"a socket":              func(path string) error { return socket(path) },
		"a file without rights": func(path string) error { return os.WriteFile(path, []byte("x"), 0) },
		"an array in an array":  func(path string) error { return os.WriteFile(path, nested(1<<20), 0o600) },
	}
	for what, plant := range plants {
		for _, name := range []string{fileName, indexName, baselinesName, changesName, saltName, "lock"} {
			s := opened(t, t0.Add(time.Hour))
			for n := range 10 {
				add(t, s, sample(n, t0.Add(time.Duration(n)*time.Minute), "groq", 270))
			}
			_ = s.readSalt()
			testkit.OK(t, indexed(s))
			_ = os.Remove(s.path(name))
			if err := plant(s.path(name)); err != nil {
				t.Logf("%s: %v", what, err)
				continue
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			s = openedAt(t, s.dir, t0.Add(time.Hour))
			done := make(chan struct{})
			go func() {
				defer close(done)
				_, _ = s.View(history.Query{})
				_ = s.Append(sample(10, t0.Add(10*time.Minute), "groq", 270))
				_ = s.readSalt()
				_, _ = s.Baselines()
				_, _ = s.SetBaseline("usual", sample(0, t0, "groq", 0).Series, time.Time{}, time.Time{})
				_ = s.Maintain(nil)
				_, _ = s.Prune()
				_, _ = s.Remove(history.Query{Filter: "endpoint:groq", From: t0.Add(9 * time.Minute)})
				_, _ = s.Version()
			}()
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Fatalf("%s as %s: it hangs", what, name)
			}
			runtime.ReadMemStats(&after)
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 64 {
				t.Errorf("%s as %s: %d MB", what, name, used)
			}
			if name != indexName && name != changesName && name != saltName {
				continue
			}
			if v, err := openedAt(t, s.dir, t0.Add(time.Hour)).View(history.Query{}); err != nil || v.All < 9 {
				t.Errorf("%s as %s: %d entries, %v", what, name, v.All, err)
			}
		}
	}
}

func nested(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = '['
	}
	return b
}

func sparse(path string, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return f.Truncate(size)
}

func socket(path string) error {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Close(fd) }()
	return syscall.Bind(fd, &syscall.SockaddrUnix{Name: path})
}

// TestRandomIndex holds that an index of other bytes with a right sum ends nothing, and
// loses nothing that is written later.
func TestRandomIndex(t *testing.T) {
	s := opened(t, t0.Add(time.Hour))
	for n := range 10 {
		add(t, s, sample(n, t0.Add(time.Duration(n)*time.Minute), "groq", 270))
	}
	testkit.OK(t, indexed(s))
	index := testkit.Must(os.ReadFile(s.path(indexName)))(t)
	random := rand.New(rand.NewPCG(7, 8))
	from := bytes.IndexByte(index, '\n')
	for range 300 {
		wrong := append([]byte{}, index[:len(index)-4]...)
		for range 1 + random.IntN(4) {
			wrong[from+random.IntN(len(wrong)-from)] = byte(random.IntN(256))
		}
		sum := sumOf(wrong)
		testkit.OK(t, os.WriteFile(s.path(indexName), append(wrong, sum[:]...), 0o600))
		fresh := openedAt(t, s.dir, t0.Add(time.Hour))
		for _, q := range []history.Query{{}, {Sort: "-ttft", Quantiles: true}, {Filter: "state:done since:1h"}} {
			v := view(t, fresh, q)
			for i := range v.Entries {
				_ = v.Entries[i].State.String()
			}
		}
		testkit.OK(t, fresh.Maintain(nil))
	}
}
