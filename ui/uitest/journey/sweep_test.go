//go:build !windows

package journey

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sweepDoc is what these tests read of `tokscope sweep --json`.
type sweepDoc struct {
	Schema  string
	Summary string
	Planned int `json:"steps_planned"`
	Stopped string
	Fault   *struct{ Kind string }
	Points  []struct {
		Users     int
		Asked     *float64 `json:"rate_asked_per_s"`
		Ended     int      `json:"ended_well"`
		Failed    int
		Resumed   bool
		Speed     *float64 `json:"speed_tok_per_s"`
		Total     *float64 `json:"throughput_tok_per_s"`
		GoodShare *float64 `json:"goodput_share"`
	}
	Handover []struct{ Tool, Command string }
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

// The embedded endpoint, from the flags to the document: what each has falls
// or stays, what all have rises.
func TestSweepHeadless(t *testing.T) {
	t.Parallel()
	args := append([]string{"sweep", "--users", "1,4", "--duration", "2s", "--slo", "ttft=5s", "--json"}, tiny...)
	stdout, stderr, code := command(t, nil, "", args...)
	if code != 0 && code != 3 || stderr != "" {
		t.Fatalf("exit code %d, stderr %q", code, stderr)
	}
	doc := readSweep(t, stdout)
	if len(doc.Points) != 2 || doc.Points[0].Users != 1 || doc.Points[1].Users != 4 || doc.Planned != 2 {
		t.Fatalf("%+v", doc)
	}
	for _, p := range doc.Points {
		if p.Ended == 0 || p.Failed != 0 || p.Speed == nil || p.Total == nil || p.GoodShare == nil {
			t.Errorf("at %d users: %+v", p.Users, p)
		}
	}
	if a, b := doc.Points[0].Total, doc.Points[1].Total; a != nil && b != nil && *b <= *a {
		t.Errorf("four users have %v tok/s aggregate, one has %v", *b, *a)
	}
	if !strings.Contains(doc.Summary, "4 users: ") && !strings.Contains(doc.Summary, "1 user: ") || len(doc.Handover) != 3 {
		t.Errorf("summary %q, %d command lines", doc.Summary, len(doc.Handover))
	}
}

// A sweep that is killed in the middle of a step goes on where it was.
func TestSweepResumesAfterAKill(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "steps")
	args := append([]string{"sweep", "--users", "1,2,4", "--requests", "4", "--resume", file, "--json"}, tiny...)
	cmd := exec.Command(built(t), args...)
	cmd.Env = environment(t.TempDir())
	must(t, cmd.Start())
	// A head, a run and a step are three lines: then the second step is under way.
	for limit := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		data, err := os.ReadFile(file)
		if err == nil && bytes.Count(data, []byte("\n")) >= 3 {
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("no step was kept: %q, %v", data, err)
		}
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	kept, err := os.ReadFile(file)
	must(t, err)

	stdout, stderr, code := command(t, nil, "", args...)
	if code != 0 {
		t.Fatalf("exit code %d, stderr %q", code, stderr)
	}
	doc := readSweep(t, stdout)
	if len(doc.Points) != 3 || !doc.Points[0].Resumed || doc.Points[2].Resumed {
		t.Fatalf("%+v", doc.Points)
	}
	whole, err := os.ReadFile(file)
	must(t, err)
	if !bytes.HasPrefix(whole, kept[:bytes.LastIndexByte(kept, '\n')+1]) || bytes.Count(whole, []byte("\n")) != 6 {
		t.Errorf("the file was not only appended to:\n%s", whole)
	}

	// Everything is there now: nothing is sent, the same comes out.
	again, _, code := command(t, nil, "", args...)
	for i, p := range readSweep(t, again).Points {
		if !p.Resumed || p.Ended != doc.Points[i].Ended {
			t.Errorf("step %d: %+v, was %+v", i, p, doc.Points[i])
		}
	}
	if code != 0 {
		t.Errorf("exit code %d", code)
	}

	_, stderr, code = command(t, nil, "", append(args, "--shared-prefix")...)
	if code != 2 || !strings.Contains(stderr, "shared_prefix") {
		t.Errorf("another sweep with the same file: exit code %d, %q", code, stderr)
	}
}

