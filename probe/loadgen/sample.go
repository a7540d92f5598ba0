package loadgen

import "tokscope/metrics"

func (p *Load) show(v *metrics.View) {
	p.view.Store(v)
	p.version.Add(1)
}

// untold is why nobody is known to wait.
const untold = "this endpoint does not tell of its queue"
