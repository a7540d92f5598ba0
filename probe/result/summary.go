package result

import "tokscope/metrics"

// Summary is the JSON form of metrics.Summary: figures over the requests that
// ended well. The others are only counted.
type Summary struct {
	*metrics.Summary
	LeftOut *Trimmed `json:"left_out,omitempty"` // of requests beyond the memory for chunks and texts
	Stamps  string   `json:"stamps"`
	Lag     Lag      `json:"lag"`
}

// Trimmed counts what was dropped from memory when requests had ended: their
// figures stay. The percentiles of gap_ms and itl_ms name another method then.
type Trimmed struct {
	Requests int `json:"requests"`
	Chunks   int `json:"chunks"`
	Text     int `json:"text_bytes"`
}

// SummaryOf returns the JSON form of s.
func SummaryOf(s *metrics.Summary) Summary {
	out := Summary{Summary: s, Stamps: "none", Lag: Lag{s.Observer, s.Delay}}
	if s.Observer.KernelStamps+s.Observer.UserStamps > 0 {
		out.Stamps = s.Stamps.String()
	}
	if s.Trimmed > 0 {
		out.LeftOut = &Trimmed{s.Trimmed, s.ChunksTrimmed, s.TextTrimmed}
	}
	return out
}
