package session

import (
	"errors"
	"path/filepath"
	"runtime"
)

// StateDir returns the directory of recordings: XDG_STATE_HOME/tokscope, else
// ~/.local/state/tokscope (on Windows LocalAppData\tokscope). It returns an
// error when the environment names no home.
func StateDir(env func(string) string) (string, error) {
	if d := env("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "tokscope"), nil
	}
	if runtime.GOOS == "windows" {
		if d := env("LocalAppData"); d != "" {
			return filepath.Join(d, "tokscope"), nil
		}
	}
	if h := env("HOME"); h != "" {
		return filepath.Join(h, ".local", "state", "tokscope"), nil
	}
	return "", errors.New("no home folder is known: set XDG_STATE_HOME, or start with --record=false")
}
