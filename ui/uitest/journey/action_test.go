//go:build !windows

package journey

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

const action = "../../../.github/actions/probe"

// steps are the scripts of the action: what stands behind each run.
func steps(t *testing.T) (scripts []string) {
	data := testkit.Must(os.ReadFile(filepath.Join(action, "action.yml")))(t)
	lines, indent := strings.Split(string(data), "\n"), ""
	for i := 0; i < len(lines); i++ {
		at := strings.Index(lines[i], "run: ")
		if at < 0 {
			continue
		}
		script := lines[i][at+len("run: "):]
		if script == "|" {
			script, indent = "", strings.Repeat(" ", at+2)
			for ; i+1 < len(lines) && (lines[i+1] == "" || strings.HasPrefix(lines[i+1], indent)); i++ {
				script += strings.TrimPrefix(lines[i+1], indent) + "\n"
			}
		}
		scripts = append(scripts, script)
	}
	return scripts
}

// runner runs scripts of the action as GitHub's runner does, in a folder of its own.
type runner struct {
	t          *testing.T
	dir, state string
	bash       string
}

func newRunner(t *testing.T) runner {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	return runner{t, t.TempDir(), t.TempDir(), bash}
}

// run returns the exit code of script, the summary that it wrote, and what it printed.
func (r runner) run(script string, env ...string) (code int, summary, printed string) {
	r.t.Helper()
	file, page := filepath.Join(r.dir, "step.sh"), filepath.Join(r.dir, "summary.md")
	must(r.t, os.WriteFile(file, []byte(script), 0o600))
	must(r.t, os.WriteFile(page, nil, 0o600))
	path := testkit.Must(filepath.Abs(action))(r.t)
	cmd := exec.Command(r.bash, "--noprofile", "--norc", "-e", "-o", "pipefail", file)
	cmd.Dir = r.dir
	cmd.Env = append(environment(r.state, "RUNNER_TEMP="+r.dir, "GITHUB_ACTION_PATH="+path, "GITHUB_STEP_SUMMARY="+page),
		env...)
	out, err := cmd.CombinedOutput()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		r.t.Fatal(err)
	}
	text := testkit.Must(os.ReadFile(page))(r.t)
	return cmd.ProcessState.ExitCode(), string(text), string(out)
}

// serves starts the embedded endpoint at that speed and returns its URL.
func (r runner) serves(speed string) string {
	cmd := exec.Command(filepath.Join(r.dir, "tokscope"), "serve", "--addr", "127.0.0.1:0", "--model", "llama-3.1-8b",
		"--hardware", "h100", "--speed", speed)
	cmd.Env = environment(r.state)
	out := testkit.Must(cmd.StdoutPipe())(r.t)
	must(r.t, cmd.Start())
	r.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	url := testkit.Must(bufio.NewReader(out).ReadString('\n'))(r.t)
	return strings.TrimSpace(url)
}

// TestActionIsAScript checks what needs no time: bash reads each step, and no input
// stands in its text, where it could be a command.
func TestActionIsAScript(t *testing.T) {
	r := newRunner(t)
	scripts := steps(t)
	testkit.Need(t, len(scripts), 2, "steps", scripts)
	for _, script := range scripts {
		code, _, printed := r.run("bash -n <<'END'\n" + script + "\nEND\n")
		testkit.That(t, code == 0 && !strings.Contains(script, "${{"), "exit code %d: %s\n%s", code, printed, script)
	}
	data := testkit.Must(os.ReadFile(filepath.Join(action, "action.yml")))(t)
	uses := regexp.MustCompile(`(?m)^ *(?:- )?uses:.*`).FindAllString(string(data), -1)
	testkit.That(t, len(uses) == 0, "it needs nothing of others: %q", uses)
}

// TestAction builds and runs the program as the action does: a baseline, an equal
// server, one that is a quarter as fast, and what a person gets wrong.
func TestAction(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	probetest.TakesTime(t, "the built program runs in real time")
	scripts := steps(t)
	if code, _, printed := r.run(scripts[0], os.Environ()...); code != 0 {
		t.Fatalf("build: %d %s", code, printed)
	}
	same, slow := r.serves("1"), r.serves("0.25")
	for _, c := range []struct {
		env     string // a line for each variable
		code    int
		summary []string // "!" before what it has not
	}{
		{"TARGET=" + same + "\nRESULT=baseline.json", 0, nil},
		{"TARGET=" + same + "\nBASELINE=baseline.json", 0, []string{"| TPOT ", "1.4x: not met", "50%: not met"}},
		{"TARGET=" + slow + "\nBASELINE=baseline.json", 3, []string{"| TPOT ", "1.4x: met"}},
		{"TARGET=" + slow + "\nBASELINE=baseline.json\nFAIL_IF=", 0, []string{"| TPOT ", "higher"}},
		{"TARGET=" + same + "\nBASELINE=baseline.json\nARGS=-n 8 --max-tokens 24 --slo ttft=1ns", 3, []string{"TPOT"}},
		{"TARGET=" + same + "\nBASELINE=baseline.json\nARGS=-n 8 --max-tokens 12", 2, nil},
		{"TARGET=" + same + "\nBASELINE=baseline.json\nARGS=-n 8 --max-tokens 12\nALLOW=workload", 0, []string{"TTFT"}},
		{"TARGET=" + same + "\nBASELINE=no-such.json", 2, nil},
		{"TARGET=" + same + "\nBASELINE=baseline.json\nFAIL_IF=tpot over the hills", 2, nil},
		{"TARGET=http://127.0.0.1:1/v1\nBASELINE=baseline.json\nARGS=-n 1 -m m", 5, nil},
		{"TARGET=$(touch hostile)\nBASELINE=`touch hostile`\nARGS=-n 1; touch hostile", 2, nil},
		{"TARGET=$(touch hostile)", 4, nil},
		{"TARGET=--help\nBASELINE=baseline.json", 4, nil},
		{"TARGET=" + same + "\nBASELINE=baseline.json\nAPI_KEY_ENV=NOT_SET_HERE", 4, nil},
	} {
		env := append([]string{"ARGS=-n 8 --max-tokens 24", "FAIL_IF=\ntpot > 1.4x\n\nfailures > 50%\n", "RESULT=new.json",
			"API_KEY_ENV=", "ALLOW=", "BASELINE="}, strings.Split(c.env, "\n")...)
		code, summary, printed := r.run(scripts[1], env...)
		wrong := code != c.code || len(c.summary) == 0 && summary != ""
		for _, words := range c.summary {
			unwanted, not := strings.CutPrefix(words, "!")
			wrong = wrong || strings.Contains(summary, unwanted) == not
		}
		testkit.That(t, !wrong,
			"%s\nexit code %d, want %d, summary with %q:\n%s\nprinted:\n%s", c.env, code, c.code, c.summary, summary, printed)
	}
	found, _ := filepath.Glob(filepath.Join(r.dir, "hostile*"))
	testkit.That(t, len(found) == 0, "an input was run")
}
