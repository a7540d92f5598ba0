package verdict

import (
	"cmp"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/slo"
)

// Code names what a finding says. The codes are part of the JSON output. A
// doubt about the figures has the code of its metrics.SuspectCode.
type Code string

// The codes, each with the fields of Finding that it fills.
const (
	// How it ended.
	// Fault; N chunks arrived; Ms from sent to the end. Part is the stage that the answer reached, unless it was an
	// error. Of a stream without chunks whose events all had none, Of is their number
	Failed    Code = "failed"
	Truncated Code = "truncated" // as Failed, without Fault; Ms from sent to the last chunk
	// by the person: N chunks arrived; Ms from sent to the end, in the last PartMs of which nothing came
	Stopped Code = "stopped"

	// Unseen: an answer that ended well shows nothing. All of its N tokens, or Chunks, were reasoning; with Mixed
	// white space can be among them. Part is the finish reason. Of several requests N is 0, as in Finish
	Unseen Code = "no_visible_answer"
	// Finish: an answer ended by itself, and not as the model meant it: Part is the finish reason, after N tokens,
	// or Chunks
	Finish Code = "finish_reason"
	// Refused: an answer that ended well is the model's refusal alone, of N tokens, or Chunks
	Refused Code = "refusal"

	// What happens now.
	Asking     Code = "asking"     // the server is asked for its models before the request; Ms so far
	Connecting Code = "connecting" // Part takes Ms so far
	// no chunk Ms after sent; Part is a Stage; N of Of prompt tokens at StageProgress,
	// about PartMs to go, N tokens so far at StageThinking, Name has worked for PartMs at StageTool;
	// AtMs: Part began, ms after sent
	Waiting Code = "waiting"
	// nothing for Ms; N chunks arrived; Name is the server's own tool that works meanwhile, "" for none
	Silent Code = "silent"

	// The figures.
	Connect Code = "connect" // the time before sent took Ms, PartMs of it Part
	Retried Code = "retried" // the request was sent N times more
	// after Ms, PartMs of it Part, or, with Name, that tool of the server; Of requests share it when above 1
	FirstToken Code = "first_token"
	// tools of the server worked N times after the first token, Ms together, Name the longest
	Tools  Code = "server_tools"
	Audio  Code = "audio"  // the first after Ms; N bytes once the stream has ended
	Images Code = "images" // N of them, of Of bytes: of a stream that has ended
	// Rate, Ratio times the pace Name; Chunks or About; Low is the rate without the N stalls, which cost Ms
	Speed Code = "speed"
	// N; the longest has Ms, ended with chunk Chunk, AtMs after sent, and is Ratio medians long; PartMs
	// is a lag that can be its cause; with Gap, Name is the proxy's address if there is one
	Stalls     Code = "stalls"
	Earlier    Code = "earlier_ttft" // Ms lies beyond Low to High of N earlier runs; Above
	EarlierTPS Code = "earlier_speed"
	Pinned     Code = "pinned"     // Ratio is the speed in that of run N, the reference; Ms and Low are both TTFT
	CacheLost  Code = "cache_lost" // N prompt tokens that an earlier run had from the server's cache are read again
	Lens       Code = "lens"       // Verdict

	// Doubts beside those of metrics.
	OtherModel  Code = "other_model"  // Name answered; Mixed: and others
	OtherTier   Code = "other_tier"   // Name was served, Part asked
	Attempts    Code = "attempts"     // N fallbacks and Of retries behind a gateway are part of the wait
	SharedReads Code = "shared_reads" // N of Of gaps are unknown: their chunks shared a read
	Estimated   Code = "estimated"    // the count of tokens is estimated from the text

	// Of several requests.
	// N of Of requests failed or were truncated, as Failures say; Part is the kind of more than half of them;
	// Mixed: there are others; of several requests, the most chunks of one are Chunk
	SomeFailed  Code = "some_failed"
	SomeStopped Code = "some_stopped" // the person stopped N of Of requests
	SplitTTFT   Code = "ttft_split"   // Split
)

// Stages of a wait for the first chunk, in their order.
const (
	StageSent     = "sent"     // no byte of an answer
	StageByte     = "byte"     // a part of the headers has arrived
	StageHeaders  = "headers"  // the headers have arrived
	StageComment  = "comment"  // keep-alives have arrived, and no event
	StageEvents   = "events"   // events without text have arrived
	StageQueue    = "queue"    // the server reports that the request is queued
	StagePrefill  = "prefill"  // the server reports that it reads the prompt
	StageProgress = "progress" // the same with a count
	StageThinking = "thinking" // the server counts thinking that it does not send
	StageTool     = "tool"     // a tool of the server works
)

// Values of Finding.Part beside the names of metrics.Share.
const (
	PartHeaders = "headers" // the time to the first byte of the response
	PartLag     = "lag"     // how late tokscope was at most
)

// Grade says what a finding means for the person.
type Grade uint8

const (
	// Good: as it should be.
	Good Grade = iota
	// Notable: worth knowing, no harm.
	Notable
	// Bad: a person notices it.
	Bad
	// Spoils: figures are not what their names say.
	Spoils
)

var gradeNames = [...]string{"good", "notable", "bad", "spoils"}

// String returns the word used in JSON.
func (g Grade) String() string { return gradeNames[g] }

// Evidence is a set of what a finding rests on.
type Evidence uint16

