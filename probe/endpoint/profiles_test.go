package endpoint

import (
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"tokscope/metrics/testkit"
)

// profiles reads the profiles of a configuration's text.
func profiles(t *testing.T, text string) map[string]Profile {
	t.Helper()
	var file struct {
		Profiles map[string]Profile `toml:"profile"`
	}
	d := toml.NewDecoder(strings.NewReader(text))
	d.EnableUnmarshalerInterface() // for Command
	testkit.OK(t, d.Decode(&file))
	return file.Profiles
}
