package physics

// All-reduce timings. NVLink of H100 and H200: one-shot kernels 4.3-5.2 µs up
// to 8 KB, ring 62 µs at 8.4 MB and 341 µs at 67 MB over four devices. Those of
// A100 and B200 were timed too. infinityFabric is an estimate.
//
// PCIe: five RTX 4090 with peer access reach 24.7 GB/s of bus bandwidth
// (tinygrad/open-gpu-kernel-modules issue 17), four RTX 5090 35 GB/s (NVIDIA/nccl
// issue 1639). Eight bytes take 11.5 µs over two RTX 4090 and 42 µs over eight
// (the same issue 17; NVIDIA/nccl issue 1530). These are good servers: without
// peer access, or across sockets, groups were measured at 0.5 to 1.2 GB/s.
//
// Two DGX Sparks over ConnectX-7 reduce 8 KB in 30 µs (NVIDIA/dgx-spark-playbooks
// pull request 103, in place) and gather at 21 GB/s (issue 25 there, before tuning).
// The same table has 37 µs at 32 KB and 65 at 64 KB: twice what this law says.
var (
	nvlinkHopper    = Link{A1: 4.7e-6, B1: 75e9, A2: 20e-6, B2: 215e9}
	nvlinkAmpere    = Link{A1: 5.5e-6, B1: 45e9, A2: 30e-6, B2: 95e9}
	nvlinkBlackwell = Link{A1: 6e-6, B1: 110e9, A2: 20e-6, B2: 300e9}
	infinityFabric  = Link{A1: 7e-6, B1: 60e9, A2: 30e-6, B2: 160e9}
	pcie4           = Link{A1: 6.5e-6, Hop: 2.5e-6, Bus: 24.7e9}
	pcie5           = Link{A1: 6.5e-6, Hop: 2.5e-6, Bus: 35e9}
	connectX7       = Link{A1: 30e-6, B1: 21e9}
)