const (
	ByMarks       Evidence = 1 << iota // moments that this client stamped
	ByGaps                             // known gaps between chunks
	ByReads                            // how chunks shared reads
	ByClock                            // the running clock
	ByServerTimes                      // times that the server reported
	ByUsage                            // token counts of the server
	ByText                             // the text that arrived
	ByFault                            // how the request ended
	ByLag                              // the jitter monitor
	ByEarlier                          // earlier runs of the session
	ByBudget                           // a lens's budget
	ByName                             // the model's name in the answer
	ByHeaders                          // headers of the response
	ByPath                             // counters of the connection's socket
	ByConnect                          // connects to the same address during the silence
	ByHistory                          // this machine's history
)

var evidenceNames = [...]string{"marks", "gaps", "reads", "clock", "server_times", "usage",
	"text", "fault", "lag", "earlier_runs", "budget", "model_name", "headers", "path", "connect", "history"}

// Names returns the words of e, as in JSON.
func (e Evidence) Names() []string {
	var out []string
	for i, name := range evidenceNames {
		if e&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// Owner says whose a time was.
type Owner string

const (
	OwnerUndecided Owner = ""                // server, proxy or network: no evidence decides
	OwnerNetwork   Owner = "network"         // name lookup, connecting, upload
	OwnerServer    Owner = "server"          // by its own report
	OwnerTokscope  Owner = "tokscope"        // this program or its machine
	OwnerFarSide   Owner = "server_or_proxy" // the server, or a proxy before it: not the network between
)

// Finding is one thing that a stream shows. A code fills only the fields that
// its constant names; the others are zero. Times are ms.
type Finding struct {
	Code     Code  `json:"code"`
	Grade    Grade `json:"grade"`
	Evidence Evidence
	Owner    Owner `json:"owner,omitempty"` // whose a time was; "": server, proxy or network, undecided

	Ms     float64 `json:"ms,omitempty" form:"null=zero"`
	PartMs float64 `json:"part_ms,omitempty" form:"null=zero"`
	AtMs   float64 `json:"at_ms,omitempty" form:"null=zero"` // since the request was sent
	Low    float64 `json:"low,omitempty" form:"null=zero"`
	High   float64 `json:"high,omitempty" form:"null=zero"`
	// Rate is tok/s of one user, or chunks/s with Chunks.
	Rate    float64 `json:"rate_per_s,omitempty" form:"null=zero"`
	Ratio   float64 `json:"ratio,omitempty" form:"null=zero"`
	N       int     `json:"n,omitempty"`
	Of      int     `json:"of,omitempty"`
	Chunk   int     `json:"chunk,omitempty"` // at the end of the longest stall, from 1
	Part    string  `json:"part,omitempty"`  // of Ms, or the stage of a wait
	Name    string  `json:"name,omitempty"`
	Chunks  bool
	About   bool `json:"estimated,omitempty"`
	Above   bool `json:"above,omitempty"` // Ms, or Rate, lies above High; else below Low
	Running bool
	Mixed   bool
	// Having of Among requests have a doubt, or ended so; both are 0 where it is about one request.
	Having int `json:"requests,omitempty"`
	Among  int `json:"of_requests,omitempty"`

	Failures metrics.FaultCounts `json:"failures,omitempty"`

	Fault   *metrics.Fault
	Verdict *slo.LensVerdict
	Suspect *metrics.Suspicion
	Split   *metrics.Split       `json:"split,omitempty"`
	Gap     *metrics.PathGap     // of Stalls: what the socket counted in the longest
	Silence *metrics.PathSilence // of Silent: segments out of order beneath it
	Connect *metrics.PathConnect // of Waiting, Silent and FirstToken: the latest connect in that time
	// Usual is what Ms, or Rate, of Waiting, FirstToken and Speed lies outside of; absent where it is usual, or
	// unknown. Above says on which side. More is the part of Ms that is longer than usual, "" where none explains it.
	Usual *metrics.Band `json:"usual,omitempty"`
	More  string        `json:"longer_part,omitempty"`
}

// ranks orders findings of equal weight as one would tell them.
var ranks = map[Code]int{
	Failed: 1, Truncated: 1, Stopped: 1, SomeFailed: 1, SomeStopped: 1, Unseen: 1,
	Asking: 2, Connecting: 2, Waiting: 2, Silent: 2,
	Finish: 9, Refused: 9, Connect: 10, Retried: 11, FirstToken: 12, Speed: 13, Audio: 14, Images: 14, Stalls: 15,
	Pinned: 14, Tools: 15, Earlier: 16, EarlierTPS: 17, Lens: 18,
	Code(metrics.SuspectWithheld): 14, Code(metrics.SuspectSilence): 14,
	CacheLost: 19, SplitTTFT: 19, OtherModel: 20, OtherTier: 21, Attempts: 22, SharedReads: 50, Estimated: 51,
}

// rank is that of ranks, 30 for a code without one.
func (f *Finding) rank() int { return cmp.Or(ranks[f.Code], 30) }

// weight is 0 for how it ended, 1 for what happens now, 2 for what spoils the
// figures, 3 for an unusual or a bad figure, 4 for another, and 5 for a mere doubt.
func (f *Finding) weight() int {
	switch rank := f.rank(); {
	case rank == 1:
		return 0
	case rank == 2:
		return 1
	case f.Grade == Spoils:
		return 2
	case rank < 20 && (f.Grade == Bad || f.Usual != nil):
		return 3
	case rank < 20:
		return 4
	}
	return 5
}

// order sorts all by importance. Findings of one weight and one rank keep
// their order.
func order(all []Finding) {
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(a.weight()-b.weight(), a.rank()-b.rank())
	})
}
