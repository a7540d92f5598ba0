package physics

import (
	"testing"

	"tokscope/metrics/testkit"
)

// A decode step of the default endpoint: 15 GB of weights at an H100's
// reachable bandwidth, little arithmetic, and one millisecond for everything
// else.
func TestStepTerms(t *testing.T) {
	s := must(t, config(t, "llama-3.1-8b", "bf16", "h100", "vllm", 1))
	c := s.Step(&Load{Seqs: 1, Ctx: 1000})
	var sum, bytes float64
	for i := range NumCauses {
		sum += c.Terms[i].Seconds
		bytes += c.Terms[i].Bytes
		testkit.That(t, i.String() != "", "cause %d has no name", i)
	}
	near(t, "sum of the terms", sum, c.Seconds(), 1e-12)
	near(t, "bytes", c.Bytes(), bytes, 1e-12)
	near(t, "step", c.Seconds(), 6.71e-3, 0.02)
	near(t, "weights and head", c.Terms[Projections].Bytes+c.Terms[FeedForward].Bytes+c.Terms[Head].Bytes, 15.0e9, 0.01)
	near(t, "KV read", c.Terms[DecodeAttention].Bytes, 1000*131072, 1e-9)
	near(t, "engine", c.Terms[Engine].Seconds, 0.305e-3, 1e-9)
	for cause, want := range map[Cause]Limit{Projections: Bandwidth, FeedForward: Bandwidth, DecodeAttention: Bandwidth,
		Kernels: Latency, Engine: Latency} {
		got := c.Terms[cause].Limit
		testkit.That(t, got == want, "%v is bound by %v, want %v", cause, got, want)
	}
	if bw, flops := s.Used(&c); bw < 0.60 || bw > 0.75 || flops > 0.01 {
		t.Errorf("a decode step uses %.2f of the bandwidth and %.4f of the arithmetic", bw, flops)
	}
	p := s.Step(&Load{Chunks: []Chunk{{New: 4000, Last: true}}})
	if bw, flops := s.Used(&p); bw > 0.2 || flops < 0.5 || p.Binds() != Compute || p.Binds().String() != "compute" {
		t.Errorf("a prompt uses %.2f of the bandwidth and %.2f of the arithmetic, bound by %v", bw, flops, p.Binds())
	}
	none := s.Step(&Load{})
	testkit.That(t, none.Seconds() == 0, "an empty step takes %v s", none.Seconds())
	if bw, flops := s.Used(&Cost{}); bw != 0 || flops != 0 {
		t.Errorf("an empty step uses %v and %v", bw, flops)
	}
}

// On a fast device, a short prompt waits for the host, which launches more
// slowly than the device computes.
func TestShortPromptsWaitForTheHost(t *testing.T) {
	s := must(t, config(t, "llama-3.2-1b", "bf16", "h100", "eager", 1))
	c := s.Step(&Load{Chunks: []Chunk{{New: 16, Last: true}}})
	near(t, "step without the engine", c.Seconds()-c.Terms[Engine].Seconds, 16*180e-6, 1e-9)
}

// A front end that needs 46 µs per token bounds the throughput.
func TestTheFrontEndCapsTheThroughput(t *testing.T) {
	s := must(t, config(t, "qwen3-0.6b", "bf16", "h100", "vllm", 1))
	c := s.Step(loadOf(200, 100, 0))
	near(t, "200 tokens", c.Seconds(), 200*46e-6, 1e-9)
	testkit.That(t, c.Terms[FrontEnd].Seconds > 0, "the term is missing")
}

func TestAllReduceTakesTheFasterWay(t *testing.T) {
	near(t, "8 KB", nvlinkHopper.AllReduce(8192, 4), 4.8e-6, 0.02)
	near(t, "67 MB, four H100: 341 µs measured", nvlinkHopper.AllReduce(67e6, 4), 341e-6, 0.05)
	near(t, "PCIe, four devices", pcie5.AllReduce(35e6, 4), 6.5e-6+6*2.5e-6+1.5e-3, 1e-9)
}
