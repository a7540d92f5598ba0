package cli

import (
	"context"
	"io"
	"strings"
	"testing"
)

// TestWrongFlagsSayWhatMayBeGiven checks that wrong flags of every command are
// refused before anything runs, with the exit code of usage and the next step, and
// that no error of Go's own parsers or of cobra reaches a person. A blank within an
// argument is written as |.
func TestWrongFlagsSayWhatMayBeGiven(t *testing.T) {
	for _, x := range []struct{ args, want string }{
		// what the parsers of flags refuse
		{"probe -n abc", `-n, --requests "abc": give a whole number`},
		{"probe -n 99999999999999999999", "-n, --requests: the number is too large"},
		{"probe -n sk-hunter2hunter2", "-n, --requests: give a whole number"}, // a key is not repeated
		{"probe --json=x", `--json "x": give true or false`},
		{"probe --input-tokens 1..2", `--input-tokens "1..2": give one number of tokens, such as 1000; lengths that are drawn, such as 200..4000, are for sweep`},
		{"probe --record=all", "give true, false or raw"},
		{"replay --speed abc a.ndjson", `--speed "abc": give a number, such as 1.5`},
		{"watch --every nonsense", `--every "nonsense": give a time with its unit, such as 500ms, 10s or 2m`},
		{"probe --x", "unknown flag: --x; see tokscope probe --help"},
		{"probe -Z", "unknown shorthand flag: 'Z' in -Z; see tokscope probe --help"},
		{"--x", "unknown flag: --x; see tokscope --help"},
		{"probe --prompt", "flag needs an argument: --prompt; see tokscope probe --help"},
		{"config show --x", "unknown flag: --x; see tokscope config show --help"},
		// groups
		{"probe --json --csv", "--csv and --json exclude each other: choose one"},
		{"probe --json --ndjson --csv", "--csv, --json and --ndjson exclude each other: choose one"},
		{"probe --list --json", "--json and --list exclude each other: choose one"},
		{"probe --list=sort:-ttft --ndjson", "--list and --ndjson exclude each other"},
		{"probe --list --csv", "--csv and --list exclude each other"},
		{"probe --csv --lens chat", "--csv and --lens exclude each other"},
		{"probe --lens chat --ndjson", "--lens and --ndjson exclude each other"},
		{"probe --csv --histogram", "--csv and --histogram exclude each other"},
		{"probe --histogram --json", "--histogram and --json exclude each other"},
		{"--cold --warm", "--cold and --warm exclude each other"},
		{"--prompt x --prompt-file y", "--prompt and --prompt-file exclude each other"},
		{"sweep --json --csv", "--csv and --json exclude each other"},
		{"sweep --handover --markdown", "--handover and --markdown exclude each other"},
		{"sweep --users 1 --rate 1", "--rate and --users exclude each other"},
		{"sweep --rate 1 --think 1s", "--rate and --think exclude each other"},
		{"sweep --requests 3 --duration 1s", "--duration and --requests exclude each other"},
		{"sweep --output-tokens 9 --max-tokens 9", "--max-tokens and --output-tokens exclude each other"},
		{"sweep --prompts f --prompt b", "--prompt and --prompts exclude each other"},
		{"sweep --ramp 1-64/2m --users 3", "--ramp and --users exclude each other"},
		{"sweep --depth 1k --rate 1", "--depth and --rate exclude each other"},
		{"sweep --depth 1k --json --csv", "--csv and --json exclude each other"},
		{"sweep --depth 1k --cold --warm", "--cold and --warm exclude each other"},
		{"race a b --json --markdown", "--json and --markdown exclude each other"},
		{"watch --json --ndjson -n 1", "--json and --ndjson exclude each other"},
		{"compare a b --json --markdown", "--json and --markdown exclude each other"},
		{"history --csv --json", "--csv and --json exclude each other"},
		{"serve --replay f --speed 2", "--replay and --speed exclude each other"},
		{"serve --preset p --model m --hardware h", "--hardware and --preset exclude each other"},
		{"serve --model m", "--model and --hardware go together: add --hardware"},
		// a flag without the one that it is for
		{"serve --id 3", "--id needs --replay"},
		{"replay f --keep-widths", "--keep-widths needs --no-text"},
		{"watch groq --metrics-remote", "--metrics-remote needs --metrics-addr"},
		{"probe --agent-steps 5", "--agent-steps and --agent-tokens need --lens agent"},
		{"probe --lens chat --agent-tokens 5", "--agent-steps and --agent-tokens need --lens agent"},
		{"sweep --poisson", "--poisson needs --rate"},
		{"sweep --ramp 1-64/2m --poisson", "--poisson needs --rate"},
		{"watch --json", "--json and --junit are written at the end: give it with -n or --for, or use --ndjson"},
		{"watch --junit x.xml", "--json and --junit are written at the end: give it with -n or --for"},
		// bounds
		{"--input-tokens 0", "--input-tokens 0: give 1 to 2,000,000"},
		{"--input-tokens 3000000", "--input-tokens 3000000: give 1 to 2,000,000"},
		{"--temperature -1", "--temperature -1: give 0 to 5"},
		{"--temperature nan", "--temperature NaN: give 0 to 5"},
		{"--temperature inf", "--temperature +Inf: give 0 to 5"},
		{"--timeout -1s", "--timeout -1s: give 0s or more"},
		{"--prompt - --api-key-file -", "only one of --prompt, --prompt-file and --api-key-file can read stdin"},
		{"probe -n 0", "0 requests: give 1 to 100000"},
		{"probe -n -1", "-1 requests: give 1 to 100000"},
		{"probe -c -1", "concurrency -1: give 1 to 1024"},
		{"probe --warmup=-1", "--warmup -1: give 0 to 10,000"},
		{"probe --list=color:red", `"color" is not known; known are status`},
		{"probe --lens opera", `--lens "opera": give one of chat, voice, agent, batch`},
		{"probe --lens=", `--lens "": give one of chat, voice, agent, batch`},
		{"probe --lens agent --agent-steps 0", "--agent-steps 0 and --agent-tokens 300: give 1 to"},
		{"probe --lens agent --agent-tokens -5", "--agent-steps 20 and --agent-tokens -5: give 1 to"},
		{"sweep --users 4,2", `--users "4,2": 2 is not above 4: give rising values such as 1,2,4`},
		{"sweep --users 1,,2", `--users "1,,2": "" is not a number from 1 to 1024`},
		{"sweep --users 0", `"0" is not a number from 1 to 1024`},
		{"sweep --users 5000", `"5000" is not a number from 1 to 1024`},
		{"sweep --rate NaN", `"NaN" is not a rate from 0.001 to 10,000 requests per second`},
		{"sweep --rate 2,1", "1 is not above 2: give rising values such as 1,2,5"},
		{"sweep --ramp 64", "say in which time, such as 1-64/2m"},
		{"sweep --ramp 1-64", "give 1-64/2m"},
		{"sweep --ramp 64/2m", "say where the ramp begins"},
		{"sweep --requests 0", "--requests 0: give 1 to 1,000,000"},
		{"sweep --duration 0", "--duration 0s: give 10ms to 24h"},
		{"sweep --think 2h", "--think 2h0m0s: give 0s to 1h"},
		{"sweep --price-in -1", "--max-total-tokens, --price-in and --price-out cannot be negative"},
		{"sweep --server-metrics http://user:secret@h/metrics", "--server-metrics: give auto, off, or an address"},
		{"sweep --server-metrics h:9000", "--server-metrics: give auto, off, or an address"},
		{"sweep --server-metrics file:///etc/passwd", "--server-metrics: give auto, off, or an address"},
		{"sweep --input-tokens 4000..200", "the second is below the first"},
		{"sweep --input-tokens 200..", "give 1000, 200..4000, 1000±200 or 100,1000"},
		{"sweep --input-tokens 1.5k", `--input-tokens "1.5k": "1.5k" is not a number from 1 to 2,000,000`},
		{"sweep --input-tokens 9000000", "out of range: give 1 to 2,000,000"},
		{"sweep --input-tokens=", "--input-tokens is empty: give 1000"},
		{"sweep --output-tokens 400..100", "the second is below the first"},
		{"sweep --depth=", `"" is not a number of tokens from 1 to 2,000,000, such as 4k or 4000`},
		{"sweep --depth 4k,1k", "1000 is not above 4000: give rising values such as 1k,4k,16k,64k"},
		{"sweep --depth 1M", "is not a number of tokens"},
		{"sweep --depth 9223372036854775807k", "is not a number of tokens"},
		{"sweep --depth 3000k", "is not a number of tokens"},
		{"sweep --depth -1k", "is not a number of tokens"},
		{"sweep --depth 1k,1k\x1b[2J", "is not a number of tokens"},
		{"sweep --depth 1k --users 1,2", "give one number of users, such as --users 1"},
		{"sweep --depth 1k --users 4 -n 2", "give 4 to 1000"},
		{"sweep --depth 1k -n 0", "give 1 to 1000"},
		{"sweep --depth 1k --output-tokens 10..50", "give --output-tokens one number"},
		{"sweep --depth 1k --price-in -1", "cannot be negative"},
		{"race a", "1 contestant: give 2 to 6"},
		{"race a b c d e f g", "7 contestants: give 2 to 6"},
		{"race a b --model m", "write TARGET#MODEL"},
		{"race a b --api-key-env KEY", "one key to all contestants"},
		{"race a b --pairs 0", "--pairs 0: give 1 to 2,000"},
		{"race a b --duration -1s", "--duration -1s: give 0s or more"},
		{"race a b --fail-if ttft|>|fast", "write a ratio"},
		{"race a b --fail-if ttft|of|c|>|1.2x|a", "no lane is called c"},
		{"race a b c --fail-if ttft|>|1.2x", "say which lanes"},
		{"race a b --band 60", "--band 60: give 0 to 50"},
		{"race a b --max-total-tokens -1", "--max-total-tokens -1: give 0 to 1,000,000,000,000"},
		{"watch --every 10ms", "--every 10ms: give 1s to 24h"},
		{"watch --every 48h", "--every 48h0m0s: give 1s to 24h"},
		{"watch -n -1", "--probes -1: give 0 to 10,000,000"},
		{"watch --for -1s", "--for -1s: give 0s or more"},
		{"watch --baseline first|5", "first 10 to first 10000"},
		{"watch --baseline first|x", "first 10 to first 10000"},
		{"watch --baseline -24h", "such as 24h"},
		{"watch --baseline=", "--baseline is empty"},
		{"watch --program bb", "give aa"},
		{"watch --program aa --every 1m", "its own workloads and interval"},
		{"watch --exec a|'b", "the quote ' is not closed"},
		{"watch --fail-if ttft.p50|is|high", "--fail-if"},
		{"watch --fail-if ttft.p50|>|1.2x|b", "compares with the baseline"},
		{"watch --false-alarms 1m", "at least 100 intervals"},
		{"watch --max-day-tokens -1", "--max-day-tokens -1: give 0 to"},
		{"watch a b --model m", "TARGET#MODEL"},
		{"replay", "give a session file"},
		{"replay - -", "the standard input can be read once"},
		{"replay f --id -1", "--id -1: give 0 or more"},
		{"replay f --speed 0", "--speed 0: give 0.001 to 1,000"},
		{"replay f --from -1s", "--from -1s: give 0s or more"},
		{"replay f g --no-text", "--no-text copies one whole file: give one file"},
		{"replay f --no-text --json", "without --json and --id"},
		{"replay f --id 2 --no-text", "without --json and --id"},
		{"models --input-tokens 0", "--input-tokens 0: give 1 to 16,777,216"},
		{"models --max-tokens -1", "--max-tokens -1: give 1 to"},
		{"models --speed 0", "--speed 0: give"},
		{"models --speed nan", "--speed NaN: give"},
		{"models --input-tokens 99999999", "--input-tokens 99999999: give 1 to"},
		{"definitions", "0 arguments: this does not fit"},
		{"definitions a b", "2 arguments: this does not fit"},
		{"definitions groq --id 2", "groq is no file"},
		{"doctor --color no", "color"},
	} {
		ran := false
		runs := func() error { ran = true; return nil }
		root := New(Actions{
			Live:        func(context.Context, *Live) error { return runs() },
			Probe:       func(context.Context, *Probe) error { return runs() },
			Serve:       func(context.Context, *Serve) error { return runs() },
			Sweep:       func(context.Context, *Sweep) error { return runs() },
			Doctor:      func(context.Context, *Doctor) error { return runs() },
			Race:        func(context.Context, *Race) error { return runs() },
			Models:      func(context.Context, *Models) error { return runs() },
			Definitions: func(context.Context, *Definitions) error { return runs() },
			History:     func(context.Context, *History) error { return runs() },
			Replay:      func(context.Context, *Replay) error { return runs() },
			Compare:     func(context.Context, *Compare) error { return runs() },
			Watch:       func(context.Context, *Watch) error { return runs() },
		}, "v")
		args := strings.Fields(x.args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "|", " ")
		}
		root.SetArgs(args)
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		err := root.Execute()
		if ran || CodeOf(err) != ExitUsage || !strings.Contains(err.Error(), x.want) || strings.Contains(err.Error(), "strconv") {
			t.Errorf("%s: %v with exit code %d, want %q; it runs: %v", x.args, err, CodeOf(err), x.want, ran)
		}
	}
}
