package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestStampDump checks that the variable stores the stamps of every request
// at the end, also of requests without sinks.
func TestStampDump(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "stamps")
	env := map[string]string{StampsEnv: path, "XDG_CONFIG_HOME": dir, "XDG_STATE_HOME": dir}
	open := func() (*App, error) {
		return Open(context.Background(), CommandLine{Env: func(k string) string { return env[k] },
			Changed: map[string]string{"record": "false"}})
	}
	a := testkit.Must(open())(t)
	w := metrics.Workload{Prompt: "hello", MaxTokens: 3}
	<-a.Engine.Start(context.Background(), a.Target, w).Done()
	<-a.Engine.StartQuiet(context.Background(), a.Target, w).Done()
	testkit.OK(t, a.Close())
	text := testkit.Must(os.ReadFile(path))(t)
	n := strings.Count(string(text), `"state":"done"`)
	testkit.That(t, n == 2, "%d requests of 2 in the dump:\n%s", n, text)
	env[StampsEnv] = filepath.Join(dir, "missing", "stamps")
	var fault *metrics.Fault
	_, err := open()
	testkit.That(t, errors.As(err, &fault) && fault.Kind == metrics.FaultConfig, "%v for a folder that is not there", err)
}
