//go:build !linux

package probetest

// warmer does nothing on this platform.
type warmer struct{}

func newWarmer() *warmer { return &warmer{} }

func (*warmer) warm()  {}
func (*warmer) close() {}
