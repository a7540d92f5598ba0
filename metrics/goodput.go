package metrics

// Goodput is how many requests meet every objective.
//
//	Rate  = requests that meet all / window      requests per second
//	Share = requests that meet all / Requests    0..1
//
// after DistServe (Zhong et al. 2024): a request counts whole or not at all.
// Failed and truncated requests are missed; those that a person cancelled, and
// those that still run, are left out. The window is that of all requests
// counted, first Sent to last chunk or end. Unlike other tools a one-token
// answer does not meet a TPOT it does not have, and "gap" lets a long stall
// count.
type Goodput struct {
	Requests int // counted
	Met      int
	Rate     Value
	Share    Value
	// Missed says how many requests missed each objective, in the order given.
	// One request can miss several.
	Missed []Miss
	// Window is the time Rate is over, ms.
	Window Value
}

// Miss is how many requests missed one objective.
type Miss struct {
	SLO Objective
	N   int
}

// GoodputOf counts runs against slos. Without objectives every request that
// ended well is good.
func GoodputOf(runs []Run, slos []Objective) Goodput {
	out := Goodput{Missed: make([]Miss, len(slos))}
	for i, o := range slos {
		out.Missed[i].SLO = o
	}
	var counted []*Run
	for i := range runs {
		r := &runs[i]
		if !r.Stream.State.Ended() || r.Stream.State == Cancelled {
			continue
		}
		counted = append(counted, r)
		ok, missed := Met(r, slos)
		if ok {
			out.Met++
		}
		for _, name := range missed {
			for j := range out.Missed {
				if out.Missed[j].SLO.Name == name {
					out.Missed[j].N++
					break
				}
			}
		}
	}
	out.Requests = len(counted)
	if len(counted) == 0 {
		u := Unknown("no request has ended")
		out.Rate, out.Share, out.Window = u, u, u
		return out
	}
	out.Share = Finite(float64(out.Met)/float64(len(counted)), len(counted))
	out.Window = windowOf(counted)
	out.Rate = out.Window
	if out.Window.OK {
		out.Rate = Finite(float64(out.Met)*1000/out.Window.V, len(counted))
	}
	return out
}
