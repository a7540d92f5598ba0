package record

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
	Together []DefinedAll     `json:"together"` // all requests, as each tool joins them
}

// DefinedRequest is one request under all rules.
type DefinedRequest struct {
	ID    int              `json:"id"`
	Wall  string           `json:"started"`
	Why   string           `json:"unknown,omitempty"` // why no rule applies
	Rules []DefinedFigures `json:"rules"`
}

// DefinedRule says whose definitions they are and how they are known.
type DefinedRule struct {
	Tool     string `json:"tool"`
	Versions string `json:"versions"`
	Before   bool   `json:"before_these_versions"`
	Source   string `json:"source"`
	Evidence string `json:"known_by"` // run, read or published
	Pool     string `json:"itl_pooled_over"`
	Quantile string `json:"percentiles"`
}

// DefinedFigures are the figures of one rule. An unknown figure is null, and
// unknown has the reason. Where the tool counts with a tokenizer of its own,
// by_server has the figures by the server's count.
type DefinedFigures struct {
	DefinedRule
	TTFT     metrics.Value      `json:"ttft_ms"`
	ITL      metrics.Value      `json:"itl_ms"`
	TPOT     metrics.Value      `json:"tpot_ms"`
	Speed    metrics.Value      `json:"speed_tok_per_s"`
	Latency  metrics.Value      `json:"latency_ms"`
	Tokens   metrics.Value      `json:"n"`
	Count    string             `json:"n_from"`
	First    int                `json:"first_chunk"` // index of the chunk, from 0; -1: another event
	Last     int                `json:"last_chunk"`  // the same
	Events   int                `json:"events"`      // that count as chunks
	ByServer map[string]float64 `json:"by_server"`
}

// DefinedAll is what a tool would say of all requests. p99 is null where it
// gives no percentiles; p50 is then its mean or its best.
type DefinedAll struct {
	DefinedRule
	Requests  int           `json:"requests"`
	TTFT50    metrics.Value `json:"ttft_p50_ms"`
	TTFT99    metrics.Value `json:"ttft_p99_ms"`
	ITL50     metrics.Value `json:"itl_p50_ms"`
	ITL99     metrics.Value `json:"itl_p99_ms"`
	ITLValues int           `json:"itl_values"`
}

// WriteDefinitions writes runs under the rules of the field's tools as a JSON
// document.
func WriteDefinitions(w io.Writer, runs []metrics.Run, version string, say Sentences) error {
	doc := Definitions{Schema: DefinitionsSchema, Version: version, Requests: []DefinedRequest{}, Together: []DefinedAll{}}
	var traces []definition.Trace
	for i := range runs {
		r := &runs[i]
		out := DefinedRequest{ID: r.Stream.ID, Wall: r.Stream.Wall.UTC().Format(time.RFC3339Nano), Rules: []DefinedFigures{}}
		trace, why := definition.Of(&r.Stream, &r.Figures)
		if why != 0 {
			out.Why = say.Why(why)
		} else {
			traces = append(traces, trace)
			for _, row := range definition.Table(&trace) {
				out.Rules = append(out.Rules, definedOf(&row))
			}
		}
		doc.Requests = append(doc.Requests, out)
	}
	for _, s := range definition.Summarize(traces) {
		doc.Together = append(doc.Together, DefinedAll{
			ruleOf(s.Rule), s.Requests, s.TTFT50, s.TTFT99, s.ITL50, s.ITL99, s.ITLValues,
		})
	}
	return say.document(w, &doc)
}

func ruleOf(r *definition.Rule) DefinedRule {
	return DefinedRule{r.Tool, r.Versions, r.Before, r.Source, string(r.Evidence), r.GapPool.String(), r.Quantile.String()}
}

func definedOf(row *definition.Row) DefinedFigures {
	out := DefinedFigures{
		DefinedRule: ruleOf(row.Rule), Tokens: row.Tokens, TTFT: row.TTFT.Value, ITL: row.ITL.Value,
		TPOT: row.TPOT.Value, Speed: row.Speed.Value, Latency: row.Latency.Value,
		Count: row.Count.String(), First: row.First, Last: row.Last, Events: row.Counted, ByServer: map[string]float64{},
	}
	for name, v := range map[string]metrics.Value{
		"ttft_ms": row.TTFT.ByServer, "itl_ms": row.ITL.ByServer, "tpot_ms": row.TPOT.ByServer,
		"speed_tok_per_s": row.Speed.ByServer, "latency_ms": row.Latency.ByServer,
	} {
		if v.OK {
			out.ByServer[name] = v.V
		}
	}
	return out
}
