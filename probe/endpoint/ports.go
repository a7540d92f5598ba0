package endpoint

import "tokscope/metrics/pick"

// port is one line of the table of local servers' ports.
type port struct {
	port  int
	marks []string // expected servers, the likeliest first
	bases []string // API paths to try, in this order; nil means /v1
}

// ports is the table. Source: the reference page on dialects, §7.
var ports = []port{
	{11434, v("ollama"), nil},
	{1234, v("lmstudio"), nil},
	{8080, v("llama.cpp", "llama-swap", "localai", "vllm"), nil},
	{9931, v("llama.cpp"), nil},
	{8000, v("vllm", "nim", "sglang"), v("/v1", "/api/v1")},
	{30000, v("sglang"), nil},
	{3000, v("tgi"), nil},
	{80, v("tgi"), nil},
	{9000, nil, nil},
	{4000, v("litellm"), nil},
	{1337, nil, nil},
	{12434, nil, v("/engines/v1", "/engines/llama.cpp/v1")},
	{5000, nil, nil},
	{5001, v("koboldcpp"), nil},
	{2242, v("vllm"), nil},
	{4891, nil, nil},
	{9997, nil, nil},
	{23333, nil, nil},
	{52415, nil, nil},
	{17434, nil, nil},
	{13305, nil, v("/v1", "/api/v1")},
}

// portNames names servers by their port alone, if no fingerprint matches.
var portNames = map[int]string{12434: "docker", 1337: "jan"}

// marksFor returns the fingerprints to try for a port: those of its line, or
// all for an unlisted port.
func marksFor(number string) []mark {
	p := pick.First(ports, func(p *port) bool { return number == itoa(p.port) })
	if p == nil || len(p.marks) == 0 {
		return marks
	}
	return pick.Each(p.marks, func(server *string) mark {
		m, _ := pick.Value(marks, func(m *mark) bool { return m.server == *server })
		return m
	})
}
