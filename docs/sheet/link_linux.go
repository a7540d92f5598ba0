package main

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"time"

	"tokscope/probe/probetest"
)

// apart runs this program once more in a network namespace of its own, where it
// can make a lossy link. It returns false in that process, and where namespaces
// are not permitted.
func apart() (done bool, err error) {
	if os.Getenv(apartVar) != "" {
		return false, probetest.Loopback()
	}
	c := exec.Command(os.Args[0], os.Args[1:]...)
	c.Env = append(os.Environ(), apartVar+"=1")
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	probetest.Isolate(c)
	if err := c.Start(); err != nil {
		return false, nil
	}
	return true, c.Wait()
}

// apartVar marks the process in the namespace.
const apartVar = "TOKSCOPE_SHEET_APART"

// lostSegment is the number of the segment with data that the link drops once
// on each connection.
const lostSegment = 60

// lossy serves srv over a link of 2 × 60 ms that loses one segment of each
// stream. It returns the address, and what ends it.
func lossy(srv *probetest.Server) (addr string, end func(), err error) {
	if os.Getenv(apartVar) == "" {
		return "", nil, errors.New("network namespaces are not permitted here")
	}
	seen := map[uint16]int{}
	l, err := probetest.OpenLink(60*time.Millisecond, func(p *probetest.Packet) probetest.Fate {
		if !p.ToClient || len(p.Payload) == 0 {
			return probetest.Fate{}
		}
		seen[p.Port]++
		return probetest.Fate{Drop: seen[p.Port] == lostSegment}
	})
	if err != nil {
		return "", nil, err
	}
	srv.ServeOn(l.Listener)
	return l.Listener.Addr().(*net.TCPAddr).String(), l.Close, nil
}
