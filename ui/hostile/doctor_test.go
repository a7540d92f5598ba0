package hostile

import (
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// TestDoctor runs `tokscope doctor` against the servers of the table, in text
// and in JSON. It must end with its own exit codes, say something is wrong
// where a request would fail, show no key, and write nothing that acts on a
// terminal.
func TestDoctor(t *testing.T) {
	t.Parallel()
	for _, g := range table {
		for i := range g.rows {
			r := &g.rows[i]
			if r.heap > 0 || r.proxied { // an endless server takes as long for doctor; a proxy belongs to the process
				continue
			}
			t.Run(g.name+"/"+r.name, func(t *testing.T) {
				if i%5 != 0 {
					probetest.TakesTime(t, "200 rows; a fifth of each group runs")
				}
				t.Parallel()
				s := listen(t, r.handler())
				defer s.close()
				form, flags := "text", []string{}
				if i%2 == 1 {
					form, flags = "json", []string{"--json"}
				}
				args := append([]string{"doctor", r.target(s.ln.Addr().String())}, append(r.flags(), flags...)...)
				out := commandOf(t, args, false, 0)
				testkit.That(t, out.code == 0 || out.code == 1 || out.code == 4 && r.exit == 4,
					"exit code %d: %s", out.code, out.stderr)
				testkit.That(t, r.class == "" || r.class == "empty_answer" || out.code != 0,
					"a request fails with %s, and nothing was found:\n%s", r.class, out.stdout)
				for what, text := range map[string]string{"stdout": out.stdout, "stderr": out.stderr} {
					testkit.Is(t, leaks(text), "", what, "holds the key")
				}
				testkit.Is(t, foreign(out.stdout+out.stderr), "", form, "the output holds")
				testkit.Lacks(t, out.stdout, r.without...)
				if form == "json" && out.code <= 1 {
					err := fits("doctor", out.stdout)
					testkit.That(t, err == nil, "%v\nin %.2000s", err, out.stdout)
				}
			})
		}
	}
}
