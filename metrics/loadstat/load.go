package loadstat

import (
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/slo"
)

// LaneState is the activity of one user of a load, as the client sees it.
type LaneState uint8

const (
	// LaneIdle: between two requests (think time, or not yet begun).
	LaneIdle LaneState = iota
	// LaneConnecting: the request is not yet sent.
	LaneConnecting
	// LaneWaiting: sent, and the server reports that the request is queued.
	LaneWaiting
	// LaneNoToken: sent, no token yet; the server does not report whether it is queued.
	LaneNoToken
	// LanePrefill: sent, and the server reports that it reads the prompt.
	LanePrefill
	// LaneDecoding: chunks are arriving.
	LaneDecoding
	// LaneStalled: decoding, with the last chunk longer ago than
	// View.StallAfter.
	LaneStalled
	// LaneBackoff: waiting as the server asked (Retry-After), or after an error.
	LaneBackoff
	// LaneLeaving: its request may end and no new one follows, because the load
	// shrinks.
	LaneLeaving
)

// String returns the word used on screen and in JSON.
func (l LaneState) String() string {
	return [...]string{"idle", "connecting", "waiting", "no token yet", "prefill", "decoding", "stalled", "backoff",
		"leaving"}[l]
}

// Slice is a short interval of one lane's past: its most important state and,
// while decoding, its longest gap.
type Slice struct {
	State LaneState
	Gap   float32 // ms; 0 when no gap ended in it
}

// Lane is one user of a load at one moment.
type Lane struct {
	User    int // from 1
	State   LaneState
	Since   metrics.Stamp // of State
	Stream  int           // id of its running or last request; 0 before any
	Gap     float64       // its latest, ms; with many users as of the last finished slice, or later
	Done    int           // requests that ended well
	Past    []Slice       // oldest first, 0.1 s each; shared: read only
	Offset  int           // index of the first slice of Past, counted since the load began
	Leaving bool          // no new request follows
}

