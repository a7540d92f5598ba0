package format

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/verdict"
	"tokscope/ui/sanitize"
)

// undecided ends a clause about a time whose cause stamps at the receiver
// cannot tell.
const undecided = ": server, proxy or network"

// nameMost is the longest name from outside in a conclusion.
const nameMost = 30

// conclusions has a writer for every code of a finding that is no doubt of
// metrics.
var conclusions = map[verdict.Code]func(f *verdict.Finding) (long, short string){
	verdict.Failed:     failed,
	verdict.Truncated:  truncated,
	verdict.Stopped:    stopped,
	verdict.SomeFailed: someFailed,
	verdict.SomeStopped: func(f *verdict.Finding) (string, string) {
		was := " were stopped"
		if f.N == 1 {
			was = " was stopped"
		}
		return same(Count(f.N) + " of " + Plural(f.Of, "request", "requests") + was)
	},
	verdict.Asking: func(f *verdict.Finding) (string, string) {
		return same("asking the server for its models for " + clock(f.Ms))
	},
	verdict.Connecting: connecting,
	verdict.Waiting:    waiting,
	verdict.Silent:     silent,
	verdict.Connect:    connected,
	verdict.Retried: func(*verdict.Finding) (string, string) {
		return "the kept connection had ended: the request was sent again", "sent again"
	},
	verdict.FirstToken: firstToken,
	verdict.Speed:      speed,
	verdict.Stalls:     stalls,
	verdict.Earlier:    earlierTTFT,
	verdict.EarlierTPS: earlierSpeed,
	verdict.Lens:       lens,
	verdict.OtherModel: func(f *verdict.Finding) (string, string) {
		return same("another model answered: " + sanitize.Line(f.Name, nameMost))
	},
	verdict.SharedReads: sharedReads,
	verdict.Estimated: func(*verdict.Finding) (string, string) {
		return "tokens are estimated from the text", "tokens estimated"
	},
}

func same(text string) (long, short string) { return text, text }

// clock writes a running time, which moves in steps that can be read.
func clock(ms float64) string {
	b, unit := AppendStopwatch(nil, ms)
	return string(b) + " " + unit
}

// faults say what ended a request, in a few words.
var faults = map[metrics.FaultKind]string{
	metrics.FaultConfig:     "the configuration does not allow it",
	metrics.FaultDNS:        "the host name was not found",
	metrics.FaultConnect:    "no connection",
	metrics.FaultTLS:        "the TLS handshake failed",
	metrics.FaultTimeout:    "timed out",
	metrics.FaultHTTP:       "the server returned an error",
	metrics.FaultAuth:       "not authorized",
	metrics.FaultRateLimit:  "rate limited",
	metrics.FaultRedirect:   "it was redirected",
	metrics.FaultNotStream:  "the answer is not a stream",
	metrics.FaultInStream:   "the server sent an error in the stream",
	metrics.FaultProtocol:   "the response is malformed",
	metrics.FaultTooLarge:   "the response is too large",
	metrics.FaultReset:      "the connection broke",
	metrics.FaultTruncated:  "the stream was truncated",
	metrics.FaultEmpty:      "the answer has no token",
	metrics.FaultCompressed: "the response is compressed",
	metrics.FaultCancelled:  "stopped",
	metrics.FaultLocal:      "this machine ran out of files or memory",
	metrics.FaultInternal:   "an internal error of tokscope",
}

// faultWords is what ended a request, with its status and its bound.
func faultWords(f *metrics.Fault) string {
	words := faults[f.Kind]
	if words == "" {
		words = sanitize.Line(string(f.Kind), nameMost)
	}
	switch {
	case f.Kind == metrics.FaultHTTP && f.Status >= 500:
		words = "the server failed"
	case f.Kind == metrics.FaultHTTP && f.Status >= 400:
		words = "the server refused it"
	}
	if f.Status != 0 {
		words = fmt.Sprintf("HTTP %d, ", f.Status) + words
	}
	if f.Bound != "" {
		words += " (" + sanitize.Line(f.Bound, nameMost) + ")"
	}
	return words
}

