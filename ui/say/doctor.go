package say

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/doctor"
	"tokscope/metrics/slo"
	"tokscope/metrics/verdict"
	"tokscope/ui/format"
)

// checkNames are the checks of a check-up in words.
var checkNames = map[doctor.Code]string{
	doctor.Key: "key", doctor.Proxy: "proxy", doctor.Lookup: "name",
	doctor.Connect: "TCP", doctor.TLS: "TLS", doctor.Models: "models",
	doctor.HTTP1: "HTTP/1.1", doctor.HTTP2: "HTTP/2", doctor.Direct: "no proxy",
	doctor.Stream: "stream", doctor.Buffers: "buffering", doctor.Client: "tokscope",
}

// CheckName is the name of a check.
func CheckName(c doctor.Code) string {
	return cmp.Or(checkNames[c], string(c))
}

// CheckNameOf is the name of a check by what it found: of TCP, or of a socket in its place.
func CheckNameOf(k *doctor.Check) string {
	return format.Either(k.Family == doctor.Unix, "socket", CheckName(k.Code))
}

// DoctorPlan says what a check-up will send.
func DoctorPlan(p doctor.Plan) string {
	return "Sends " + format.Plural(p.Requests, "request", "requests") + " with at most " +
		format.Count(p.Tokens) + " output tokens together, and asks for the list of models."
}

// skippedWords are the reasons that are the whole text of a check.
var skippedWords = map[doctor.Why]string{
	doctor.WhyEarlier:   "not checked: an earlier check failed",
	doctor.WhyInterrupt: "not checked: interrupted",
	doctor.WhyPlain:     "not checked: it needs https",
	doctor.WhyNoProxy:   "the environment names none for this target",
	doctor.WhySocket:    "none: the target is a unix socket",
	doctor.WhyNoKey:     "none is sent",
	doctor.WhyNoOffer:   "the server does not offer it",
	doctor.WhyHidden:    "the answer holds no visible token: a model that reasons needs more than a short answer",
}

// Check writes what a check found, and what to do next; nothing to do is
// empty.
func Check(k *doctor.Check) (text string, next []string) {
	if words := skippedWords[k.Why]; words != "" &&
		(k.Grade == doctor.Skipped || k.Fault == nil || k.Why == doctor.WhyHidden) {
		return words, nil
	}
	switch k.Code {
	case doctor.Buffers:
		return bufferCheck(k)
	case doctor.Models:
		return modelsCheck(k)
	case doctor.TLS:
		return tlsCheck(k)
	}
	if k.Fault != nil {
		return failedCheck(k)
	}
	elapsed := " in " + format.Duration(k.Elapsed)
	switch k.Code {
	case doctor.Key:
		if k.Why == doctor.WhyKeyless {
			return "none is there, and it " +
				k.Name, []string{"set the variable, or name another one with --api-key-env, or a file with --api-key-file"}
		}
		return "from " + k.Name, nil
	case doctor.Proxy:
		return k.Address + " of " + cmp.Or(k.Name, "the environment") + ", connected" + elapsed, nil
	case doctor.Lookup:
		if k.Why == doctor.WhyAddress {
			return k.Name + " is an address: nothing to look up", nil
		}
		return k.Name + " is " + strings.Join(k.Addresses, ", ") + "; found" + elapsed, nil
	case doctor.Connect:
		return format.If(k.Family != doctor.Unix, k.Family+" ") + k.Address + elapsed, nil
	case doctor.Stream:
		return streamWords(k.Run), nil
	case doctor.HTTP1, doctor.HTTP2, doctor.Direct:
		return shortWords(k), nil
	case doctor.Client:
		text = Stamps(k.Stamps.String())
		if k.Why == doctor.WhyLagged {
			late, do := Delay(&k.Run.Figures.Delay)
			return text + "; " + late, []string{do}
		}
		return text + format.If(k.Observer.N > 0, "; tokscope lags p99 "+format.Duration(k.Observer.LateP99)), nil
	}
	return string(k.Grade), nil
}