// Point is the state of a load over one window at a constant number of users.
// Unless noted, every figure covers the window and the requests that ended
// well in it.
type Point struct {
	Users int           `json:"users"` // in an open loop: requests under way, on average
	From  metrics.Stamp `json:"from_ns"`
	To    metrics.Stamp `json:"to_ns"`
	// Setup is the index in View.Setups of the work that was measured.
	Setup  int      `json:"setup,omitempty"`
	Steady bool     `json:"steady"`
	Why    Unsteady `json:"not_steady,omitzero"` // why it is not steady (yet); zero when it is
	Warmup bool     `json:"warm_up"`             // the window began before every user had its first chunk

	// Speed is per-user tok/s: mean over the requests of 1/TPOT. SpeedP5 is the 5th
	// percentile of the same.
	Speed   metrics.Value `json:"speed_tok_per_s"`
	SpeedP5 metrics.Value `json:"speed_p5_tok_per_s"`
	// Total is throughput: tokens received in the window / window, tok/s.
	Total metrics.Value `json:"throughput_tok_per_s"`
	// Peak is the most tokens that all requests together received in one second
	// of the window, tok/s: of the seconds that begin at a tenth of a second
	// since the load began. It is at least Total.
	Peak metrics.Value `json:"peak_tok_per_s"`
	// SpeedInterval and TotalInterval are those of Speed and Total. Only a steady
	// point has them.
	SpeedInterval Interval     `json:"speed_interval_tok_per_s,omitempty"`
	TotalInterval Interval     `json:"throughput_interval_tok_per_s,omitempty"`
	TTFT          metrics.Dist `json:"ttft_ms"`
	TPOT          metrics.Dist `json:"tpot_ms"`
	Gaps          metrics.Dist `json:"gap_ms"`
	Turns         metrics.Dist `json:"turn_ms,omitzero"` // the total time, where a session is played
	// Whole is the total time of a request, from the sending to the last chunk.
	Whole  metrics.Dist `json:"total_ms,omitzero"`
	MLPerf MLPerf       `json:"mlperf,omitzero"`
	// TTFTFailed is TTFT with the requests of its window that failed; zero where none did.
	TTFTFailed metrics.WithFailures `json:"ttft_with_failures_ms,omitzero"`
	// Running is the mean number of requests under way, without those known to
	// be queued at the server. Prefill is the part of Running without a first
	// chunk. Waiting is the mean number of requests known to be queued. It is
	// unknown for a server that does not report its queue; its queued requests
	// count as prefill.
	Running metrics.Value `json:"running"`
	Prefill metrics.Value `json:"prefill"`
	Waiting metrics.Value `json:"waiting"`

	Requests int `json:"ended_well"`
	// AtOnce is how many of the requests of TTFT were held back and let go: Speed, TPOT
	// and Gaps leave them out.
	AtOnce int `json:"at_once,omitempty"`
	// LeftOpen is how many of them waited for an end marker, see metrics.Connection.LeftOpen:
	// a time without tokens that Total, Rate and goodput include.
	LeftOpen int `json:"left_open,omitempty"`
	Failed   int
	Retried  int `json:"retried,omitempty"` // of all that ended; see metrics.Stream.Retried
	Faults   []metrics.FaultCount
	// Outside are the requests of a sweep's step that failed outside its window,
	// such as before it: neither Failed nor Faults has them.
	Outside  []metrics.FaultCount `json:"faults_outside_window,omitempty"`
	GoodRate metrics.Value        `json:"goodput_req_per_s"` // requests that met every SLO
	// GoodShare is 0..1 of the ended requests; its N is the base of Misses.
	GoodShare metrics.Value `json:"goodput_share" form:"n=goodput_of"`
	// JudgedFailed is how many of the requests that GoodShare counts failed. They are
	// among the Misses of every objective.
	JudgedFailed int `json:"goodput_failed,omitempty"`
	// GoodTokens is the token goodput, tok/s: Total times the share of the ended
	// requests' tokens that came with requests that met every SLO.
	GoodTokens metrics.Value `json:"goodput_tok_per_s"`
	Rate       metrics.Value `json:"requests_per_s"` // requests that ended well
	Misses     []Miss        `json:"misses"`
	Estimated  bool          `json:"output_tokens_estimated"` // tokens are estimated for at least one request
	Tokens     float64       `json:"output_tokens" form:"null=inf"`
	// Asked is the scheduled rate of arrivals of an open loop, requests per
	// second; 0 in a closed loop. In an open loop Users is the mean number of
	// requests under way.
	Asked float64 `json:"rate_asked_per_s" form:"null=zero"`
	// FromIntended is the time from a request's scheduled sending to its first
	// chunk, ms: open loop only. Unlike TTFT it includes this program's lag.
	FromIntended metrics.Dist `json:"ttft_from_schedule_ms"`
	// FromIntendedAtLeast are lower bounds of the percentiles of FromIntended,
	// where so many requests still wait for a first chunk that these must be
	// counted: an endpoint that falls far behind. The requests are those of the
	// window, and those of this rate that are due or under way. Not on a ramp.
	FromIntendedAtLeast metrics.AtLeast `json:"ttft_from_schedule_at_least_ms,omitzero"`
	// Arrived is the rate at which scheduled requests were due, requests per
	// second. Backlog is the mean number of those that waited for a free user.
	// Both are zero in a closed loop.
	Arrived metrics.Value `json:"arrivals_per_s,omitempty" form:"bare"`
	Backlog metrics.Value `json:"backlog,omitempty" form:"bare"`
	// Ramp is the load at the begin and the end of the window, where it
	// changed all the time; nil at a constant load. Such a point is never
	// steady. Its requests are those that ended in it. Read only.
	Ramp *Ramp `json:"ramp,omitempty"`
	// GapBins and TTFTBins are histograms of Gaps and TTFT, ms, with the same
	// edges for every point; nil without values. Read only.
	GapBins  *metrics.Histogram `json:"gap_bins,omitempty"`
	TTFTBins *metrics.Histogram `json:"ttft_bins,omitempty"`
	// Delay is this program's own lateness, where it shows in the figures.
	Delay metrics.Delay `json:"delay,omitzero"`
	// Stamps says who took those of the window's chunks, as View.Stamps; "" for
	// none.
	Stamps string `json:"stamps,omitempty"`
	// Fit is TTFT over the server's count of prompt tokens, for the requests of
	// TTFT; nil when prompts do not vary in length. Read only.
	Fit *TTFTFit `json:"ttft_fit,omitempty"`
}

