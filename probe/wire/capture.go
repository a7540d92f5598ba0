package wire

import (
	"context"
	"net/http"
	"time"

	"tokscope/metrics"
	"tokscope/probe/sse"
)

// Batch holds lines taken from a Capture. Reuse it: the steady state allocates
// nothing. Its lines are valid until it is used with Take again.
type Batch struct {
	Lines []sse.Line
}

// Capture is what is known of one request on the wire.
type Capture struct{}

func NewCapture(clock *Clock) *Capture                                             { return &Capture{} }
func With(ctx context.Context, c *Capture) context.Context                         { return ctx }
func (c *Capture) SetCold(bool)                                                    {}
func (c *Capture) Marks() metrics.Marks                                            { return metrics.NewMarks() }
func (c *Capture) Conn() metrics.Connection                                        { return metrics.Connection{} }
func (c *Capture) Response() (status int, h http.Header)                           { return 0, nil }
func (c *Capture) ErrorBody() []byte                                               { return nil }
func (c *Capture) Wake() <-chan struct{}                                           { return nil }
func (c *Capture) Take(b *Batch) (more bool)                                       { return false }
func (c *Capture) End() (at metrics.Stamp, err error)                              { return metrics.NoStamp, nil }
func (c *Capture) Deadline() (metrics.Stamp, string)                               { return metrics.NoStamp, "" }
func (c *Capture) Counts() (reads int, body int64, kernel, user, late, shared int) { return }
func (c *Capture) Stamps() metrics.Source                                          { return metrics.SourceUser }

// LagQuantiles returns how much later our own clock saw the events than the
// kernel had them, over n events with a kernel stamp.
func (c *Capture) LagQuantiles() (p50, p99 time.Duration, n int) { return }
