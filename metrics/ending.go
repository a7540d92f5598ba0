package metrics

// EndingCode names a reason why a load or a sweep ended by itself. ui/format
// has the sentences. "" is none.
type EndingCode string

// The codes, with the fields of Ending that they fill.
const (
	EndingCap         EndingCode = "token_cap"   // Tokens: the next request could exceed the cap
	EndingFailures    EndingCode = "all_failed"  // Requests, Most, Kind, Last: the last requests all failed
	EndingClosing     EndingCode = "closing"     // the program was closing
	EndingInterrupted EndingCode = "interrupted" // by a person; Step: the step under way
	EndingStepFailed  EndingCode = "step_failed" // Step: every request of it failed
	EndingMissed      EndingCode = "slo_missed"  // Step, SLO: it misses this objective
	EndingError       EndingCode = "error"       // Last: nothing could begin
)

// Ending is why a load or a sweep ended by itself. The zero Ending is none. It
// is here because the engine of the Explain screen ends so as well, and
// metrics/serving stands below metrics/loadstat.
type Ending struct {
	Code     EndingCode
	Requests int       // failed in a row
	Most     int       // of the failed ones, those of Kind
	Kind     FaultKind // the most frequent one
	Last     *Fault    // the last failure; read only
	Tokens   CapUse
	Step     LoadStep
	SLO      string // name of an objective: "ttft"
}

// CapUse is the use of a cap of tokens that a further request could exceed.
type CapUse struct {
	Max, Used, Reserved float64 // Reserved is for the running requests
	Next                float64 // the most that the next request can use
	Requests            int     // that Next is for; 0: one
}

// LoadStep is a step of a sweep: its users, its rate of arrivals or its depth. The zero
// LoadStep is none.
type LoadStep struct {
	Users int     // of a closed loop
	Rate  float64 // requests per second of an open loop, else 0
	Depth int     // prompt tokens of a sweep over prompt lengths, else 0
}

// NotBegun returns the ending of what could not begin because of err.
func NotBegun(err error) Ending {
	return Ending{Code: EndingError, Last: &Fault{Kind: FaultInternal, Message: err.Error()}}
}
