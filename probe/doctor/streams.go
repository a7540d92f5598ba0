package doctor

import (
	"context"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/doctor"
	"tokscope/probe/client"
	"tokscope/probe/transport"
)

// streamCheck returns the check of one request.
func streamCheck(code doctor.Code, r metrics.Run) doctor.Check {
	k := doctor.Check{Code: code, Grade: doctor.OK, Run: &r, Fronts: r.Stream.Fronts}
	if r.Stream.State == metrics.Done {
		open := func(s metrics.Suspicion) bool { return s.Code == r.Stream.Conn.Unended() }
		if i := slices.IndexFunc(r.Figures.Suspect, open); i >= 0 {
			k.Grade, k.Why, k.Suspect = doctor.Noted, doctor.WhyLeftOpen, &r.Figures.Suspect[i]
		}
		return k
	}
	k.Grade, k.Fault = doctor.Bad, r.Stream.Fault
	if f := k.Fault; f != nil && f.Kind == metrics.FaultEmpty && metrics.FinishKindOf(f.Code) == metrics.FinishLimit {
		k.Grade, k.Why = doctor.Noted, doctor.WhyHidden // a reasoning model, and few tokens
	}
	if k.Fault != nil && k.Fault.Kind == metrics.FaultCancelled {
		k.Grade, k.Why = doctor.Skipped, doctor.WhyInterrupt
	}
	return k
}

// short sends a short stream on a new connection of its own.
func (c *checkup) short(ctx context.Context, code doctor.Code, e *client.Engine, http2 bool) doctor.Check {
	t, w := c.Target, c.Short
	t.HTTP2, w.Connection = http2, metrics.ReuseCold
	return streamCheck(code, c.once(ctx, e, t, w))
}

// http1 sends a short stream over HTTP/1.1, the way all other commands do.
func (c *checkup) http1(ctx context.Context) {
	k := c.short(ctx, doctor.HTTP1, c.Engine, false)
	if k.Grade == doctor.Bad {
		c.failed = true
		c.speaksTLS(ctx, &k)
	}
	c.add(k)
}

// speaksTLS looks whether the port of a plain URL speaks TLS, where a request
// failed as it does then. nginx and Go answer 400 and say so, others with an
// alert or not at all.
func (c *checkup) speaksTLS(ctx context.Context, k *doctor.Check) {
	f := k.Fault
	if c.url.Scheme != "http" || c.proxy != nil || f == nil {
		return
	}
	said := strings.ToLower(f.Message + f.Body)
	if f.Kind != metrics.FaultProtocol && f.Kind != metrics.FaultReset &&
		!(f.Status == 400 && strings.Contains(said, "https")) {
		return
	}
	if peer, _, _ := c.tr.Inspect(ctx, transport.HostPort(c.url), c.url.Hostname(), []string{"http/1.1"}); peer != nil {
		k.Why = doctor.WhySpeaksTLS
	}
}

// http2 sends a short stream over HTTP/2, where the server offers it.
func (c *checkup) http2(ctx context.Context) {
	switch {
	case c.url != nil && c.url.Scheme != "https":
		c.skip(doctor.HTTP2, doctor.WhyPlain)
		return
	case c.failed:
		c.skip(doctor.HTTP2, doctor.WhyEarlier)
		return
	case !c.h2 && c.proxy == nil:
		c.skip(doctor.HTTP2, doctor.WhyNoOffer)
		return
	}
	k := c.short(ctx, doctor.HTTP2, c.Engine, true)
	if k.Grade == doctor.OK && !strings.HasPrefix(k.Run.Stream.Conn.Proto, "HTTP/2") {
		k.Grade, k.Why = doctor.Noted, doctor.WhyNoOffer
	}
	c.add(k)
}

// direct sends a short stream without the proxy of the environment, also when
// the way through the proxy failed.
func (c *checkup) direct(ctx context.Context) {
	if c.proxy == nil {
		c.skip(doctor.Direct, doctor.WhyNoProxy)
		return
	}
	if c.keyless {
		c.skip(doctor.Direct, doctor.WhyEarlier)
		return
	}
	e := c.Engine.Direct()
	defer e.Close()
	k := c.short(ctx, doctor.Direct, e, false)
	if k.Grade == doctor.Bad {
		k.Grade, k.Why = doctor.Noted, doctor.WhyThrough
	}
	c.add(k)
}

// stream sends the long stream, and looks for buffers in it.
func (c *checkup) stream(ctx context.Context) {
	t := c.Target
	t.HTTP2 = false
	r := c.once(ctx, c.Engine, t, c.Long)
	if c.Usual != nil {
		u := c.Usual(&r.Stream)
		r.Stream.Usual = &u
	}
	k := streamCheck(doctor.Stream, r)
	c.add(k)
	if k.Why == doctor.WhyInterrupt {
		return
	}
	c.buffers(k.Run)
}

// buffers says whether something collects chunks.
func (c *checkup) buffers(r *metrics.Run) {
	k := doctor.Check{Code: doctor.Buffers, Grade: doctor.OK, Fronts: r.Stream.Fronts, Run: r, N: r.Figures.Chunks}
	for i := range r.Figures.Suspect {
		s := &r.Figures.Suspect[i]
		switch {
		case s.Code.Lag(): // what tokscope collected itself hides whether others do
			k.Suspect, k.Grade, k.Why = s, doctor.Skipped, doctor.WhyLagged
		case s.Code.Holds():
			k.Suspect, k.Grade = s, doctor.Bad
			if s.Buffering.Kind == metrics.BufferCount && !r.Figures.BurstsHide() {
				k.Grade = doctor.Noted // a server can send so, and the gaps are known
			}
		}
	}
	f := r.Stream.Fault
	switch {
	case k.Suspect != nil:
	case f != nil && f.Kind == metrics.FaultCompressed:
		k.Grade, k.Fault = doctor.Bad, f
	case k.N < doctor.LeastChunks:
		k.Grade, k.Why = doctor.Skipped, doctor.WhyFew
	}
	c.add(k)
}

// client says how late tokscope was, and who took the stamps.
func (c *checkup) client(context.Context) {
	k := doctor.Check{Code: doctor.Client, Grade: doctor.OK, Observer: c.Engine.Observer()}
	for i := range c.report.Checks {
		if r := c.report.Checks[i].Run; r != nil && r.Figures.Chunks > 0 {
			k.Stamps, k.Observer, k.Run = r.Stream.Stamps, r.Stream.Observer, r
		}
	}
	switch {
	case k.Run == nil:
		k.Grade, k.Why = doctor.Skipped, doctor.WhyEarlier
	case k.Run.Figures.Delay.Code != "":
		k.Grade, k.Why = doctor.Noted, doctor.WhyLagged
	}
	c.add(k)
}
