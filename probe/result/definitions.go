package result

import (
	"io"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/definition"
)

// DefinitionsSchema names the format of tokscope definitions --json.
const DefinitionsSchema = "tokscope/definitions/v1"

// Definitions is the document of tokscope definitions --json: recorded or new
// requests under the definitions of the field's tools.
type Definitions struct {
	Schema   string           `json:"schema"`
	Version  string           `json:"version"` // of tokscope
	Requests []DefinedRequest `json:"requests"`
	// Together are all requests, as each tool joins them. p99 is null where it gives no
	// percentiles; p50 is then its mean or its best.
	Together []definition.Summary `json:"together"`
}

// DefinedRequest is one request under all rules.
type DefinedRequest struct {
	ID    int              `json:"id"`
	Wall  string           `json:"started"`
	Why   string           `json:"unknown,omitempty"` // why no rule applies
	Rules []DefinedFigures `json:"rules"`
}

// DefinedFigures are the figures of one rule. An unknown figure is null, and
// unknown has the reason. Where the tool counts with a tokenizer of its own,
// by_server has the figures by the server's count.
type DefinedFigures struct {
	*definition.Row
	Figures  definedFigures     `json:"keys"`
	ByServer map[string]float64 `json:"by_server"`
}

// definedFigures are in the order of definition.Row.Cells.
type definedFigures [5]metrics.Value

func (definedFigures) Keys() []string {
	return []string{"ttft_ms", "itl_ms", "tpot_ms", "speed_tok_per_s", "latency_ms"}
}

// WriteDefinitions writes runs under the rules of the field's tools as a JSON
// document.
func WriteDefinitions(w io.Writer, runs []metrics.Run, version string, say Sentences) error {
	doc := Definitions{Schema: DefinitionsSchema, Version: version}
	var traces []definition.Trace
	for i := range runs {
		r := &runs[i]
		out := DefinedRequest{ID: r.Stream.ID, Wall: r.Stream.Wall.UTC().Format(time.RFC3339Nano)}
		trace, why := definition.Of(&r.Stream, &r.Figures)
		if why != 0 {
			out.Why = say.One(why)
		} else {
			traces = append(traces, trace)
			for _, row := range definition.Table(&trace) {
				out.Rules = append(out.Rules, definedOf(&row))
			}
		}
		doc.Requests = append(doc.Requests, out)
	}
	doc.Together = definition.Summarize(traces)
	return say.WriteDocument(w, &doc)
}

func definedOf(row *definition.Row) DefinedFigures {
	out := DefinedFigures{Row: row, ByServer: map[string]float64{}}
	for i, c := range row.Cells() {
		if out.Figures[i] = c.Value; c.ByServer.OK {
			out.ByServer[out.Figures.Keys()[i]] = c.ByServer.V
		}
	}
	return out
}
