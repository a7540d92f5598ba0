package journey

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Results that cannot be written are an error: exit code 1, and one line that
// says why and what to do.
func TestFullDiskBehindStdout(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	must(t, err)
	defer full.Close()
	one := []string{"-n", "1", "--max-tokens", "5", "--record=false"}
	for _, args := range [][]string{
		append([]string{"probe"}, one...), append([]string{"probe", "--json"}, one...), append([]string{"probe", "--ndjson"},
			one...),
		append([]string{"probe", "--lens", "chat"}, one...), {"--plain", "--max-tokens", "5", "--record=false"},
		append([]string{"sweep", "--users", "1", "--requests", "2"}, tiny...),
		append([]string{"sweep", "--users", "1", "--requests", "2", "--csv"}, tiny...),
		{"sweep", "--handover"}, {"config", "show"}, {"config", "sample"}, {"tour", "--list"},
	} {
		cmd := exec.Command(built(t), args...)
		cmd.Env = environment(t.TempDir())
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &errs
		_ = cmd.Run()
		said := errs.String()
		if code := cmd.ProcessState.ExitCode(); code != 1 ||
			strings.Count(said, "no space left on device; free space") != 1 || strings.Count(said, "no space left") != 1 {
			t.Errorf("%v: exit code %d, %q", args, code, said)
		}
	}
}
