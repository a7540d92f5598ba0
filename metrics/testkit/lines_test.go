package testkit

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script.txt")
	OK(t, os.WriteFile(file, []byte("# a remark\n\none > a // said\n\t| b // too\n\t| c\n# not this\ntwo #3\n"), 0o600))
	if got := Lines(t, file); !slices.Equal(got, []Line{{file + ":3", "one > a | b | c"}, {file + ":7", "two #3"}}) {
		t.Errorf("%q", got)
	}
}
