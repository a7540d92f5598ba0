//go:build !windows

package journey

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// sweepDoc is what these tests read of `tokscope sweep --json`.
type sweepDoc struct {
	Points []struct {
		Ended   int `json:"ended_well"`
		Resumed bool
	}
}

func readSweep(t *testing.T, stdout string) sweepDoc {
	t.Helper()
	fits(t, "sweep-v1", stdout)
	var doc sweepDoc
	must(t, json.Unmarshal([]byte(stdout), &doc))
	return doc
}

// tiny are flags that make a step short: answers of twenty tokens.
var tiny = []string{"--output-tokens", "20", "--record=false"}

// A sweep that is killed in the middle of a step goes on where it was.
func TestSweepResumesAfterAKill(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "steps")
	args := append([]string{"sweep", "--users", "1,2,4", "--requests", "4", "--resume", file, "--json"}, tiny...)
	cmd := exec.Command(built(t), args...)
	cmd.Env = environment(t.TempDir())
	must(t, cmd.Start())
	// A head and a step are two lines: then the second step is under way.
	for limit := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		data, err := os.ReadFile(file)
		if err == nil && bytes.Count(data, []byte("\n")) >= 2 {
			break
		}
		testkit.Given(t, !time.Now().After(limit), "no step was kept: %q, %v", data, err)
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	kept := testkit.Must(os.ReadFile(file))(t)

	stdout, stderr, code := command(t, nil, "", args...)
	testkit.Need(t, code, 0, "exit code, stderr", stderr)
	doc := readSweep(t, stdout)
	testkit.Given(t, len(doc.Points) == 3 && doc.Points[0].Resumed && !doc.Points[2].Resumed, "%+v", doc.Points)
	whole := testkit.Must(os.ReadFile(file))(t)
	if !bytes.HasPrefix(whole, kept[:bytes.LastIndexByte(kept, '\n')+1]) || bytes.Count(whole, []byte("\n")) != 4 {
		t.Errorf("the file was not only appended to:\n%s", whole)
	}

	// Everything is there now: nothing is sent, the same comes out.
	again, _, code := command(t, nil, "", args...)
	for i, p := range readSweep(t, again).Points {
		if !p.Resumed || p.Ended != doc.Points[i].Ended {
			t.Errorf("step %d: %+v, was %+v", i, p, doc.Points[i])
		}
	}
	testkit.Is(t, code, 0, "exit code")

	_, stderr, code = command(t, nil, "", append(args, "--shared-prefix")...)
	testkit.That(t, code == 2 && strings.Contains(stderr, "shared_prefix"),
		"another sweep with the same file: exit code %d, %q", code, stderr)
}

// Of three sweeps with one file one runs. The others end with exit code 2, and
// change no byte. A killed sweep blocks nobody.
func TestSweepsWithOneFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "steps")
	// With an hour between a user's requests no step ends by itself.
	args := append([]string{"sweep", "--users", "1,64", "--requests", "3", "--think", "1h", "--resume", file}, tiny...)
	type exit struct {
		pid, code int
		stderr    string
	}
	exits := make(chan exit, 3)
	running := map[int]*exec.Cmd{}
	for range 3 {
		cmd := exec.Command(built(t), args...)
		cmd.Env = environment(t.TempDir())
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		must(t, cmd.Start())
		running[cmd.Process.Pid] = cmd
		go func() {
			_ = cmd.Wait()
			exits <- exit{cmd.Process.Pid, cmd.ProcessState.ExitCode(), stderr.String()}
		}()
	}
	var refused []exit
	for range 2 {
		select {
		case e := <-exits:
			delete(running, e.pid)
			refused = append(refused, e)
		case <-time.After(patience):
			t.Fatal("three sweeps use one file")
		}
	}
	for _, cmd := range running {
		for _, e := range refused {
			testkit.That(t, e.code == 2 && strings.Contains(e.stderr, "is in use by another program"),
				"exit code %d, %q; want 2", e.code, e.stderr)
		}
		if data, err := os.ReadFile(file); err != nil || bytes.Count(data, []byte("\n")) != 1 {
			t.Errorf("want a head alone in the file, have %q, %v", data, err)
		}
		must(t, cmd.Process.Kill())
		<-exits
	}
	if _, stderr, code := command(t, nil, "", append([]string{"sweep", "--users", "1", "--requests", "3", "--resume",
		file}, tiny...)...); code != 2 || !strings.Contains(stderr, "of another sweep") {
		t.Errorf("after a kill: exit code %d, %q; want the file's own words", code, stderr)
	}
}
