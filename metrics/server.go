package metrics

// serverTime returns the last time of that name that the server reported.
func serverTime(s *Stream, name string) (ms float64, ok bool) {
	for i := len(s.Server) - 1; i >= 0; i-- {
		if t := &s.Server[i]; t.Name == name && t.D >= 0 {
			return float64(t.D) / 1e6, true
		}
	}
	return 0, false
}

// server computes the figures from the server's own numbers, and the speed of
// the prefill.
//
//	ServerTTFT   the server's time to first token; without one its
//	             queue + load + prefill (queue alone is no TTFT)
//	ServerSpeed  output tokens / the server's decode time, tok/s
//	PrefillSpeed (prompt tokens − cached ones) / TTFT, tok/s
//
// PrefillSpeed is bounded by the client's wait, queue and network included, so
// the server's own is at least that. Unknown where the server does not tell.
func (f *ingest) server(out *Figures, s *Stream) {
	out.ServerTTFT = Unknown(WhyUnreported)
	if ms, ok := serverTime(s, ServerTTFT); ok {
		out.ServerTTFT = Known(ms, 0)
	} else if ms, ok := serverTime(s, ServerPrefill); ok {
		queue, _ := serverTime(s, ServerQueue)
		load, _ := serverTime(s, ServerLoad)
		out.ServerTTFT = Known(ms+queue+load, 0)
	}
	switch ms, ok := serverTime(s, ServerDecode); {
	case !ok || ms <= 0:
		out.ServerSpeed = Unknown(WhyNoDecodeTime)
	case !out.Tokens.OK || out.TokenSource == TokensEstimated:
		out.ServerSpeed = Unknown(WhyNoServerTokens)
	default:
		out.ServerSpeed = Finite(out.Tokens.V/ms*1000, round(out.Tokens.V))
	}
	prompt := out.PromptTokens.V - max(out.CachedTokens.V, 0)
	switch {
	case !out.PromptTokens.OK:
		out.PrefillSpeed = out.PromptTokens
	case !out.TTFT.OK:
		out.PrefillSpeed = out.TTFT
	case !(prompt > 0):
		out.PrefillSpeed = Unknown(WhyAllCached)
	case !(out.TTFT.V > 0):
		out.PrefillSpeed = Unknown(WhyOneStamp)
	default:
		out.PrefillSpeed = Finite(prompt/out.TTFT.V*1000, round(prompt))
	}
}

// Names of the parts of Figures.Wait, in their order in time.
const (
	ShareClient      = "client"  // this program, before the request was sent
	ShareRetried     = "retried" // the same, with an earlier sending of the request, see Stream.Retried
	ShareDNS         = "dns"
	ShareTCP         = "tcp"
	ShareTLS         = "tls"
	ShareSend        = "send"
	ShareUpload      = "upload" // from sent until the other end had acknowledged all of the request
	ShareQueue       = ServerQueue
	ShareLoad        = ServerLoad
	SharePrefill     = ServerPrefill
	ShareProcessing  = ServerProcessing
	ShareServer      = "server" // rest of the server's own time to first token
	ShareUnexplained = "unexplained"
	ShareWait        = "wait"
)

// split computes Figures.Wait: the time from the start of the request to the
// first chunk. While the wait lasts it ends at now; without a chunk it ends
// at the end of the stream.
//
//	(client | retried) + dns + tcp + tls + send + upload + (wait | queue + load + prefill + server + unexplained)
//
// "upload" is there where the kernel told of it (Path.Upload), and where it is
// over.
// "client" is the time before the sending that no phase explains, shown from
// clientShare on, and "retried" the same of a request that was sent again.
// Parts reported by the server have Server set. "unexplained"
// is the client's wait minus these: network, front end, and times the server
// omits. When the server's times exceed the client's wait, they are kept as
// reported, nothing is unexplained, and Suspect notes it. Without server
// times the only part is "wait". The list is empty before the request has
// begun.
func (m *Meter) split(out *Figures, s *Stream) {
	m.wait = m.wait[:0]
	if s.State == Idle {
		return
	}
	f, k := &m.ingest, &s.Marks
	add := func(name string, ms Value, server bool) {
		m.wait = append(m.wait, Share{Name: name, Ms: ms, Server: server})
	}
	before := 0.0
	for _, v := range []Value{out.DNS, out.TCP, out.TLS, out.Send} {
		before += v.V
	}
	if ms, ok := stampMs(k.Sent, k.Start); ok && ms-before >= clientShare {
		name := ShareClient
		if s.Retried > 0 {
			name = ShareRetried
		}
		add(name, Known(ms-before, 0), false)
	}
	add(ShareDNS, out.DNS, false)
	add(ShareTCP, out.TCP, false)
	add(ShareTLS, out.TLS, false)
	add(ShareSend, out.Send, false)

	until := s.Now
	switch {
	case f.moments.first.Known():
		until = f.moments.first
	case s.State.Ended():
		until = k.End
	}
	wait := Since(k.Sent, until, WhyNotSent)
	uploaded := uploadTime(s, wait)
	if uploaded.OK {
		add(ShareUpload, uploaded, false)
		wait.V -= uploaded.V
	}
	explained := 0.0
	addServer := func(name string, ms float64) {
		add(name, Known(ms, 0), true)
		explained += ms
	}
	for _, name := range [...]string{ServerQueue, ServerLoad, ServerPrefill} {
		if ms, ok := serverTime(s, name); ok {
			addServer(name, ms)
		}
	}
	if ms, ok := serverTime(s, ServerTTFT); ok && ms > explained {
		addServer(ShareServer, ms-explained)
	}
	// A processing time may be that of the whole request: it explains the wait
	// only where nothing better is known and it fits in.
	if ms, ok := serverTime(s, ServerProcessing); ok && explained == 0 && wait.OK && ms <= wait.V {
		addServer(ShareProcessing, ms)
	}
	switch {
	case !wait.OK || explained == 0:
		add(ShareWait, wait, false)
	case explained > wait.V:
		add(ShareUnexplained, Unknown(WhyServerMore), false)
	default:
		add(ShareUnexplained, Known(wait.V-explained, 0), false)
	}
	out.Wait = m.wait
}

// uploadTime is the part of the wait in which the request was on its way, ms.
func uploadTime(s *Stream, wait Value) Value {
	if s.Path == nil || !s.Path.Upload || !wait.OK {
		return Unknown(WhyNotSent)
	}
	v := Since(s.Marks.Sent, s.Path.Acked, WhyNotSent)
	v.V = min(v.V, wait.V)
	return v
}
