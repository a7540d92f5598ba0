// Package verdict says what the figures of a stream show, as findings: a
// code, a grade, numbers and the evidence for them. ui/say writes the
// sentences.
//
// No finding claims more than its evidence shows:
//
//   - Parts of the wait after Marks.Sent are named only where the server
//     reports them, and only the server's own words are used: queue, prefill.
//   - A stall is undecided between server, proxy and network: stamps at the
//     receiver cannot tell a late sending from a lost packet. Where the kernel
//     counted the segments around it, metrics.PathGap.Cause decides.
//   - A silence is the far side's where the host answers a connect meanwhile,
//     and nothing arrived out of order.
//   - The phases before Marks.Sent are measured here.
//   - Earlier runs count when endpoint, model, workload and connection are the
//     same, see metrics.Conditions.
//
// A new finding is a code in finding.go, a rule in one of the other files, its
// place in ranks, and its words in ui/say/conclusion.go.
package verdict
