package result

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/doctor"
)

// DoctorSchema names the format of tokscope doctor --json.
const DoctorSchema = "tokscope/doctor/v1"

// CheckUp is the document of tokscope doctor --json.
type CheckUp struct {
	Schema string `json:"schema"`
	Tool   Tool   `json:"tool"`
	*doctor.Report
	Found      int     `json:"found"` // checks that need something to be done
	Conclusion string  `json:"conclusion"`
	Checks     []Check `json:"checks"`
}

// Check is one check. What does not apply is absent.
type Check struct {
	*doctor.Check
	Text    string             `json:"text"` // what was found, as a sentence
	Next    []string           `json:"next"` // what to do, the most likely first
	Buffer  *metrics.Buffering `json:"buffer,omitempty"`
	Request *Request           `json:"request,omitempty"` // of a stream
}

// CheckUpOf returns the document of a check-up.
func CheckUpOf(r *doctor.Report, version string, say Sentences) CheckUp {
	d := CheckUp{Schema: DoctorSchema, Tool: ToolOf(version), Report: r, Found: len(r.Found()), Conclusion: say.One(r)}
	for i := range r.Checks {
		d.Checks = append(d.Checks, checkOf(&r.Checks[i], say))
	}
	return d
}

func checkOf(k *doctor.Check, say Sentences) Check {
	texts := say.all(k, time.Time{}, 1)
	c := Check{Check: k, Text: texts[0], Next: texts[1:]}
	if s := k.Suspect; s != nil && s.Code == metrics.SuspectBuffered {
		c.Buffer = &s.Buffering
	}
	if k.Run != nil && k.Code != doctor.Buffers && k.Code != doctor.Client {
		q := RequestOf(&k.Run.Stream, &k.Run.Figures)
		c.Request = &q
	}
	return c
}