// failedCheck writes the fault of a check.
func failedCheck(k *doctor.Check) (text string, next []string) {
	f := k.Fault
	text = f.Message
	if k.Code == doctor.Connect && !strings.Contains(text, k.Address) {
		text = k.Family + " " + k.Address + ": " + text
	}
	text += format.If(f.RetryAfter > 0, "; "+Allowed(f.RetryAfter))
	switch k.Why {
	case doctor.WhyFamily:
		return text + "; the other address family works", nil
	case doctor.WhyThrough:
		return text + "; requests take the proxy", nil
	case doctor.WhySpeaksTLS:
		return text + "; the port speaks TLS", []string{"use https:// in the address"}
	}
	if f.Next != "" {
		next = []string{f.Next}
	}
	return text, next
}

// protocols are what servers choose in a handshake.
var protocols = map[string]string{"h2": "HTTP/2 offered", "http/1.1": "HTTP/1.1 alone offered"}

// tlsCheck writes a handshake and its certificate.
func tlsCheck(k *doctor.Check) (text string, next []string) {
	p := k.Peer
	if p == nil {
		return failedCheck(k)
	}
	protocol := cmp.Or(protocols[p.Protocol], "no protocol chosen")
	names := format.Plural(len(p.Names), "name", "names")
	if len(p.Names) > 0 {
		more := len(p.Names) - 1
		names = p.Names[0] + format.If(more > 0, " and "+format.Count(more)+" more")
	}
	certificate := "certificate of " + names + " by " + p.Issuer + ", " + endOf(p.NotAfter, k.Now)
	if k.Fault != nil {
		text, next = failedCheck(k)
		return text + "; " + certificate, next
	}
	if p.NotAfter.Sub(k.Now) < doctor.ExpiresSoon {
		next = []string{"see that it is renewed"}
	}
	switch {
	case p.Client == "" && p.AsksCertificate:
		certificate += "; it asks for a client certificate, and none is sent"
		next = append(next, "if requests fail: give yours with --cert and --key, or cert and cert_key in the profile")
	case p.Client != "":
		certificate += "; it asks for " + format.Either(p.AsksCertificate, "a", "no") + " client certificate: yours, " +
			p.Client + ", " + endOf(p.ClientEnds, k.Now)
		if p.ClientEnds.Sub(k.Now) < doctor.ExpiresSoon {
			next = append(next, "see that your client certificate is renewed")
		}
	}
	return p.Version + " in " + format.Duration(k.Elapsed) + ", " + protocol + "; " + certificate, next
}

// endOf says when a certificate ends.
func endOf(end, now time.Time) string {
	until, d := end.UTC().Format(time.DateOnly), end.Sub(now)
	in := ", in " + format.Plural(int(d/(24*time.Hour)), "day", "days")
	return format.Either(d > 0, "ends on "+until+in, "ended on "+until)
}

// modelsCheck writes what the server lists.
func modelsCheck(k *doctor.Check) (text string, next []string) {
	switch {
	case k.Why == doctor.WhyBase:
		return k.Fault.Message + "; " + k.Name + " lists models", []string{"use " + k.Name + " as the address"}
	case k.Why == doctor.WhyAPI:
		return k.Fault.Message + "; it lists models in the API " + k.Name, []string{"ask with --api " + k.Name}
	case k.Why == doctor.WhyNoList:
		if text, next = failedCheck(k); k.Name != "" {
			next = nil // a list is of no use
		}
		return "no list: " + text, next
	case k.Fault != nil:
		return failedCheck(k)
	}
	text = format.Plural(k.N, "model", "models") + " in " + format.Duration(k.Elapsed)
	if k.Why == doctor.WhyUnlisted {
		return text + ", and " + k.Name +
			" is not among them", []string{"check the model's name; without --model the first listed one is asked"}
	}
	return text + "; asked: " + k.Name, nil
}

