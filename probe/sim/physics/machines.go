package physics

// All-reduce timings. NVLink of H100 and H200: one-shot kernels 4.3-5.2 µs up
// to 8 KB, ring 62 µs at 8.4 MB and 341 µs at 67 MB over four devices.
var (
	nvlinkHopper    = Link{4.7e-6, 75e9, 20e-6, 215e9}
	nvlinkAmpere    = Link{5.5e-6, 45e9, 30e-6, 95e9}
	nvlinkBlackwell = Link{6e-6, 110e9, 20e-6, 300e9}
	infinityFabric  = Link{7e-6, 60e9, 30e-6, 160e9}
	pcie4           = Link{A1: 15e-6, B1: 5e9}
	pcie5           = Link{A1: 15e-6, B1: 15e9}
)

// Machines lists every named device, in the order in which they are shown.
// Peaks are from the datasheets as collected in aiconfigurator's system
// files, LLM-Viewer, GenZ and gpu-flops-bench. The shares EffBW and EffFLOP
// are fits of GEMM timings: latency = a + bytes/(e·BW) at 1 to 64 rows, MFU
// at 512 to 8192 rows. Apple and laptop arithmetic is what llama.cpp reaches.
//
// Dataflow machines: Groq's published 750 tok/s (7B, 32 layers) and 300 tok/s
// (70B, 80 layers) are both 41.7 µs a layer. Cerebras lies between 15 and 28
// µs. The SN40L's 713 and 428 tok/s (36 and 62 layers) are 30 µs a layer plus
// the active bytes at 19 TB/s. Their prompt rates are estimates.
var Machines = []Hardware{
	{Key: "a100-40", Name: "A100 40 GB", BF16: 312, BW: 1555, Mem: 40, EffFLOP: .86, Link: nvlinkAmpere, MaxTP: 8},
	{Key: "a100", Name: "A100 80 GB", BF16: 312, BW: 2039, Mem: 80, EffBW: .73, EffFLOP: .86, Link: nvlinkAmpere, MaxTP: 8},
	{Key: "h100", Name: "H100", BF16: 989, FP8: 1979, BW: 3350, Mem: 80, EffBW: .86, EffFLOP: .80, Link: nvlinkHopper, MaxTP: 8},
	{Key: "h200", Name: "H200", BF16: 989, FP8: 1979, BW: 4800, Mem: 141, EffBW: .83, EffFLOP: .80, Link: nvlinkHopper, MaxTP: 8},
	{Key: "b200", Name: "B200", BF16: 2250, FP8: 4500, FP4: 9000, BW: 7700, Mem: 180, EffBW: .79, EffFLOP: .70, Link: nvlinkBlackwell, MaxTP: 8},
	{Key: "gb200", Name: "GB200", BF16: 2500, FP8: 5000, FP4: 10000, BW: 8000, Mem: 192, EffBW: .79, EffFLOP: .70, Link: nvlinkBlackwell, MaxTP: 72},
	{Key: "mi300x", Name: "MI300X", BF16: 1307, FP8: 2615, BW: 5300, Mem: 192, Link: infinityFabric, MaxTP: 8},
	{Key: "l40s", Name: "L40S", BF16: 362, FP8: 733, BW: 864, Mem: 48, EffBW: .85, EffFLOP: .66, Link: pcie4, MaxTP: 8},
	{Key: "rtxpro6000", Name: "RTX PRO 6000", BF16: 468, FP8: 936, FP4: 1871, BW: 1792, Mem: 96, Link: pcie5, MaxTP: 8},
	{Key: "rtx4090", Name: "RTX 4090", BF16: 165, FP8: 330, BW: 1008, Mem: 24, EffBW: .85, EffFLOP: .90, Link: pcie4, MaxTP: 8},
	{Key: "rtx5090", Name: "RTX 5090", BF16: 210, FP8: 419, FP4: 1617, BW: 1792, Mem: 32, Link: pcie5, MaxTP: 8},
	{Key: "a6000", Name: "RTX A6000", BF16: 155, BW: 768, Mem: 48, Link: pcie4, MaxTP: 8},
	{Key: "m1", Name: "Apple M1", BF16: 2.1, BW: 68, Mem: 8, Eff4: .82, MaxTP: 1},
	{Key: "m1max", Name: "Apple M1 Max", BF16: 10.4, BW: 400, Mem: 64, Eff4: .70, MaxTP: 1},
	{Key: "m3max", Name: "Apple M3 Max", BF16: 14.2, BW: 400, Mem: 64, Eff4: .70, MaxTP: 1},
	{Key: "m4max", Name: "Apple M4 Max", BF16: 17, BW: 546, Mem: 128, Eff4: .70, MaxTP: 1},
	{Key: "m2ultra", Name: "Apple M2 Ultra", BF16: 27.2, BW: 800, Mem: 192, Eff4: .70, MaxTP: 1},
	{Key: "m3ultra", Name: "Apple M3 Ultra", BF16: 28, BW: 819, Mem: 512, Eff4: .70, MaxTP: 1},
	{Key: "laptop", Name: "laptop CPU", BF16: 1, BW: 89.6, Mem: 32, EffBW: .70, Eff4: 1, MaxTP: 1},
	{Key: "groq", Name: "Groq LPU", BF16: 188, BW: 80000, Mem: 0.23, MaxTP: 4096, Flow: &Flow{Layer: 41.7e-6, Prefill: 5e15}},
	{Key: "cerebras", Name: "Cerebras WSE-3", BF16: 62500, BW: 21e6, Mem: 44, MaxTP: 64, Flow: &Flow{Layer: 17e-6, Prefill: 10e15}},
	{Key: "sn40l", Name: "SN40L", BF16: 638, BW: 1600, Mem: 64, MaxTP: 16, Flow: &Flow{Layer: 30e-6, Bytes: 19e12, Prefill: 4e15}},
	{Key: "1tb", Name: "ideal 1 TB/s", BF16: 1000, BW: 1000, Mem: 80, EffBW: 1, EffFLOP: 1, Eff4: 1, MaxTP: 1},
}

// Machine returns the device with this key. ok is false for an unknown key.
func Machine(key string) (h Hardware, ok bool) {
	for _, m := range Machines {
		if m.Key == key {
			return m, true
		}
	}
	return Hardware{}, false
}
