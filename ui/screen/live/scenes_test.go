package live

import "time"

// scenes are the moments of the golden files.
func scenes() map[string]*View {
	const ms = time.Millisecond
	chat := []string{"reused", "queue 2ms", "prefill 41ms", "60 x 7ms", "stall 31ms", "40 x 7ms", "burst 4", "40 x 7ms"}
	long := []string{"connect 48ms", "prefill 12s"}
	return map[string]*View{
		"connecting": script(long...).view(20 * ms),
		"waiting":    script(long...).view(460 * ms),
		"longwait":   script("connect 48ms", "prefill 100s").view(31 * time.Second),
		"progress":   script("reused", "progress 512/2048", "prefill 4s").view(1240 * ms),
		"decoding":   script(append(chat, "100 x 7ms", "done")...).view(900 * ms),
		"reasoning":  script("reused", "think", "prefill 220ms", "28 x 30ms", "answer", "90 x 18ms", "done").view(1900 * ms),
		"stalled":    script("reused", "prefill 90ms", "60 x 20ms", "stall 2s", "burst 12", "20 x 20ms", "stall 9s", "done").view(8 * time.Second),
		"done":       script(append(chat, "done")...).view(-1),
		"length":     script("connect 30ms", "prefill 300ms", "900 x 20ms", "length").view(-1),
		"error":      script("connect 30ms", "prefill 300ms", "50 x 20ms", "fail").view(-1),
		"truncated":  script("reused", "prefill 120ms", "80 x 15ms", "cut").view(-1),
	}
}
