package verdict

import "tokscope/metrics"

// noNetwork takes a unix socket as evidence that a time is not the network's.
func (f *Finding) noNetwork(p *metrics.Path) (none bool) {
	if none = p != nil && p.Source == metrics.PathUnixSocket; none {
		f.Owner, f.Evidence = OwnerFarSide, f.Evidence|ByPath
	}
	return none
}

// connects takes the connects of p during a wait as evidence on whose it is. The
// latest one decides.
func (f *Finding) connects(p *metrics.Path, all []metrics.PathConnect) {
	if f.noNetwork(p) || len(all) == 0 {
		return
	}
	f.Connect = &all[len(all)-1]
	f.Evidence |= ByConnect
	switch f.Connect.Result {
	case metrics.ConnectOK, metrics.ConnectRefused:
		f.Owner = OwnerFarSide
	}
}

// before returns the connects that began before the first of chunks.
func before(all []metrics.PathConnect, chunks []metrics.Chunk) []metrics.PathConnect {
	for i := range all {
		if len(chunks) > 0 && all[i].At >= chunks[0].At {
			return all[:i]
		}
	}
	return all
}

// counted takes what the socket counted in the longest stall. A burst at its
// end is no evidence where this program was late itself: its reads look the
// same.
func (f *Finding) counted(s *metrics.Stream, chunk int) {
	g := s.Path.Gap(chunk)
	if f.noNetwork(s.Path) || g == nil {
		return
	}
	cause, why := g.Cause()
	if cause == metrics.PathFlushed && float64(s.Observer.LateMax)/1e6 >= metrics.LagShare*g.Ms {
		return
	}
	switch cause {
	case metrics.PathOutOfOrder:
		f.Owner = OwnerNetwork
	case metrics.PathSentLate, metrics.PathFlushed:
		f.Owner = OwnerFarSide
	default:
		if why != metrics.PathMaybeTail && why != metrics.PathTooLong {
			return
		}
	}
	f.Gap, f.Name, f.Evidence = g, s.Conn.Proxy, f.Evidence|ByPath
}

// uploaded reports the upload of the request where it took uploadShare of the
// wait, and more than any part that the server reports.
func (r *rules) uploaded(c *Finding) {
	f := r.Figures
	for i := range f.Wait {
		p := &f.Wait[i]
		if p.Name == metrics.ShareUpload && p.Ms.OK && p.Ms.V >= uploadShare*c.Ms && p.Ms.V > c.PartMs {
			c.Part, c.PartMs, c.Owner, c.Evidence = p.Name, p.Ms.V, OwnerNetwork, ByMarks|ByPath
		}
	}
}
