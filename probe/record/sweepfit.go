package record

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// SweepFit is the JSON form of loadstat.TTFTFit: TTFT = a_ms + b_ms_per_token
// · prompt tokens. An unknown value is null, with its reason in unknown.
type SweepFit struct {
	A *float64 `json:"a_ms"`
	B *float64 `json:"b_ms_per_token"`
	// Off is the median distance of a request from the line.
	Off *float64 `json:"median_miss_ms"`
	// R2 is the share of TTFT's spread explained by the length, 0 to 1;
	// outliers do not count.
	R2 *float64 `json:"r2"`
	// Longest is how far the longest prompts are off the line, 0.1 for 10 % above.
	// Beyond 0.1 either way TTFT is no line over these lengths, whatever r2 says.
	Longest *float64 `json:"longest_off,omitempty"`
	// Low and High are the shortest and the longest of the prompts; TTFT
	// outside of them was not measured. null without requests.
	Low     *float64 `json:"prompt_tokens_min"`
	High    *float64 `json:"prompt_tokens_max"`
	N       int      `json:"n"` // requests; the last 200 at most
	Unknown string   `json:"unknown,omitempty"`
}

func sweepFitOf(f *loadstat.TTFTFit, say Sentences) *SweepFit {
	if f == nil {
		return nil
	}
	s := &SweepFit{A: value(f.A), B: value(f.B), Off: value(f.Off), R2: value(f.R2), Longest: value(f.Longest), N: f.N}
	if f.High > 0 {
		s.Low, s.High = finite(f.Low), finite(f.High)
	}
	for _, v := range []metrics.Value{f.A, f.B, f.Off, f.R2} {
		if !v.OK && s.Unknown == "" {
			s.Unknown = say.why(v.Why)
		}
	}
	return s
}

// fit returns the fit from which s was made.
func (s *SweepFit) fit(say Sentences) *loadstat.TTFTFit {
	if s == nil {
		return nil
	}
	back := func(v *float64) metrics.Value {
		if v == nil {
			return metrics.Unknown(say.parseWhy(s.Unknown))
		}
		return metrics.Known(*v, s.N)
	}
	f := &loadstat.TTFTFit{A: back(s.A), B: back(s.B), Off: back(s.Off),
		R2: back(s.R2), Longest: metrics.Unknown(metrics.WhyNotRecorded), N: s.N}
	if s.Longest != nil {
		f.Longest = metrics.Known(*s.Longest, s.N)
	}
	if s.Low != nil && s.High != nil {
		f.Low, f.High = *s.Low, *s.High
	}
	return f
}
