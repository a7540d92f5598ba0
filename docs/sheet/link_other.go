//go:build !linux && !windows

package main

import (
	"errors"

	"tokscope/probe/probetest"
)

// apart does nothing: only Linux has network namespaces.
func apart() (done bool, err error) { return false, nil }

func lossy(*probetest.Server) (string, func(), error) {
	return "", nil, errors.New("a lossy link needs Linux")
}
