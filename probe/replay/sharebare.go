package replay

import (
	"slices"

	"tokscope/metrics"
	"tokscope/probe/record"
)

// names of server times, and reasons to finish, that servers share.
var (
	serverNames = []string{metrics.ServerQueue, metrics.ServerPrefill, metrics.ServerDecode,
		metrics.ServerTTFT, metrics.ServerTotal, metrics.ServerProcessing, metrics.ServerLoad}
	finishes  = []string{"stop", "length", "tool_calls", "content_filter", "function_call", "error"}
	noteCodes = pattern(`^(recording_incomplete|usage_refused|max_completion_tokens|retried|suspended|mixed_stamps|` +
		`model_alias|other_model|malformed_events?)$`)
)

// bare returns v without its texts. f are the figures of v.
func (s *sharer) bare(v *metrics.Stream, f *metrics.Figures) metrics.Stream {
	out := *v
	out.TextRemoved = true
	out.Text, out.Chunks = nil, slices.Clone(v.Chunks)
	for i := range out.Chunks {
		out.Text = append(out.Text, s.text(string(v.ChunkText(i)))...)
		out.Chunks[i].TextEnd, out.Chunks[i].Name = int32(len(out.Text)), 0
	}
	w, e := record.RequestOf(v, f, s.say).Workload, record.RequestOf(v, f, s.say).Endpoint
	w, e = s.workload(&w), s.endpoint(&e)
	out.Endpoint = metrics.Endpoint{Kind: metrics.EndpointKind(e.Kind), Name: e.Name, URL: e.URL, Model: e.Model}
	out.Work.Name, out.Work.System, out.Work.Prompt, out.Work.Nonce, out.Work.Seed = w.Name, w.System, w.Prompt, "", nil
	out.Load, out.Head, out.RateLimit, out.Fronts = 0, nil, nil, nil
	out.Model, out.Provider = name(v.Model), name(v.Provider)
	out.Fingerprint, out.RequestID = name(v.Fingerprint), name(v.RequestID)
	if !slices.Contains(finishes, v.Finish) {
		out.Finish = name(v.Finish)
	}
	out.Conn = metrics.Connection{Reused: v.Conn.Reused, Proto: protocol(v.Conn.Proto),
		Remote: name(v.Conn.Remote), Proxy: name(v.Conn.Proxy)}
	if v.Conn.TLS != "" {
		out.Conn.TLS = "TLS"
	}
	out.Usage.Raw, out.Usage.Mended, out.Usage.Peak = nil, name(v.Usage.Mended), 0
	if f.TokenSource != metrics.TokensUsage && f.TokenSource != metrics.TokensContinuous {
		out.Usage.Completion, out.Usage.Reasoning, out.Usage.Total = -1, -1, -1
	}
	if !f.PromptTokens.OK {
		out.Usage.Prompt, out.Usage.Cached = -1, -1
	}
	out.Server = nil
	for _, t := range v.Server {
		if !slices.Contains(serverNames, t.Name) {
			t.Name = blank
		}
		t.From = blank
		out.Server = append(out.Server, t)
	}
	out.Notes = nil
	for _, n := range v.Notes {
		if noteCodes().MatchString(n.Code) {
			out.Notes = append(out.Notes, metrics.Note{At: n.At, Code: n.Code, Text: blank})
		}
	}
	out.Fault, out.Path = s.fault(v.Fault), path(v.Path)
	if !s.widths {
		out.BodyBytes = 0
		for i := range out.Chunks {
			out.Chunks[i].Bytes = 0
		}
	}
	return out
}

// faultKinds are those of this program.
var faultKinds = []metrics.FaultKind{
	metrics.FaultConfig, metrics.FaultDNS, metrics.FaultConnect, metrics.FaultTLS,
	metrics.FaultTimeout, metrics.FaultHTTP, metrics.FaultAuth, metrics.FaultRateLimit,
	metrics.FaultRedirect, metrics.FaultNotStream, metrics.FaultInStream,
	metrics.FaultProtocol, metrics.FaultTooLarge, metrics.FaultReset, metrics.FaultTruncated,
	metrics.FaultEmpty, metrics.FaultCompressed, metrics.FaultCancelled, metrics.FaultLocal, metrics.FaultInternal,
}

// fault keeps kind and numbers of f.
func (s *sharer) fault(f *metrics.Fault) *metrics.Fault {
	if f == nil {
		return nil
	}
	out := &metrics.Fault{Message: blank, Status: f.Status,
		RetryAfter: f.RetryAfter, Code: name(f.Code), Body: s.text(f.Body)}
	if slices.Contains(faultKinds, f.Kind) {
		out.Kind = f.Kind
	}
	return out
}

// path keeps the counts of p.
func path(p *metrics.Path) *metrics.Path {
	if p == nil || !slices.Contains(metrics.PathSources, p.Source) {
		return nil
	}
	out := *p
	out.Connects = slices.Clone(p.Connects)
	for i := range out.Connects {
		if !slices.Contains(metrics.ConnectResults, out.Connects[i].Result) {
			out.Connects[i].Result = metrics.ConnectFailed
		}
	}
	return &out
}
