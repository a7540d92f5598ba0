package metrics

import (
	"math"
	"strconv"
	"strings"

	"tokscope/metrics/pick"
)

// ToolFile is what is known of a file of another program as a whole. Its texts may be those of
// the file: sanitize them before a terminal.
type ToolFile struct {
	Tool    string `json:"tool"`
	Version string `json:"version,omitempty"` // of the tool; "" where the file does not say it
	// Lacks are what the file has not, each as a phrase: "which tokens came in a chunk".
	Lacks []string `json:"lacks"`
	// Printed are the figures of all requests that the tool has written into the file.
	Printed []Printed `json:"printed,omitempty"`
}

// Printed is a figure of a file beside what follows from the file's rows by the tool's own
// definition, in the unit that its name has.
type Printed struct {
	Name   string  `json:"name"`
	File   string  `json:"in_file"`                   // as it is written there
	Rows   float64 `json:"from_rows" form:"null=nan"` // NaN: the rows have no such figure
	Agrees bool    `json:"agrees"`
}

// PrintedOf compares a figure of a file with that of the rows. They agree when the difference is
// at most half a unit of the last decimal in the file, or what the order of a sum may make of it.
func PrintedOf(name, file string, rows float64) Printed {
	v, err := strconv.ParseFloat(file, 64)
	most := 1e-9 * math.Max(math.Abs(v), math.Abs(rows))
	if _, decimals, some := strings.Cut(file, "."); some && !strings.ContainsAny(file, "eE") {
		most = math.Max(most, 0.5*math.Pow10(-len(decimals)))
	}
	return Printed{Name: name, File: file, Rows: rows, Agrees: err == nil && math.Abs(v-rows) <= most}
}

// Agreeing returns how many of the printed figures agree with the rows.
func (f *ToolFile) Agreeing() int {
	return pick.Count(f.Printed, func(p *Printed) bool { return p.Agrees })
}
