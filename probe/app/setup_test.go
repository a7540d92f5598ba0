package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
)

// TestNamedConfiguration checks that a named file must exist, and that the
// file in the usual place may be missing.
func TestNamedConfiguration(t *testing.T) {
	dir := t.TempDir()
	env := func(name string) string {
		if name == "XDG_CONFIG_HOME" {
			return dir
		}
		return ""
	}
	if _, _, err := Configuration("", nil, env); err != nil {
		t.Errorf("nothing in the usual place: %v", err)
	}
	missing := filepath.Join(dir, "typo.toml")
	_, _, err := Configuration(missing, nil, env)
	var f *metrics.Fault
	testkit.That(t, errors.As(err, &f) && f.Kind == metrics.FaultConfig && strings.Contains(err.Error(), missing),
		"a named file that does not exist: %v, want a fault of the configuration that names it", err)
	named := filepath.Join(dir, "mine.toml")
	testkit.OK(t, os.WriteFile(named, []byte("[defaults]\nrequests = 7\n"), 0o600))
	if _, s, err := Configuration(named, nil, env); err != nil || s.Int("defaults.requests") != 7 {
		t.Errorf("a named file: %d requests, %v", s.Int("defaults.requests"), err)
	}
}

// TestConnectionOfTheTarget checks that the ending of a target sets the
// connection, also on the embedded endpoint, and must not contradict a flag.
func TestConnectionOfTheTarget(t *testing.T) {
	open := func(target string, changed map[string]string) (*App, error) {
		return Open(t.Context(), CommandLine{Target: target, Changed: changed,
			Env: func(n string) string { return map[string]string{"XDG_CONFIG_HOME": t.TempDir()}[n] }})
	}
	off := map[string]string{"record": "false"}
	a := testkit.Must(open("demo+cold+direct", off))(t)
	defer func() { _ = a.Close() }()
	got := a.Settings.String("defaults.connection")
	testkit.That(t, got == "cold" && a.Target.Direct && a.Target.URL != "", "connection %q, target %+v", got, a.Target)
	_, err := open("demo+cold", map[string]string{"record": "false", "connection": "warm"})
	testkit.That(t, err != nil && strings.Contains(err.Error(), "--warm is given"), "a contradiction: %v", err)
}

// TestAClaimIsAboutTheTarget checks that what flags say is said of the target that they
// came with, the embedded endpoint too, and of no other.
func TestAClaimIsAboutTheTarget(t *testing.T) {
	a := testkit.Must(Open(t.Context(), CommandLine{Target: "demo", Changed: map[string]string{"record": "false"},
		Flags: endpoint.Flags{Machine: "2xh100", ModelSize: "llama-3.1-8b"},
		Env:   func(n string) string { return map[string]string{"XDG_CONFIG_HOME": t.TempDir()}[n] }}))(t)
	defer func() { _ = a.Close() }()
	c := a.Target.Claim
	testkit.That(t, c != nil && c.Machine == "2 x H100" && c.Bandwidth == 6700, "the target: %+v", c)
	testkit.Is(t, testkit.Must(a.Resolver.Resolve("http://127.0.0.1:9/v1"))(t).Claim, nil, "another")
}

// TestAFailedSetupLeavesNothing checks that a target that cannot be resolved leaves no dump of
// stamps behind.
func TestAFailedSetupLeavesNothing(t *testing.T) {
	dump := filepath.Join(t.TempDir(), "stamps")
	_, err := Open(t.Context(), CommandLine{Target: "no-such-target", Changed: map[string]string{"record": "false"},
		Env: func(n string) string { return map[string]string{"XDG_CONFIG_HOME": t.TempDir(), StampsEnv: dump}[n] }})
	_, there := os.Stat(dump)
	testkit.That(t, err != nil && there != nil, "%v, and a dump: %v", err, there == nil)
}
