package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// defaults.record is true, false or raw, in the file, the environment and the flag.
func TestRecordSetting(t *testing.T) {
	for file, want := range map[string]string{"true": "true", "false": "false", `"raw"`: RecordRaw, `"some"`: "",
		"3": ""} {
		path := filepath.Join(t.TempDir(), "config.toml")
		testkit.OK(t, os.WriteFile(path, []byte("[defaults]\nrecord = "+file+"\n"), 0o600))
		c, err := Load(path)
		var s Settings
		if err == nil {
			s, err = c.Settings(nil, func(string) string { return "" })
		}
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), "must be true, false or raw") || !strings.Contains(err.Error(),
				"config.toml:2") {
				t.Errorf("record = %s: %v", file, err)
			}
			continue
		}
		testkit.That(t, err == nil && s.String("defaults.record") == want && s.Bool("defaults.record") == (want == "true"),
			"record = %s: %q, %v", file, s.String("defaults.record"), err)
	}
	var none *Config
	s, err := none.Settings(map[string]string{"record": "raw"}, func(string) string { return "" })
	testkit.That(t, err == nil && s.String("defaults.record") == RecordRaw,
		"the flag: %q, %v", s.String("defaults.record"), err)
	if _, err := none.Settings(map[string]string{"record": "all"}, func(string) string { return "" }); err == nil {
		t.Error("--record=all was taken")
	}
}
