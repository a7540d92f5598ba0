package metrics

// Since returns the time in ms from one mark to another.
func Since(from, to Stamp, why Why) Value {
	ms, ok := stampMs(to, from)
	switch {
	case !ok:
		return Unknown(why)
	case ms < 0:
		return Unknown(WhyBackwards)
	}
	return Known(ms, 0)
}

// times computes the moments of the response, in ms from Marks.Sent, the
// moment the kernel took the last byte of the request.
//
//	TTFB  first byte of the response
//	TTFE  first server-sent event; comments do not count
//	TTFT  first chunk of any kind: content, reasoning, or an estimate of it, tool call, refusal, audio, image
//	TTFC  first chunk of visible text: content, refusal or transcript
//	TTFA  first event with sound
//	FirstInk  the first of these that is not only white space
//	Elapsed   now, while it runs; the last chunk (or the end without one) after it
//	Total     the last chunk
//	Trailer   from the last chunk to the end of the body: finish, usage, [DONE]
//
// Unknown until they happen, and for ever if they did not; unknown when the
// request was not sent or the stamps contradict each other.
func (f *ingest) times(out *Figures, s *Stream) {
	k := &s.Marks
	pending := WhyNoChunk
	switch {
	case s.State == Idle:
		pending = WhyIdle
	case s.Tool != nil && (f.all > 0 || !k.Sent.Known() || s.State == Done): // the file has not the moments
		pending = WhyNotRecorded
	case !k.Sent.Known():
		pending = WhyNotSent
	case s.State.Ended():
		pending = WhyNoChunkEnd
	case f.all > 0:
		pending = WhyNoStamp
	}
	noEvent, noByte, noText, noInk := pending, pending, pending, pending
	if pending == WhyNoChunk {
		noEvent, noByte = WhyNoEvent, WhyNoByte
	}
	if k.Sent.Known() && f.moments.first.Known() {
		noInk = byEnd(s, WhyNoText, WhyNoTextEnd)
		if !f.moments.visible.Known() {
			noText = noInk
		}
	}
	out.TTFB = Since(k.Sent, k.FirstByte, noByte)
	out.TTFE = Since(k.Sent, k.FirstEvent, noEvent)
	out.TTFT = Since(k.Sent, f.moments.first, pending)
	out.TTFC = Since(k.Sent, f.moments.visible, noText)
	out.FirstInk = Since(k.Sent, f.moments.notBlank, noInk)
	noAudio := pending
	if k.Sent.Known() && f.all > 0 {
		noAudio = WhyNoAudio
	}
	out.TTFA = Since(k.Sent, k.FirstAudio, noAudio)
	out.Seen = f.moments.seen
	out.Total = Since(k.Sent, f.moments.last, pending)
	switch {
	case !s.State.Ended():
		out.Elapsed = Since(k.Sent, s.Now, pending)
	case f.moments.last.Known():
		out.Elapsed = out.Total
	default:
		out.Elapsed = Since(k.Sent, k.End, pending)
	}
	out.Trailer = Since(f.moments.last, k.End, WhyNotEnded)
	if !f.moments.last.Known() {
		out.Trailer = Unknown(pending)
	}
}

// connection computes the times before Marks.Sent, in ms:
//
//	DNS  name look-up     TCP  connect     TLS  handshake
//	Send from the connection being ready, as a WebSocket where it becomes one, to the last
//	     byte of the request in the kernel
//
// While one of them runs it is the time so far. The first three are unknown
// over a reused connection and where the step is not needed (an address
// instead of a name, plain HTTP).
func (f *ingest) connection(out *Figures, s *Stream) {
	k := &s.Marks
	reused := s.Conn.Reused || k.GotConn.Known() && !k.ConnectStart.Known()
	part := func(from, to Stamp, absent Why) Value {
		switch {
		case reused:
			return Unknown(WhyReused)
		case s.State == Idle:
			return Unknown(WhyIdle)
		case !from.Known() && k.GotConn.Known():
			return Unknown(absent)
		case !from.Known():
			return Unknown(WhyNotBegun)
		case to.Known():
			return Since(from, to, 0)
		case s.State.Ended():
			return Unknown(WhyUnfinished)
		}
		return Since(from, s.Now, WhyNoStamp)
	}
	out.DNS = part(k.DNSStart, k.DNSDone, WhyNoLookup)
	out.TCP = part(k.ConnectStart, k.ConnectDone, WhyNoConnect)
	out.TLS = part(k.TLSStart, k.TLSDone, WhyNoTLS)
	ready := max(k.GotConn, k.Upgraded)
	switch {
	case k.Sent.Known() || s.State.Ended():
		out.Send = Since(ready, k.Sent, WhyNotSent)
	default:
		out.Send = Since(ready, s.Now, WhyNotSent)
	}
}
