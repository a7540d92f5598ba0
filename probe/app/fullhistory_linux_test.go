package app_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/app"
	stored "tokscope/probe/history"
)

// probeEnv makes the test binary one `tokscope probe -n 1` with its state in that folder.
const probeEnv = "TOKSCOPE_TEST_PROBE"

func init() {
	if dir := os.Getenv(probeEnv); dir != "" {
		oneProbe(dir)
		os.Exit(0)
	}
}

func oneProbe(dir string) {
	app.BoundHeap() // as main does
	ctx := context.Background()
	a, err := app.Open(ctx, app.CommandLine{Version: "test", Changed: map[string]string{"state-dir": dir,
		"record": "false", "history": "true"},
		Env: func(n string) string { return map[string]string{"XDG_CONFIG_HOME": dir}[n] }})
	if err == nil {
		a.Probe(ctx, loadstat.ProbePlan{Work: shortWork, Requests: 1, Concurrency: 1})
		err = a.Close()
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// TestThousandProbesOnAFullHistory runs a thousand short commands on a history of 128 MB
// without an index, of which every tenth is killed at a random moment: time, memory and
// files stay bounded, and no acknowledged entry is lost but to the bound.
func TestThousandProbesOnAFullHistory(t *testing.T) {
	if !testkit.Long() {
		t.Skip("it takes minutes: TOKSCOPE_LONG=1")
	}
	const runs = 1000
	dir := t.TempDir()
	store := testkit.Must(stored.Open(stored.Dir(dir)))(t)
	now := time.Now().UTC()
	random := rand.New(rand.NewPCG(5, 6))
	const full = 160_000
	var batch []history.Entry
	for i := range full {
		at := now.Add(-time.Duration(full-i) * 3 * time.Minute)
		e := history.Entry{ID: fmt.Sprintf("%012x%020x", at.Sub(time.Unix(0, 0)).Milliseconds(), i), At: at,
			Kind: history.Probe, Group: "g", State: metrics.Done, N: 1, Version: "v1",
			Series: history.Series{Machine: "m", Endpoint: fmt.Sprint("endpoint", i%10), URL: "https://x.example/v1",
				Model: "m", Workload: "chat", MaxTokens: 200, Proto: "HTTP/1.1", Users: 1}}
		for f := range e.Figures {
			e.Figures[f] = metrics.Known(100+10*random.NormFloat64(), 1)
		}
		if batch = append(batch, e); len(batch) == 10_000 {
			testkit.OK(t, store.Append(batch...))
			batch = batch[:0]
		}
	}
	size := func(name string) (n int64) {
		if info, err := os.Stat(filepath.Join(stored.Dir(dir), name)); err == nil {
			n = info.Size()
		}
		return n
	}
	if size("history.ndjson") <= stored.MaxBytes {
		t.Fatalf("%d bytes are no full history", size("history.ndjson"))
	}
	var took []time.Duration
	peak, largest, ended := int64(0), int64(0), 0
	for i := range runs {
		if d, ok := t.Deadline(); ok && time.Until(d) < 20*time.Second {
			t.Logf("only %d runs within the time of the test", i)
			break
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), probeEnv+"="+dir)
		began := time.Now()
		if i%10 == 9 {
			testkit.OK(t, cmd.Start())
			time.Sleep(time.Duration(random.Int64N(int64(400 * time.Millisecond))))
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		} else if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("run %d: %v\n%s", i, err, out)
		} else {
			ended++
		}
		took = append(took, time.Since(began))
		peak = max(peak, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
		if entries, err := os.ReadDir(stored.Dir(dir)); err == nil {
			sum := int64(0)
			for _, e := range entries {
				sum += size(e.Name())
			}
			largest = max(largest, sum)
		}
	}
	fresh := testkit.Must(stored.Open(stored.Dir(dir)))(t)
	v := testkit.Must(fresh.View(history.Query{Limit: 1}))(t)
	t.Logf("first runs %v, last runs %v; peak RSS %d MB; file %d MB, index %d MB, folder at most %d MB; %d entries, %d "+
		"left out",
		took[:4], took[len(took)-4:], peak>>10, size("history.ndjson")>>20, size("index")>>20, largest>>20, v.All, v.LeftOut)
	if size("history.ndjson") > stored.MaxBytes || size("index") == 0 || largest > 3*stored.MaxBytes ||
		peak > 160<<10 {
		t.Error("not within its bounds")
	}
	if n := v.All + v.LeftOut - full; n < ended || n > len(took) || v.Damaged > runs/10 {
		t.Errorf("%d of %d entries of ended commands are there or counted, %d damaged lines", n, ended, v.Damaged)
	}
}