// View is an immutable view of a running or ended load.
type View struct {
	Now      metrics.Stamp
	Began    metrics.Stamp
	Running  bool
	Holding  bool // no new requests begin
	Ending   bool // no new request begins any more; the running ones end
	Target   int  // users asked for; 0 while a load ends
	Users    int  // users that exist (more than Target while it shrinks)
	Work     metrics.Workload
	Endpoint metrics.Endpoint
	// that answered last, by the server's name, else the one found for a target without a model; "" for unknown
	Model string
	SLOs  []slo.Objective

	Lanes []Lane
	// StallAfter is the silence after which a decoding lane is stalled, far
	// longer than the usual gaps of all lanes. 0 before the first gap.
	StallAfter time.Duration
	// InFlight counts the current requests, Decoding the part with a first
	// chunk. Waiting counts the requests that the server reports as queued; it
	// is unknown for a server that does not report its queue.
	InFlight, Decoding int
	Waiting            metrics.Value

	Live  Point   // the current window
	Path  []Point // finished points in the order in which they were taken
	Alone *Point  // the last steady point at one user with the present work, nil without one
	// Marks are what was changed while the load ran, oldest first: the last 256.
	// MarksLeftOut counts those before. Shared: read only.
	Marks        []Mark
	MarksLeftOut int
	// Setups are the works of the load so far, each once; Setup is the index of
	// the present one. Points of different works are not compared. Only the work
	// of a Setting counts here. Shared: read only.
	Setups []Setting
	Setup  int
	// Undo is the change that an undo would take back; nil for none.
	Undo *Mark
	// Series is the history for the time chart, one entry per second, oldest
	// first.
	Series []Sample

	Sent           int                  `json:"sent"`
	Done           int                  `json:"ended_well"`
	Failed         int                  `json:"failed"`
	TokensReceived float64              `json:"output_tokens" form:"null=inf"` // by all requests
	Chunks         int                  // received by all requests, those under way included
	Heard          int                  // requests with a byte of an answer, as long as Chunks is 0
	Faults         []metrics.FaultCount `json:"faults,omitempty"` // by kind
	// Finishes are those of Done by finish reason, as in metrics.Summary.
	Finishes map[string]int `json:"finish_reasons,omitempty"`
	// LastFault is of the last request that failed, nil without one. Shared: read only.
	LastFault *metrics.Fault `json:"last_fault,omitempty"`
	Broken    metrics.Ending // the breaker's reason; zero while closed
	Budget    Budget         `json:"" form:"inline"`
	// Observer is the program's own lag. Its stamps are counted over all ended
	// requests, LagP50 and LagP99 are medians over the last 32 of them, and LagMax
	// is the largest of all.
	Observer metrics.Observer
	// Stamps says who took them: "kernel", "user", "body", "mixed", or "none"
	// before the first chunk.
	Stamps       string
	ClientLimits ClientLimit  // why this program itself limits the load; zero when it does not
	ScheduleLag  metrics.Dist // ms, open loop: how late requests were sent
	// Limits are the rate limits that the headers of answers tell of, as of Now.
	Limits metrics.LimitForecasts
	// Cancelled requests are neither done nor failed: this program stopped
	// them.
	Cancelled int `json:"canceled"`
	// Retried requests were sent again, see metrics.Stream.Retried.
	Retried int `json:"retried,omitempty"`
	// Stopped is why a load ended by itself. It is zero while the load runs and
	// when a person stopped it.
	Stopped metrics.Ending
	// Asks is the question that must be answered before the load grows or
	// spends further; zero without one.
	Asks Question
	// Seed reproduces the lengths, nonces and arrivals of this load.
	Seed uint64
	// Rate is the rate of arrivals asked for, requests per second; 0 in a closed loop.
	Rate float64
	// Drive is what makes requests begin at Now, with the rest of a ramp.
	Drive Drive
	// Arrived counts the scheduled requests that were due so far, Backlog those
	// of them that wait for a free user.
	Arrived, Backlog int
	// Input and Output are the distributions of prompt lengths and output
	// limits; the zero Lengths: as in Work.
	Input, Output metrics.Lengths
}