func failed(f *verdict.Finding) (string, string) {
	why := faultWords(f.Fault)
	retry := ""
	if d := f.Fault.RetryAfter; d > 0 {
		retry = "; the server asks to wait " + Duration(d)
	}
	switch {
	case f.Ms == 0:
		return "failed: " + why + retry, "failed: " + why
	case f.N == 0:
		return "failed after " + Ms(f.Ms) + ", no token: " + why + retry, "failed: " + why
	}
	n := Plural(f.N, "chunk", "chunks")
	return "failed " + Ms(f.Ms) + " after sent, with " + n + ": " + why + retry, "failed after " + n + ": " + why
}

func truncated(f *verdict.Finding) (string, string) {
	n := Plural(f.N, "chunk", "chunks")
	if f.N == 0 {
		n = Ms(f.Ms) + ", no token"
	}
	return "truncated after " + n + ": no finish reason and no [DONE]", "truncated after " + n
}

func stopped(f *verdict.Finding) (string, string) {
	switch {
	case f.Ms == 0:
		return same("stopped before the request was sent")
	case f.N == 0:
		return same("stopped after " + Ms(f.Ms) + ", no token")
	}
	return same("stopped after " + Ms(f.Ms) + " and " + Plural(f.N, "chunk", "chunks"))
}

func someFailed(f *verdict.Finding) (string, string) {
	short := Count(f.N) + " of " + Plural(f.Of, "request", "requests") + " failed"
	switch why := faults[metrics.FaultKind(f.Part)]; {
	case why != "" && f.Mixed:
		return short + ", mostly: " + why, short
	case why != "":
		return short + ": " + why, short
	}
	return same(short)
}

func connecting(f *verdict.Finding) (string, string) {
	switch f.Part {
	case metrics.ShareDNS:
		return same("looking up the host name for " + clock(f.Ms))
	case metrics.ShareTCP:
		return same("connecting (TCP) for " + clock(f.Ms))
	case metrics.ShareTLS:
		return same("connecting (TLS) for " + clock(f.Ms))
	case metrics.ShareSend:
		return same("sending the request for " + clock(f.Ms))
	}
	return same("waiting for a connection for " + clock(f.Ms))
}

func waiting(f *verdict.Finding) (string, string) {
	no := "no token for " + clock(f.Ms)
	long, short := waitingAt(f, no)
	if f.Connect != nil {
		more, brief := connectsDuring(f)
		long, short = long+"; "+more, short+"; "+brief
	}
	return long, short
}

// waitingAt says how far a request has come; no is how long it waits.
func waitingAt(f *verdict.Finding, no string) (string, string) {
	switch f.Part {
	case verdict.StageHeaders:
		return no + "; response headers came after " + Ms(f.AtMs), no + "; headers after " + Ms(f.AtMs)
	case verdict.StageEvents:
		return no + "; events without text since " + Ms(f.AtMs), no + "; events without text"
	case verdict.StageQueue:
		return no + ": the server reports it in its queue", no + ": in the server's queue"
	case verdict.StagePrefill:
		return no + ": the server reports that it reads the prompt", no + ": prefill (server)"
	case verdict.StageProgress:
		read := Count(f.N) + " of " + Count(f.Of) + " prompt tokens"
		return no + ": the server has read " + read, no + ": " + read + " read"
	}
	return no + "; no byte of an answer yet", no + "; no byte yet"
}

func silent(f *verdict.Finding) (string, string) {
	text := "nothing for " + clock(f.Ms) + " after chunk " + Count(f.N)
	long, short := silenceCause(f)
	return text + long, text + short
}

// partNames are the parts of a wait in words.
var partNames = map[string]string{
	metrics.ShareClient: "in tokscope", metrics.ShareRetried: "an earlier sending",
	metrics.ShareDNS: "name lookup", metrics.ShareTCP: "TCP",
	metrics.ShareTLS: "TLS", metrics.ShareSend: "upload", metrics.ShareUpload: "upload",
	metrics.ShareQueue: "in the server's queue", metrics.ShareLoad: "loading the model", metrics.SharePrefill: "prefill",
	metrics.ShareProcessing: "processing by the server", metrics.ShareServer: "elsewhere in the server",
	metrics.ShareUnexplained: "unexplained by the server",
}

func connected(f *verdict.Finding) (string, string) {
	short := Ms(f.Ms) + " before the request was sent"
	return short + ", " + Ms(f.PartMs) + " of it " + partNames[f.Part], short
}