// shortWords writes a short stream.
func shortWords(k *doctor.Check) string {
	f, doubt := &k.Run.Figures, ""
	if k.Suspect != nil {
		doubt = "; " + Suspicion(k.Suspect)
	}
	for _, d := range verdict.Doubts([]*metrics.Run{k.Run}) {
		switch d.Code { // of the first token: not of a new prompt, or of another model
		case verdict.OtherModel, verdict.Code(metrics.SuspectCached), verdict.Code(metrics.SuspectPromptCut):
			doubt += "; " + Doubt(&d)
		}
	}
	return "first token after " + format.KnownOr(f.TTFT, format.Ms) +
		format.If(f.Tokens.OK, ", "+format.Whole(f.Tokens.V)+" tokens") +
		format.If(k.Code == doctor.Direct, " without the proxy") + doubt + named(k.Fronts)
}

// named says which proxies a response's headers name.
func named(fronts []metrics.Front) string {
	var names []string
	for _, f := range fronts {
		if a, ok := AdviceOf(f); ok {
			names = append(names, a.Name)
		}
	}
	return format.If(len(names) > 0, "; headers name "+strings.Join(names, ", "))
}

// streamWords is the conclusion on the long stream, without what is said of
// buffers.
func streamWords(r *metrics.Run) string {
	found := verdict.Of(verdict.Input{Stream: &r.Stream, Figures: &r.Figures,
		Now: r.Stream.Marks.End, Task: slo.DefaultAgentTask})
	kept := slices.DeleteFunc(found, func(f verdict.Finding) bool { return metrics.SuspectCode(f.Code).Holds() })
	if len(kept) == 0 {
		return "ended as it should"
	}
	clauses := conclude(kept)
	return clauses[:len(clauses)-1].String() // the last is the period
}

// oneChunkNext is what to do about an answer in one chunk.
const oneChunkNext = "let the engine stream, or the gateway that speaks for it: a proxy does not join chunks"

// bufferCheck writes what collects chunks, and what to set.
func bufferCheck(k *doctor.Check) (text string, next []string) {
	if k.Suspect == nil && k.Fault != nil {
		return failedCheck(k)
	}
	if k.Why == doctor.WhyFew {
		return "not known: " + format.Plural(k.N, "chunk", "chunks") + ", and a buffer can hold as many", nil
	}
	if s := k.Suspect; s != nil {
		text = suspicion(s)[0].Text + firstLate(s)
		switch {
		case k.Why == doctor.WhyLagged:
			return "not known: " + text, []string{"check again, with other programs ended"}
		case k.Grade == doctor.Noted:
			return text, nil
		case s.Code == metrics.SuspectOneChunk:
			return text, []string{oneChunkNext}
		}
		advised, known := BufferAdvice(k.Fronts, &s.Buffering)
		if s.Buffering.Kind == metrics.BufferCount {
			next = append(next, "if the server sends so many at a time itself, let it send each token")
		}
		if !known {
			next = append(next, "find the proxy on the way: no header names it; of the usual ones")
		}
		for _, a := range advised {
			next = append(next, a.Name+": "+format.Either(a.Set != "", a.Set+" ("+a.Where+")", a.Where))
		}
		return text, next
	}
	f := &k.Run.Figures
	return "none seen: " + format.Count(f.GapsUnknown) + " of " +
		format.Plural(f.GapsUnknown+f.Gaps.N, "gap", "gaps") + " inside bursts", nil
}

// CheckUp is the conclusion of a check-up: how many things it found, which,
// and what to do first.
func CheckUp(r *doctor.Report) string {
	found := r.Found()
	var names []string
	first := ""
	for _, k := range found {
		name := CheckNameOf(k)
		if k.Fault != nil {
			name += " (" + faultWords(k.Fault) + ")"
		}
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
		if _, next := Check(k); first == "" && len(next) > 0 {
			first = next[0]
			if k.Suspect != nil && first != oneChunkNext { // the setting, without where it stands
				first = cmp.Or(firstAdvice(k.Fronts, &k.Suspect.Buffering),
					"find the proxy on the way, and set what is listed for it")
			}
		}
	}
	cut := format.If(r.Interrupted(), "Interrupted before all checks were done.")
	if len(found) == 0 {
		return cmp.Or(cut, "Nothing found that prevents or spoils a measurement.")
	}
	return format.Join(" ", "Found: "+strings.Join(names, ", ")+".",
		format.If(first != "", "Next: "+strings.TrimSuffix(first, ".")+"."), cut)
}