// ClientLimitCode names a reason why this program itself limits a load.
// ui/format has the sentences. "" is no limit.
type ClientLimitCode string

// The codes. Ms is a p99 in each of them.
const (
	LimitSchedule ClientLimitCode = "schedule_late" // requests leave Ms after their scheduled time
	LimitSending  ClientLimitCode = "sending_late"  // the program lags by Ms, so requests leave late
	LimitReading  ClientLimitCode = "reading_late"  // chunks are read Ms after they arrived
)

// ClientLimit is why this program itself limits a load. The zero value is no
// limit.
type ClientLimit struct {
	Code ClientLimitCode
	Ms   float64
	// Slower is the part of the throughput that a lag of the program costs at most, from
	// 0 to 1: that of Ms in a request and the lag before the next one. 0 where the schedule
	// is what breaks.
	Slower float64
	// Users is the number of users that all wait for an answer and so cause a
	// late schedule; 0 when the program's lag does.
	Users int
}

// WaitsWithin is the time behind each Sample.TTFTs: long enough for a p95 at one
// request a second, short enough to follow a load that changes.
const WaitsWithin = 30 * time.Second

// Sample is one second of a load.
type Sample struct {
	At    metrics.Stamp
	Users int
	Total float64       // tok/s received in that second
	Speed metrics.Value // per-user, tok/s
	// TTFTs are p50, p95 and p99 of the requests whose first chunk came in the
	// WaitsWithin before its end, ms: of the last 4,096 of them, and of those sent
	// since the last change of what is sent. N is their number.
	TTFTs [3]metrics.Value
	// Rate is the rate of arrivals asked for at its end, requests per second; 0
	// in a closed loop. Arrived and Ended count the requests that were due and
	// that ended in it. Backlog and InFlight are the mean numbers of those that
	// wait for a free user and that are under way.
	Rate              float64
	Arrived, Ended    int
	Backlog, InFlight float64
}

// Budget is what a load may use and has used.
type Budget struct {
	Tokens float64 `json:"tokens_used" form:"null=inf"` // prompt of everything sent and output so far
	// Estimated: some of Tokens are not the server's count, such as the prompts of
	// requests that the end of a step canceled.
	Estimated bool          `json:"tokens_used_estimated,omitempty"`
	MaxTokens float64       // 0: no cap
	Cost      metrics.Value `json:"cost"`                    // when a price is configured
	Currency  string        `json:"cost_currency,omitempty"` // of Cost; "" when it has no name
	Left      time.Duration
}

// Failures returns all failed requests of p, by kind, the most frequent first:
// of a sweep's step also those outside its window.
func (p *Point) Failures() (n int, faults []metrics.FaultCount) {
	n, faults = p.Failed, slices.Clone(p.Faults)
	for _, f := range p.Outside {
		n += f.N
		faults = metrics.AddFaults(faults, f)
	}
	return n, faults
}

// Started returns how many of the users have sent a request. It is less than Users
// while users join a closed loop, one after the other.
func (v *View) Started() int {
	n := v.Users
	for i := range v.Lanes {
		if v.Lanes[i].Stream == 0 {
			n--
		}
	}
	return max(n, 0)
}

// One returns the point of a single user with the present work: Alone, else the
// last point at one user that was not steady. nil when no such point has a speed.
func (v *View) One() *Point {
	if v.Alone != nil && v.Alone.Speed.OK {
		return v.Alone
	}
	for i := len(v.Path) - 1; i >= 0; i-- {
		if a := &v.Path[i]; a.Setup == v.Setup && a.Users == 1 && a.Asked == 0 && a.Ramp == nil && a.Speed.OK {
			return a
		}
	}
	return nil
}

// Miss is the number of requests that missed one objective. One request can
// miss several.
type Miss struct {
	SLO slo.Objective `json:"slo"`
	N   int           `json:"n"`
}
