package say

import (
	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/ui/format"
)

// farSide names what is at the other end of the connection.
func farSide(proxied bool) string {
	return format.Either(proxied, "the proxy or behind it", "server or proxy")
}

// inOrder says that the socket counted no segment out of order.
const inOrder = "no sign of loss or reordering"

// outOfOrder counts segments that came behind a hole.
func outOfOrder(n int) string { return format.Plural(n, "segment", "segments") + " out of order" }

// pauseCause says behind a pause whose it was, after what the socket counted in it.
func pauseCause(g *metrics.PathGap, proxied bool) Clause {
	whose := undecided
	switch cause, why := g.Cause(); {
	case cause == metrics.PathSentLate:
		whose = ": " + farSide(proxied) + ", not the network"
	case cause == metrics.PathOutOfOrder:
		return Clause{Text: ": the network lost or reordered packets", Brief: ": network", Rank: 1}
	case cause == metrics.PathFlushed:
		chunks, by := format.Plural(g.Together, "chunk", "chunks"), " held by "+farSide(proxied)
		return Clause{Text: ": " + chunks + by, Brief: ":" + by, Rank: 1}
	case why == metrics.PathMaybeTail:
		whose = format.Either(proxied, ": the proxy, behind it", ": server, proxy") + " or a lost last packet"
	case why == metrics.PathTooLong:
		explain := format.Either(g.OutOfOrder == 1, " explains less", " explain less")
		return Clause{Text: undecided + "; " + outOfOrder(g.OutOfOrder) + explain, Brief: undecided, Rank: 1}
	}
	return Clause{Text: whose, Rank: 1}
}

// unproven ends a clause about a time on which there is no more evidence than whose it
// may be.
func unproven(f *verdict.Finding) string {
	return format.Either(f.Owner == verdict.OwnerFarSide, ": "+farSide(false), undecided)
}

// connectsDuring says what a connect during a silence shows.
func connectsDuring(f *verdict.Finding) string {
	was := f.Code == verdict.FirstToken
	switch f.Connect.Result {
	case metrics.ConnectOK:
		ms := format.Ms(float64(f.Connect.Elapsed) / 1e6)
		return "the host " + format.Either(was, "answered", "answers") + " a connect in " + ms
	case metrics.ConnectRefused:
		return "the host " + format.Either(was, "refused", "refuses") + " a connect"
	case metrics.ConnectTimeout:
		return format.Either(was, "a connect failed too", "a connect gets no answer either")
	}
	return format.Either(was, "a connect failed too", "a connect fails too")
}

// silenceCause says whose a silence is that lasts, or a long wait for the first
// token was.
func silenceCause(f *verdict.Finding) Sentence {
	switch {
	case f.Silence != nil:
		return Sentence{{Text: ": network", Rank: 1}, details(", " + outOfOrder(f.Silence.OutOfOrder))}
	case f.Connect == nil:
		return Sentence{details(unproven(f))}
	}
	whose := format.Either(f.Owner == verdict.OwnerFarSide, ": "+farSide(false), ": network or host")
	return Sentence{{Text: whose, Rank: 1}, details("; " + connectsDuring(f))}
}

// PathCause says in a few words what the socket counted in a gap, with its
// reason where that decides nothing. What it means stays where room is short.
func PathCause(g *metrics.PathGap) Sentence {
	switch cause, why := g.Cause(); {
	case cause == metrics.PathOutOfOrder:
		whose := "the network lost or reordered packets"
		return Sentence{{Text: outOfOrder(g.OutOfOrder) + ": " + whose, Brief: whose}}
	case cause == metrics.PathSentLate:
		return Sentence{{Text: "the server or a proxy paused"}, {Text: "; the network did not", Rank: 1}}
	case cause == metrics.PathFlushed:
		whose := "the server or a proxy held "
		return Sentence{{Text: "in order, " + format.Plural(g.Together, "chunk", "chunks") + " at once: " + whose + "them",
			Brief: whose + format.Plural(g.Together, "chunk", "chunks")}}
	case why == metrics.PathMaybeTail:
		return Sentence{{Text: inOrder + "; ", Rank: 1}, {Text: "perhaps a lost last packet"}}
	case why == metrics.PathTooLong:
		return Sentence{{Text: outOfOrder(g.OutOfOrder) + ", but the gap is longer than a repair",
			Brief: "longer than a repair of lost packets"}}
	case why == metrics.PathNoUsual:
		return Sentence{{Text: inOrder}, {Text: "; too few gaps before it to compare", Rank: 1}}
	}
	return Sentence{{Text: "segments not counted"}}
}

// pathSources say why nothing is counted.
var pathSources = map[metrics.PathSource]string{
	metrics.PathUnread:      "not read yet",
	metrics.PathOldKernel:   "this kernel does not count segments out of order (Linux 5.4 does)",
	metrics.PathUnsupported: "segments are counted on Linux only",
	metrics.PathNoSocket:    "this connection has no counters",
	metrics.PathUnixSocket:  "a unix socket: no network between",
}

// Path says what is known of the network beneath a stream: "RTT 12.0 ms,
// no sign of loss or reordering". It is "" where nothing was looked at.
func Path(p *metrics.Path) string {
	if p == nil {
		return ""
	}
	rtt := format.If(p.RTT > 0, "RTT "+format.Ms(float64(p.RTT)/1e6))
	order := pathSources[p.Source]
	if p.Source == metrics.PathTCPInfo {
		some := format.Count(p.OutOfOrder) + " of " + format.Plural(p.Segments, "segment", "segments") + " out of order"
		order = format.Either(p.OutOfOrder > 0, some, inOrder)
	}
	resent := format.If(p.Resent > 0, format.Plural(p.Resent, "segment", "segments")+" sent again")
	return format.Join(", ", rtt, order, resent)
}

// PathConnects says what the connects during silences showed, "" without any.
func PathConnects(p *metrics.Path) string {
	if p == nil || len(p.Connects) == 0 {
		return ""
	}
	answered, most := 0, 0.0
	for i := range p.Connects {
		if c := &p.Connects[i]; c.Result == metrics.ConnectOK {
			answered, most = answered+1, max(most, float64(c.Elapsed)/1e6)
		}
	}
	some := format.Count(answered) + " answered within " + format.Ms(most)
	return format.Plural(len(p.Connects), "connect", "connects") + " while the stream was silent, " +
		format.Either(answered > 0, some, "none answered")
}
