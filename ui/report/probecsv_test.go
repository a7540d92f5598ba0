package report

import (
	"encoding/csv"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/ui/uitest/golden"
)

// TestProbeCSV shows a line of the CSV of a probe as a column: of a run that is done, of
// one that failed, whose unknown figures are empty cells, and of one whose names come
// from outside, of which none runs as a formula.
func TestProbeCSV(t *testing.T) {
	r := pricedRun()
	r.Stream.Model, r.Stream.RequestID, r.Stream.Endpoint.Name = "=1+1", "@SUM(A1)", "\x1b[31m+1"
	var b, shown strings.Builder
	if err := ProbeCSV(&b, []metrics.Run{pricedRun(), failedRun(), r}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows[0] {
		for _, row := range rows {
			shown.WriteString(row[i] + "\t")
		}
		shown.WriteByte('\n')
	}
	golden.Text(t, "probe-csv", strings.ReplaceAll(shown.String(), "\t\n", "\n"))
}