// Machines lists every built-in device, in the order in which they are shown.
// Aliases stand in aliases.go.
// Peaks are from the datasheets as collected in aiconfigurator's system
// files, LLM-Viewer, GenZ and gpu-flops-bench. The shares EffBW and EffFLOP
// are fits of GEMM timings: latency = a + bytes/(e·BW) at 1 to 64 rows. EffFLOP
// of six GPUs is the median over the products of a layer of Llama 8B (whole and
// halved), Qwen3 32B and Llama 70B (over 4 and 8 devices) with 512 to 8192 rows,
// in TensorRT-LLM, vLLM and SGLang (aiconfigurator 095f58a, August 2026). Apple
// and laptop arithmetic is what llama.cpp reaches, and the laptop's bandwidth
// an estimate.
//
// OwnAttn and OwnQ of the RX 7900 XTX and Strix Halo are those of Strix Halo. Behind
// 16,384 tokens, 2,048 tokens of gpt-oss-120b take 1.98 s longer than at the start
// (lhl/strix-halo-testing issue 33, October 2025). Prompts of 128 tokens of Qwen3 8B
// and Llama 2 7B run at 1,268 and 1,327 tok/s (AMD-Ecosystem/llama.cpp pull request
// 59). Neither is in a table. OwnTile fits prompts of 512 tokens of gpt-oss-120b on Strix
// Halo, 626 and 720 tok/s with ROCm and Vulkan (kyuz0/amd-strix-halo-toolboxes, build
// 9187, May 2026, in no table). OwnDelta is derived from 512 tokens of Qwen3.6 35B-A3B in 457
// ms there, with ROCm and with Vulkan (build 9193): the kernel is that of a decode, token by
// token (llama.cpp pull request 20334).
//
// MI300X and MI325X reach 0.45 of their peaks in 16 and in 8 bits, and a copy 0.81 of
// the bandwidth (aiweekly.co on measurements of 2025). A product reaches nine tenths
// of a copy, as on an H100. Fixed is derived from a published row: Qwen3 8B with 32
// users on an MI300X takes 9.42 ms a token (vllm-project/recipes pull request 431).
// Blocks and BlockRate are derived from two others: DeepSeek V3.1 for one user of eight
// MI300X takes 23.84 ms a token, and 481 ms to the first token of 4,194 (SGLang 0.5.7).
//
// The shares of Apple's chips are those of Llama 3 in llama.cpp: 8B in F16 and
// Q4_K_M on M1 Max, M3 Max and M2 Ultra, 70B on M3 Max and M2 Ultra, 8B on M1 and
// M4. These are rows of the tables. Other chips have those of their generation;
// the M3 Ultra has two dies as the M2 Ultra. The 4-bit formats of the first chips are
// slow: 0.75 of their share on an M1 Max.
//
// Emulated: M1 and M2 have no products in bfloat16, as MLX's files have it. 2,726 tokens of
// Qwen3.8 27B in 4 bits are read at 133 tok/s on an M2 Max, and at 178 with float16 in the
// file (Rapid-MLX issue 3154, September 2026, in no table).
//
// OwnBW: a token of Llama 3 8B in Q4_0 behind 32,768 others takes 9.7 ms on an RTX
// 4090 (llama.cpp pull request 17505). Strix Halo is timed to read 212 GB/s.
// Elsewhere than in llama.cpp a DGX Spark reads Llama 3.1 8B in 48.8 ms in fp8
// (SGLang) and in 25.9 ms in nvfp4 (TensorRT-LLM; NVIDIA, October 2025).
//
// rtxpro6000 is the Server Edition, whose memory is slower than the
// workstation card's 1792 GB/s.
//
// Dataflow machines: Groq's published 750 tok/s (7B, 32 layers) and 300 tok/s
// (70B, 80 layers) are both 41.7 µs a layer. Cerebras lies between 15 and 28
// µs. The SN40L's 713 and 428 tok/s (36 and 62 layers) are 30 µs a layer plus
// the active bytes at 19 TB/s. Their prompt rates are estimates, as their notes say.
var Machines = []Hardware{
	{Key: "a100-40", Name: "A100 40 GB", BF16: 312, BW: 1555, Mem: 40, EffFLOP: .80,
		Link: nvlinkAmpere, MaxTP: 8, Source: "aiconfigurator a100_sxm.yaml; LLM-Viewer"},
	{Key: "a100", Name: "A100 80 GB", BF16: 312, BW: 2039, Mem: 80, EffBW: .73, EffFLOP: .80,
		Link: nvlinkAmpere, MaxTP: 8, Source: "aiconfigurator a100_sxm.yaml; LLM-Viewer"},
	{Key: "h100", Name: "H100", BF16: 989, FP8: 1979, BW: 3350, Mem: 80, EffBW: .86,
		EffFLOP: .78, Link: nvlinkHopper, MaxTP: 8, Source: "aiconfigurator h100_sxm.yaml"},
	{Key: "h200", Name: "H200", BF16: 989, FP8: 1979, BW: 4800, Mem: 141, EffBW: .83,
		EffFLOP: .78, Link: nvlinkHopper, MaxTP: 8, Source: "aiconfigurator h200_sxm.yaml"},
	{Key: "b200", Name: "B200", BF16: 2250, FP8: 4500, FP4: 9000, BW: 7700, Mem: 180, EffBW: .79,
		EffFLOP: .69, Link: nvlinkBlackwell, MaxTP: 8, Source: "aiconfigurator b200_sxm.yaml"},
	{Key: "gb200", Name: "GB200", BF16: 2500, FP8: 5000, FP4: 10000, BW: 8000, Mem: 185.0, EffBW: .79, EffFLOP: .69,
		Link: nvlinkBlackwell, MaxTP: 72, Source: "aiconfigurator gb200.yaml; 189,471 MiB as nvidia-smi reports"},
	{Key: "mi300x", Name: "MI300X", BF16: 1307, FP8: 2615, BW: 5300, Mem: 192, EffBW: .74,
		EffFLOP: .45, Narrow: 1, Fixed: 2,
		Blocks: 41e-6, BlockRate: .185, Link: infinityFabric, MaxTP: 8, Source: "GenZ system_configs.py"},
	{Key: "l40s", Name: "L40S", BF16: 362, FP8: 733, Narrow: 1, BW: 864, Mem: 45.0, EffBW: .85,
		EffFLOP: .60, Link: pcie4, MaxTP: 8, Source: "aiconfigurator l40s.yaml; 46,068 MiB with ECC"},
	{Key: "rtxpro6000", Name: "RTX PRO 6000", BF16: 468, FP8: 936, FP4: 1871, Narrow: 1, BW: 1597, Mem: 96,
		EffFLOP: .83, Link: pcie5, MaxTP: 8, Source: "aiconfigurator rtx_pro_6000_server.yaml at 2430 MHz, Server Edition"},
	{Key: "rtx4090", Name: "RTX 4090", BF16: 165, FP16: 330, FP8: 330, Narrow: 1, BW: 1008, Mem: 24,
		EffFLOP: .90, OwnBW: .93, Link: pcie4, MaxTP: 8, Source: "NVIDIA Ada architecture paper, 2022"},
	{Key: "rtx5090", Name: "RTX 5090", BF16: 210, FP16: 419, FP8: 419, FP4: 1617, Narrow: 1, BW: 1792,
		Mem: 32, Link: pcie5, MaxTP: 8, Source: "NVIDIA data sheet, 2025; fp4 as measured by gpu-flops-bench"},
	{Key: "a6000", Name: "RTX A6000", BF16: 155, BW: 768, Mem: 48, Link: pcie4, MaxTP: 8, Source: "LLM-Viewer"},
	{Key: "m1", Name: "Apple M1", BF16: 2.1, Emulated: .75, NoMatrix: true, EffBW: .76, Eff4: .93, BW: 68,
		Mem: 16, MaxTP: 1, Source: "Apple data sheet; arithmetic as llama.cpp reaches it"},
	{Key: "m1max", Name: "Apple M1 Max", BF16: 10.4, Emulated: .75, NoMatrix: true, EffBW: .76, Eff4: .75,
		BW: 400, Mem: 64, MaxTP: 1, Source: "Apple data sheet; arithmetic as llama.cpp reaches it"},
	{Key: "m3max", Name: "Apple M3 Max", BF16: 14.2, NoMatrix: true, EffBW: .95, Eff4: .95,
		BW: 400, Mem: 128, MaxTP: 1, Source: "Apple data sheet; arithmetic as llama.cpp reaches it"},
	{Key: "m4max", Name: "Apple M4 Max", BF16: 17, NoMatrix: true, EffBW: .95,
		Eff4: .95, BW: 546, Mem: 128, MaxTP: 1, Source: "gpuhunter.io"},
	{Key: "m2ultra", Name: "Apple M2 Ultra", BF16: 27.2, Emulated: .75, NoMatrix: true, EffBW: .83, Eff4: .90,
		BW: 800, Mem: 192, MaxTP: 1, Source: "Apple data sheet; arithmetic as llama.cpp reaches it"},
	{Key: "m3ultra", Name: "Apple M3 Ultra", BF16: 28, NoMatrix: true,
		EffBW: .83, Eff4: .90, BW: 819, Mem: 512, MaxTP: 1, Source: "gpuhunter.io"},
	{Key: "laptop", Name: "laptop CPU", BF16: 1, NoMatrix: true, BW: 89.6, Mem: 32, EffBW: .70,
		Eff4: 1, MaxTP: 1, Source: "LLM-Viewer, Intel i9-13900K with two channels of DDR5-5600"},
	{Key: "groq", Name: "Groq LPU", BF16: 188, BW: 80000, Mem: 0.23, MaxTP: 4096, Flow: &Flow{Layer: 41.7e-6,
		Prefill: 5e15}, Source: "techpowerup; Groq's published speeds", Note: "its rate of prompts is an estimate"},
	{Key: "cerebras", Name: "Cerebras WSE-3", BF16: 62500, BW: 21e6, Mem: 44, MaxTP: 64, Flow: &Flow{Layer: 17e-6,
		Prefill: 10e15}, Source: "cerebras.ai; Cerebras' published speeds", Note: "its rate of prompts is an estimate"},
	{Key: "sn40l", Name: "SN40L", BF16: 638, BW: 1600, Mem: 64, MaxTP: 16,
		Flow:   &Flow{Layer: 30e-6, Bytes: 19e12, Prefill: 4e15},
		Source: "SambaNova SSSN027; published speeds",
		Note: "its rate of prompts is an estimate: 10,000 tokens of " +
			"gpt-oss-120b take 41 ms here, 388 ms to the first token are published"},
	// Of late 2026. Shares of the peaks without a kernel measurement
	// are those of the same architecture, else the usual ones.
	{Key: "b300", Name: "B300", BF16: 2250, FP8: 4500, FP4: 14000, BW: 7750, Mem: 268.6, EffBW: .79,
		EffFLOP: .69, Link: nvlinkBlackwell, MaxTP: 8,
		Source: "aiconfigurator b300_sxm.yaml, August 2026 (fp4 rounded: 108 PFLOP/s for " +
			"eight in NVIDIA's HGX page); 275,040 MiB as nvidia-smi reports; shares of the B200"},
	{Key: "gb300", Name: "GB300", BF16: 2500, FP8: 5000, FP4: 15000, BW: 8000, Mem: 278,
		EffBW: .79, EffFLOP: .69, Link: nvlinkBlackwell, MaxTP: 72,
		Source: "aiconfigurator gb300.yaml, August 2026; 298.5e9 bytes as the device reports; shares of the B200"},
	{Key: "h100-pcie", Name: "H100 PCIe", BF16: 756, FP8: 1513, BW: 2000, Mem: 80,
		Link: pcie5, MaxTP: 8, Source: "aiconfigurator h100_pcie.yaml, August 2026"},
	{Key: "h100-nvl", Name: "H100 NVL", BF16: 835, FP8: 1670, BW: 3900, Mem: 94, Link: pcie5,
		MaxTP: 8, Source: "NVIDIA H100 data sheet, 2024, as listed in a public table of dense peaks, May 2026",
		Note: "groups use PCIe, without the bridge of two cards"},
	{Key: "gh200", Name: "GH200 96 GB", BF16: 989, FP8: 1979, BW: 4000, Mem: 96, EffBW: .86, EffFLOP: .78,
		MaxTP: 1, Stack: "vllm", Source: "NVIDIA GH200 data sheet, 2023; shares of the H100", Note: "one device only"},
	{Key: "h20", Name: "H20", BF16: 148, FP8: 296, BW: 4000, Mem: 96, EffBW: .86, EffFLOP: .78, Link: nvlinkHopper,
		MaxTP: 8, Source: "1cnz.cn, January 2024: 148 TFLOP/s fp16, 296 TFLOP/s fp8, 4.0 TB/s, 96 GB; shares of the H100"},
	{Key: "mi325x", Name: "MI325X", BF16: 1307, FP8: 2615, BW: 6000, Mem: 256, EffBW: .74, EffFLOP: .45,
		Narrow: 1, Fixed: 2,
		Blocks: 41e-6, BlockRate: .185, Link: infinityFabric, MaxTP: 8, Source: "AMD MI325X data sheet, 2024"},
	{Key: "mi355x", Name: "MI355X", BF16: 2500, FP8: 5000, FP4: 10050, BW: 8000, Mem: 288,
		Link: infinityFabric, MaxTP: 8, Source: "AMD MI355X data sheet, 2025; link of the MI300X"},
	{Key: "l4", Name: "L4", BF16: 121, FP8: 242, Narrow: 1, BW: 300, Mem: 22.5, EffFLOP: .60, Link: pcie4,
		MaxTP: 8, Source: "aiconfigurator l4.yaml, August 2026; share of the L40S; 23,034 MiB as nvidia-smi reports"},
	{Key: "a10", Name: "A10", BF16: 125, BW: 600, Mem: 22.5, Link: pcie4, MaxTP: 8,
		Source: "NVIDIA A10 data sheet, 2021; 23,028 MiB as nvidia-smi reports"},
	{Key: "t4", Name: "T4", BF16: 65, BW: 320, Mem: 15.0, MaxTP: 1, Stack: "vllm",
		Source: "NVIDIA T4 data sheet, 2018; 15,360 MiB as nvidia-smi reports",
		Note:   "one device only; 16-bit products in fp16, the T4 has no bf16"},
	{Key: "rtx3090", Name: "RTX 3090", BF16: 71, FP16: 142, BW: 936, Mem: 24, Link: pcie4,
		MaxTP: 8, Source: "NVIDIA GA102 architecture paper, 2020; fp16 sums as GeForce cards"},
	{Key: "rtx4080", Name: "RTX 4080", BF16: 97.5, FP16: 195, FP8: 195, Narrow: 1, BW: 717, Mem: 16,
		Link: pcie4, MaxTP: 8, Source: "NVIDIA Ada architecture paper, 2022; fp16 sums as GeForce cards"},
	{Key: "rtx5080", Name: "RTX 5080", BF16: 112.6, FP16: 225, FP8: 225, FP4: 900, Narrow: 1, BW: 960, Mem: 16,
		Link: pcie5, MaxTP: 8, Source: "NVIDIA RTX Blackwell architecture paper, 2025; fp16 sums as GeForce cards"},
	{Key: "rx7900xtx", Name: "RX 7900 XTX", BF16: 122.8, OwnAttn: .11, OwnQ: .40, OwnTile: 20,
		BW: 960, Mem: 24, Link: pcie4, MaxTP: 8, Source: "AMD data sheet, 2022"},
	{Key: "dgx-spark", Name: "DGX Spark", BF16: 125, FP8: 250, FP4: 500, Narrow: 1, BW: 273, Mem: 121.7,
		EffBW: .70, Eff4: 1, OwnBW: .87, Link: connectX7, MaxTP: 2, Stack: "llama.cpp",
		Source: "NVIDIA DGX Spark data sheet, 2025: 1 PFLOP/s in sparse fp4; fp8 as " +
			"aiconfigurator gb10.yaml; bf16 half of fp8; bandwidth by Qwen2.5 7B Q8_0 in " +
			"llama.cpp, and by Llama 3.1 8B in fp8 and nvfp4 elsewhere; 121.69 GiB as CUDA reports"},
	{Key: "strixhalo", Name: "Strix Halo", BF16: 59.4, OwnAttn: .11, OwnQ: .40, OwnTile: 20, OwnDelta: 11e-6, BW: 256,
		Mem: 128, EffBW: .83, OwnBW: .83, EffFLOP: .62, MaxTP: 1,
		Source: "llm-tracker.info, 2025: 512 operations a clock and unit; 212 GB/s and 36.9 TFLOP/s measured"},
	{Key: "m2max", Name: "Apple M2 Max", BF16: 13.6, Emulated: .75, NoMatrix: true, EffBW: .83, Eff4: .90, BW: 400,
		Mem: 96, MaxTP: 1, Source: "Apple data sheet, 2023; half the arithmetic of the M2 Ultra"},
	{Key: "m4", Name: "Apple M4", BF16: 4.04, NoMatrix: true, EffBW: .95, Eff4: .95, BW: 120,
		Mem: 32, MaxTP: 1, Source: "Apple data sheet, 2024; hmc-tech.com: 10 cores at 1578 MHz"},
	{Key: "m4pro", Name: "Apple M4 Pro", BF16: 8.08, NoMatrix: true, EffBW: .95, Eff4: .95, BW: 273,
		Mem: 64, MaxTP: 1, Source: "Apple data sheet, 2024; hmc-tech.com: 20 cores at 1578 MHz"},
	{Key: "m5max", Name: "Apple M5 Max", BF16: 17.8, NoMatrix: true, EffBW: .95, Eff4: .95, BW: 614,
		Mem: 128, MaxTP: 1, Source: "Apple data sheet, 2026; hmc-tech.com: four times the M5's 10 cores at 1740 MHz",
		Note: "without the matrix units of its GPU: it reads prompts faster than this"},
	{Key: "rtxpro6000-ws", Name: "RTX PRO 6000 Workstation", BF16: 503.8, FP8: 1007.6,
		FP4: 2015, Narrow: 1, BW: 1792, Mem: 96, EffFLOP: .83, Link: pcie5, MaxTP: 8,
		Source: "NVIDIA RTX PRO Blackwell architecture paper, 2025; share of the Server Edition"},
	{Key: "rtx5070ti", Name: "RTX 5070 Ti", BF16: 87.9, FP16: 175.8, FP8: 175.8, FP4: 703,
		Narrow: 1, BW: 896, Mem: 16, Link: pcie5, MaxTP: 8,
		Source: "NVIDIA RTX Blackwell architecture paper, 2025: 1,406 TOPS in sparse fp4; fp16 sums as GeForce cards"},
	{Key: "rtx5070", Name: "RTX 5070", BF16: 61.7, FP16: 123.5, FP8: 123.5, FP4: 494,
		Narrow: 1, BW: 672, Mem: 12, Link: pcie5, MaxTP: 8,
		Source: "NVIDIA RTX Blackwell architecture paper, 2025: 988 TOPS in sparse fp4; fp16 sums as GeForce cards"},
	{Key: "rtx5060ti", Name: "RTX 5060 Ti 16 GB", BF16: 47.4, FP16: 94.9, FP8: 94.9,
		FP4: 380, Narrow: 1, BW: 448, Mem: 16, Link: pcie5, MaxTP: 8,
		Source: "NVIDIA product page, 2025: 759 TOPS in sparse fp4, the other rates derived; fp16 sums as GeForce cards"},
	{Key: "rx7900xt", Name: "RX 7900 XT", BF16: 103, OwnAttn: .11, OwnQ: .40, OwnTile: 20, BW: 800,
		Mem: 20, Link: pcie4, MaxTP: 8, Source: "AMD data sheet, 2022; shares of the RX 7900 XTX"},
	{Key: "rx9070xt", Name: "RX 9070 XT", BF16: 195, FP8: 389, Narrow: 1, OwnAttn: .11, OwnQ: .40, OwnTile: 20, BW: 640,
		Mem: 16, Link: pcie5, MaxTP: 8, Source: "AMD data sheet, 2025: 1,024 and 2,048 operations a clock and unit",
		Note: "shares of the peaks are those of the RX 7900 XTX: no timing of this card is known here"},
	{Key: "b580", Name: "Arc B580", BF16: 116.5, BW: 456, Mem: 12, OwnAttn: .11, OwnQ: .40, OwnTile: 20,
		Link: pcie4, MaxTP: 8, Source: "Intel data sheet, 2024: 233 TOPS in 8 bits, half of it in 16",
		Note: "shares of the peaks are those of the RX 7900 XTX: no timing of this card is known here"},
	{Key: "mi350x", Name: "MI350X", BF16: 2300, FP8: 4600, FP4: 9200, BW: 8000, Mem: 288,
		Link: infinityFabric, MaxTP: 8, Source: "AMD MI350X data sheet, 2025; link of the MI300X"},
	{Key: "m5", Name: "Apple M5", BF16: 4.45, NoMatrix: true, EffBW: .95, Eff4: .95, BW: 153,
		Mem: 32, MaxTP: 1, Source: "Apple data sheet, 2025; arithmetic of 1,280 shaders at 1,740 MHz",
		Note: "without the matrix units of its GPU: it reads prompts faster than this"},
	{Key: "m5pro", Name: "Apple M5 Pro", BF16: 8.9, NoMatrix: true, EffBW: .95, Eff4: .95,
		BW: 307, Mem: 64, MaxTP: 1, Source: "Apple data sheet, 2026; arithmetic of twice the shaders of the M5",
		Note: "without the matrix units of its GPU: it reads prompts faster than this"},
	{Key: "tpu-v5e", Name: "TPU v5e", BF16: 197, BW: 819, Mem: 16, MaxTP: 1,
		Stack: "vllm", Source: "Google Cloud TPU documentation, 2026", Note: "one chip only"},
	{Key: "tpu-v5p", Name: "TPU v5p", BF16: 459, BW: 2765, Mem: 95, MaxTP: 1,
		Stack: "vllm", Source: "Google Cloud TPU documentation, 2026", Note: "one chip only"},
	{Key: "tpu-v6e", Name: "TPU v6e", BF16: 918, BW: 1640, Mem: 32, MaxTP: 1,
		Stack: "vllm", Source: "Google Cloud TPU documentation, 2026", Note: "one chip only"},
	{Key: "tpu-v7", Name: "TPU v7", BF16: 2307, FP8: 4614, BW: 7380, Mem: 192, MaxTP: 1,
		Stack: "vllm", Source: "Google Cloud TPU documentation, 2026", Note: "one chip only"},
	{Key: "trainium2", Name: "Trainium2", BF16: 667, FP8: 1299, BW: 2900, Mem: 96, MaxTP: 1,
		Stack: "vllm", Source: "AWS Neuron documentation, 2025", Note: "one chip only"},
	{Key: "gaudi3", Name: "Gaudi 3", BF16: 1678, FP8: 1678, BW: 3700, Mem: 128, MaxTP: 1, Stack: "vllm",
		Source: "Intel Gaudi 3 white paper, a later edition; 1,835 at launch", Note: "one device only"},
	{Key: "1tb", Name: "ideal 1 TB/s", BF16: 1000, BW: 1000, Mem: 80, EffBW: 1,
		EffFLOP: 1, Eff4: 1, MaxTP: 1, Source: "an ideal device for arithmetic by hand"},
}
