package say

import (
	"runtime"
	"strconv"

	"tokscope/metrics"
	"tokscope/ui/format"
)

// Room says what the machine has for n requests at the same time, "" for up to 1,024.
// refused: they do not fit, and the text has the next step.
func Room(r *metrics.Room, n int) (text string, refused bool) {
	of, fits := format.Count(n)+" requests at the same time", r.Fits()
	memory := int64(n) * metrics.StreamMemory
	switch files := r.Needs(n); {
	case n > fits && r.FileLimit > 0 && files > r.FileLimit:
		return of + " need " + format.Count(files) + " open files, and tokscope may open " + format.Count(r.FileLimit) +
			": raise that as root with ulimit -n " + strconv.Itoa(files) + " (a service: LimitNOFILE), or use at most " +
			format.Count(fits), true
	case n > fits:
		return of + " need a local port each, and this machine has " + format.Count(r.Ports) +
			" for one address: widen net.ipv4.ip_local_port_range, or use at most " + format.Count(fits), true
	case r.Memory > 0 && memory > r.Memory:
		return of + " take about " + format.Amount(float64(memory), "B") + " of memory, and " +
			format.Amount(float64(r.Memory), "B") + " are free: end other programs, or use fewer", false
	case n <= 1024:
		return "", false
	}
	return of + ": this machine has " + format.Join(", ",
		format.If(r.FileLimit > 0, format.Count(max(r.FileLimit-r.Files, 0))+" open files"),
		format.If(r.Memory > 0, format.Amount(float64(r.Memory), "B")+" of memory"),
		format.If(r.Ports > 0, format.Count(r.Ports)+" local ports for one address"),
		format.If(r.FileLimit <= 0 || r.Memory <= 0 || r.Ports <= 0, "and what "+runtime.GOOS+" does not tell")), false
}