func firstToken(f *verdict.Finding) (string, string) {
	at := Ms(f.Ms)
	if f.Of > 1 {
		at += " (median of " + Count(f.Of) + ")"
	}
	long, short := "first token after "+at, at+" to first token"
	switch {
	case f.Part == verdict.PartHeaders:
		return long + ", response headers after " + Ms(f.PartMs), short
	case f.Part != "":
		part := Ms(f.PartMs) + " of it " + partNames[f.Part]
		if f.Grade >= verdict.Notable {
			short += ", " + part
		}
		return long + ", " + part, short
	case f.Grade >= verdict.Notable && f.Connect != nil:
		more, _ := silenceCause(f)
		return long + more, short
	case f.Grade >= verdict.Notable:
		return long + undecided, short
	}
	return long, short
}

func speed(f *verdict.Finding) (string, string) {
	unit := " tok/s"
	if f.Chunks {
		unit = " chunks/s"
	}
	short := Number(f.Rate) + unit
	if f.About {
		short = "about " + short
	}
	long := short
	if f.Low > 0 {
		stalls := " without the stalls)"
		if f.N == 1 {
			stalls = " without the stall)"
		}
		long += " (" + Number(f.Low) + stalls
	}
	if f.Ratio > 0 {
		long += ", " + Factor(f.Ratio) + " " + f.Name
		if f.Ratio < 1 {
			long += ": the reader waits"
		}
	}
	return long, short
}

func stalls(f *verdict.Finding) (string, string) {
	whose := undecided
	brief := ""
	if f.Gap != nil {
		whose, brief = stallCause(f.Gap, f.Name != "")
	}
	if f.PartMs > 0 {
		whose = ": server, proxy, network or tokscope, which lagged up to " + Ms(f.PartMs)
	}
	where := Ms(f.Ms) + " at chunk " + Count(f.Chunk)
	long, short := "one stall of "+where, "1 stall of "+where
	switch {
	case f.Of > 0:
		long, short = same(Plural(f.N, "stall", "stalls") + " in " + Count(f.Of) + " requests, the longest " + Ms(f.Ms))
	case f.N > 1:
		long, short = same(Count(f.N) + " stalls, the longest " + where)
	}
	if f.AtMs > 0 {
		long += ", " + Ms(f.AtMs) + " after sent"
	}
	if f.PartMs > 0 {
		to := " up to "
		if f.N == 1 {
			to = " of "
		}
		short = Plural(f.N, "stall", "stalls") + to + Ms(f.Ms) + "; lag " + Ms(f.PartMs)
	}
	return long + whose, short + brief
}

// runsBefore is the range of a figure over earlier runs.
func runsBefore(f *verdict.Finding, what string, write func(float64) string) (string, string) {
	side := " is below "
	if f.Above {
		side = " is above "
	}
	n := Plural(f.N, "earlier run", "earlier runs")
	return what + side + "the " + Range(f.Low, f.High, write) + " of " + n, what + side + n
}

func earlierTTFT(f *verdict.Finding) (string, string) {
	if f.Above && f.Running {
		return runsBefore(f, "this wait", Ms)
	}
	return runsBefore(f, "TTFT", Ms)
}

func earlierSpeed(f *verdict.Finding) (string, string) { return runsBefore(f, "speed", Rate) }

func lens(f *verdict.Finding) (string, string) {
	v := f.Verdict
	limit := LensLimit(v.Metric, v.Budget.Limit)
	name := LensLabel(v.Metric)
	words := name + " " + LensFigure(v.Metric, v.Measured.V) + ", budget " + limit
	if !v.Measured.OK {
		words = name + " is above its budget of " + limit
	}
	switch v.Grade {
	case slo.GradeMisses:
		return "misses the " + f.Name + " lens: " + words, "misses the " + f.Name + " lens"
	case slo.GradeClose:
		return "barely meets the " + f.Name + " lens: " + words, "barely meets the " + f.Name + " lens"
	}
	return same("meets the " + f.Name + " lens")
}

func sharedReads(f *verdict.Finding) (string, string) {
	short := Count(f.N) + " of " + Count(f.Of) + " gaps unknown"
	return Count(f.N) + " of " + Count(f.Of) + " gaps are unknown: their chunks shared a read", short
}
