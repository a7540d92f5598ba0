package endpoint

import (
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// profiles reads the profiles of a configuration's text.
func profiles(t *testing.T, text string) map[string]Profile {
	t.Helper()
	var file struct {
		Profiles map[string]Profile `toml:"profile"`
	}
	d := toml.NewDecoder(strings.NewReader(text))
	d.EnableUnmarshalerInterface() // for Command
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	return file.Profiles
}