// Of three sweeps with one file one runs. The others end with exit code 2 and
// the name of the first, and change no byte. A killed sweep blocks nobody.
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
	for pid, cmd := range running {
		for _, e := range refused {
			if e.code != 2 || !strings.Contains(e.stderr, "is in use by another program") {
				t.Errorf("exit code %d, %q; want 2", e.code, e.stderr)
			}
		}
		data, err := os.ReadFile(file)
		if lines := bytes.Split(data, []byte("\n")); err != nil || len(lines) != 3 || !bytes.Contains(lines[1], fmt.Appendf(nil, `"pid":%d,`, pid)) {
			t.Errorf("want a head and one run in the file, have %q, %v", data, err)
		}
		must(t, cmd.Process.Kill())
		<-exits
	}
	if _, stderr, code := command(t, nil, "", append([]string{"sweep", "--users", "1", "--requests", "3", "--resume", file}, tiny...)...); code != 2 || !strings.Contains(stderr, "of another sweep") {
		t.Errorf("after a kill: exit code %d, %q; want the file's own words", code, stderr)
	}
}

// Ctrl-C prints the finished steps.
func TestSweepInterrupted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "steps")
	cmd := exec.Command(built(t), append([]string{"sweep", "--users", "1,2", "--duration", "1m", "--requests", "3", "--resume", file}, tiny...)...)
	// Two bounds are one too many: said at once.
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "exclude each other") {
		t.Errorf("%v: %s", err, out)
	}
	cmd = exec.Command(built(t), append([]string{"sweep", "--users", "1,64", "--requests", "3", "--think", "1h", "--resume", file}, tiny...)...)
	cmd.Env = environment(t.TempDir())
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	must(t, cmd.Start())
	// With an hour between a user's requests no step ever ends by itself.
	for limit := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if data, err := os.ReadFile(file); err == nil && len(data) > 0 {
			break
		}
		if time.Now().After(limit) {
			t.Fatal("it never began")
		}
	}
	must(t, cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
	for _, want := range []string{"0 of 2 finished", "interrupted"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("%q is missing in %q", want, stdout.String())
		}
	}
}

// At a terminal a line tells how far it is, and is gone when the table comes.
func TestSweepProgress(t *testing.T) {
	t.Parallel()
	s := start(t, 160, 40, nil, append([]string{"sweep", "--users", "1,2", "--duration", "2s"}, tiny...)...)
	s.until("step 1 of 2: 1 user")
	s.until("tok/s aggregate; 1 user", "elsewhere")
	s.exits(0)
	if strings.Contains(s.screen(), "step 2 of 2") {
		t.Error("the progress line was left behind")
	}
}

// Load on somebody else's machine wants a yes, and never shows the key.
func TestSweepAsksFirst(t *testing.T) {
	t.Parallel()
	env := []string{"OPENAI_BASE_URL=https://llm.invalid/v1", "OPENAI_API_KEY=" + apiKey}
	_, stderr, code := command(t, env, "", "sweep", "-m", "m", "--users", "1,8")
	if code != 2 || !strings.Contains(stderr, "--yes") || !strings.Contains(stderr, "tokens") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	hidesKey(t, "stderr", stderr)
	stdout, _, code := command(t, env, "", "sweep", "-m", "m", "--users", "1,8", "--handover")
	if code != 0 || !strings.Contains(stdout, "vllm bench serve") || !strings.Contains(stdout, "guidellm run") || !strings.Contains(stdout, "aiperf profile") {
		t.Errorf("exit code %d, %q", code, stdout)
	}
	hidesKey(t, "stdout", stdout)

	// At a terminal it is asked, and no means no.
	s := start(t, 160, 30, env, "sweep", "-m", "m", "--users", "1,8")
	s.until("8 users", "[y/N]")
	s.keys("n", "\r")
	s.exits(2)
}

// Servers that refuse or fail: the exit code says so, and the sweep ends.
func TestSweepTrouble(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		responses, kind string
		code            int
	}{{"unauthorized", "auth", 4}, {"6 tokens @ 2ms; cut", "truncated", 1}} {
		env := serve(t, x.responses)
		stdout, stderr, code := command(t, env, "", append([]string{"sweep", "-m", "m", "--users", "1,2", "--duration", "3s", "--json"}, tiny...)...)
		if code != x.code {
			t.Errorf("%s: exit code %d, want %d; stderr %q", x.responses, code, x.code, stderr)
		}
		doc := readSweep(t, stdout)
		if len(doc.Points) > 1 || doc.Fault == nil || doc.Fault.Kind != x.kind || doc.Stopped == "" {
			t.Errorf("%s: %+v", x.responses, doc)
		}
		hidesKey(t, "stdout", stdout)
		hidesKey(t, "stderr", stderr)
	}
}
