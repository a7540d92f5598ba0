//go:build !windows

package journey

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// apiKey is sent to every server below; several of them echo it.
const apiKey = "sk-journey-4f1c9a7e55d2b8"

// serve starts the scripted endpoint and returns the environment that points
// tokscope to it with the key.
func serve(t *testing.T, text string) []string {
	t.Helper()
	srv := testkit.Must(probetest.Listen(probetest.Options{}))(t)
	t.Cleanup(srv.Close)
	return []string{"OPENAI_BASE_URL=" + srv.URL(text), "OPENAI_API_KEY=" + apiKey, "TOKSCOPE_DISCOVER=false"}
}

// A picture of the screen holds no key and no escape sequence, also where the
// server echoes the key and sends sequences.
func TestAPictureHidesTheKey(t *testing.T) {
	t.Parallel()
	for _, says := range []string{
		`say "your key is ` + apiKey + ` \u001b[2J\u001b]0;owned\u0007 <b>&amp;"; usage`,
		"unauthorized",
	} {
		s := start(t, 120, 40, serve(t, says), "--model", "m")
		s.until("again")
		s.do("S > saved  | -live.svg and .txt")
		s.keys("q")
		s.exit()
		found := 0
		for path, data := range s.recordings() {
			hidesKey(t, path, data)
			if !strings.HasPrefix(filepath.Base(path), "screen-") {
				continue
			}
			found++
			testkit.That(t, !strings.ContainsAny(data, "\x1b\a") && strings.Contains(data, "tokscope"),
				"%s holds an escape sequence, or no screen:\n%s", path, data)
		}
		testkit.Is(t, found, 2, "files of the screen")
	}
}

// What this machine cannot hold is said before anything is sent, with the next step, and
// the exit code is that of the configuration. (That a limit reached on the way is this
// machine's and not the server's fault is tested in probe/transport.)
func TestTooManyOpenFiles(t *testing.T) {
	t.Parallel()
	server := testkit.Must(probetest.Spawn(probetest.Options{}))(t)
	defer server.Close()
	url := server.URL("prefill 1s; 5 tokens @ 1ms")
	cmd := exec.Command("sh", "-c", `ulimit -n 24; exec "$0" "$@"`, built(t), "probe", url, "-m", "m", "-n", "40", "-c",
		"40", "--record=false", "--json")
	cmd.Env = environment(t.TempDir())
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	code := cmd.ProcessState.ExitCode()
	testkit.That(t, code == 4, "exit code %d, stderr %q", code, errs.String())
	testkit.That(t, regexp.MustCompile(`^tokscope: 40 .* may open 24: .*ulimit -n \d+`).Match(errs.Bytes()) && out.Len() == 0,
		"stdout %q, stderr %q", out.String(), errs.String())
}
