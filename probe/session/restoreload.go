package session

import (
	"strconv"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/probe/result"
)

// Begin returns the view of q at its begin: what its first line says.
func (q *RecordedLoad) Begin() loadstat.View {
	h := &q.Head
	v := loadstat.View{
		Now: q.At, Began: q.At, Running: true, Target: h.Users, Users: h.Users,
		Work: h.Workload, Endpoint: h.Endpoint,
		SLOs: result.Objectives(h.SLO), Waiting: metrics.Unknown(metrics.WhyNotRecorded),
	}
	v.Rate = h.Rate
	v.Drive = loadstat.Drive{Users: h.Users, Rate: h.Rate, Poisson: h.Poisson}
	v.Seed, _ = strconv.ParseUint(h.Seed, 10, 64)
	v.Input, v.Output = result.DrawnLengths(h.Input), result.DrawnLengths(h.Output)
	return v
}

// Restore writes into v what e says of the whole load. Its sentences are not
// among it.
func (e *LoadEnd) Restore(v *loadstat.View) {
	end := e.View
	v.Sent, v.Done, v.Failed, v.Cancelled, v.Retried = end.Sent, end.Done, end.Failed, end.Cancelled, end.Retried
	v.Finishes = end.Finishes
	v.TokensReceived, v.Faults, v.LastFault, v.Budget = end.TokensReceived, end.Faults, end.LastFault, end.Budget
	if v.Budget.Cost.N = end.Sent; !v.Budget.Cost.OK {
		v.Budget.Cost = metrics.Unknown(metrics.WhyNotRecorded)
	}
	v.Stamps = e.Stamps
	if e.Lag != nil {
		v.Observer = e.Lag.Observer
	}
}
