package app

import (
	"io"
	"path/filepath"

	"tokscope/metrics/turn"
	"tokscope/probe/endpoint"
)

// ReadScript reads what is played of the session file of a tap, "-" being stdin.
func ReadScript(file string, stdin io.Reader) (*turn.Script, error) {
	all, err := OpenRecordings([]string{file}, stdin)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(file)
	if all[0].Tap == nil {
		return nil, endpoint.Refuse(name+" holds no session of a tap", "record one with `tokscope tap -- claude`")
	}
	v := all[0].View()
	if s := v.Script(); s.Turns > 0 {
		return s, nil
	}
	return nil, endpoint.Refuse(name+" holds no turn that ended well: there is nothing to play",
		"look at it with `tokscope replay`")
}
