package probetest

import (
	"net"
	"strings"
	"testing"
)

func TestRefuses(t *testing.T) {
	addr := Refuses(t)
	if c, err := net.Dial("tcp", addr); err == nil {
		_ = c.Close()
		t.Errorf("%s accepts a connection", addr)
	} else if !strings.Contains(err.Error(), "refused") {
		t.Errorf("%s: %v, want it to be refused", addr, err)
	}
	if ln, err := net.Listen("tcp", addr); err == nil {
		_ = ln.Close()
		t.Errorf("another process can listen on %s", addr)
	}
}
