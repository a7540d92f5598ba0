//go:build !windows

package journey

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// lines are command lines without a terminal: the exit codes that they may have, variables,
// the arguments (in quotes if they have spaces), and after " > " what stdout or stderr
// then has, or with "!" has not. "@" begins a plan of a scripted endpoint that is
// asked, "<" what is on stdin; "fits:" names the schema of the document on stdout,
// "lines:" that of its lines. No line prints an escape sequence or the key.
const lines = `
# What ends before anything is sent has its code and says what to do.
2 > tokscope probe
2 tour > tokscope tour --list
2 tour --lesson twelve > seesaw
4 probe groq -n 2 > groq needs a key: set GROQ_API_KEY
4 probe -H X-Team > write -H 'Name: value'
4 probe -H "Connection: close" > is set by tokscope itself
4 probe --extra stream=false > only a stream can be measured
4 <"[{}" probe --messages - > line 1, column 3
4 sweep groq > groq needs a key: set GROQ_API_KEY
4 sweep groq --depth 1k > groq needs a key: set GROQ_API_KEY
4 race demo+http2 demo > +http2 needs https
4 race unix:///no/llm.sock+http2 demo > +http2 needs https
4 probe unix://llm.sock > unix:///run/llama.sock:/v1
5 probe unix:///no/llm.sock -m m -n 1 > there is no socket /no/llm.sock | check the path
1 doctor unix:///no/llm.sock -m m > socket | there is no socket /no/llm.sock | none: the target is a unix socket
4 probe https://h.example.com/v1 --cert no.pem:hunter2 > without its password | !hunter2
4 probe https://h.example.com/v1 --cert-key no.pem > --key is given without a client certificate | --api-key-file
4 ALL_PROXY=socks4://u:hunter2@p.example probe http://h.example.com/v1 -n 1 > ALL_PROXY names a proxy of socks4:// | +direct | !hunter2
2 serve --addr 0.0.0.0:0 > add --remote
2 serve --allow-host http://gpu-box:8000 > --allow-host
2 serve --allow-origin chat.example > --allow-origin
2 serve --model llama-3.1-405b --hardware h100 > GiB of memory
2 serve --model llama-3.1-8b > --hardware
2 serve --preset no-such > no-such
2 serve --mode magic > prefill-first
2 serve --scenario no-such > no-such
2 serve --speed 0 > --speed
4 watch --every 1s no-such-target > no-such-target
4 watch --every 1s https://h.example.com/v1 > too often
4 watch --every 1s --record=false --baseline 24h > needs the history
4 DOCTOR_KEY=k doctor http://10.1.2.3/v1 --api-key-env DOCTOR_KEY > --insecure-http
2 doctor --color red > auto, always, never
2 doctor --timeout -1s > --timeout
2 doctor a b > 2 arguments: this does not fit
2 OPENAI_BASE_URL=https://llm.invalid/v1 OPENAI_API_KEY=KEY sweep -m m --users 1,8 > --yes | tokens
0 OPENAI_BASE_URL=https://llm.invalid/v1 OPENAI_API_KEY=KEY sweep -m m --users 1,8 --handover > vllm bench serve
	| guidellm run | aiperf profile

# Lists, completion and the manual.
0 --help > doctor
0 tour --list >  4  seesaw
0 serve --preset list > llama-3.1-8b@h100 | gpt-oss-120b@cerebras
0 serve --scenario list > stall
0 completion bash > __start_tokscope
0 completion zsh > #compdef tokscope
0 completion fish > complete -c tokscope
0 completion powershell > Register-ArgumentCompleter
0 __complete gr > groq
0 __complete --theme mid > midnight
0 man > .SH | oscilloscope

# Nobody listens.
5 probe http://127.0.0.1:1/v1 -n 1 -m m > refused
1 doctor http://127.0.0.1:1/v1 > bad   TCP        the connection was refused by 127.0.0.1:1 | not checked
1 HTTPS_PROXY=http://user:secret-5fq2@127.0.0.1:9 doctor https://proxied.invalid/v1 --timeout 5s -m m
	> bad   proxy      the connection was refused | !secret-5fq2
1 watch --every 1s --record=false http://127.0.0.1:1 -n 1 --json > fits:watch-v1 | "failed": 1
1 race demo http://127.0.0.1:1 --max-tokens 8 --record=false --pairs 2 --all-pairs
	> http://127.0.0.1:1 failed in every round: no connection. | B 3× no connection of 3 requests
4 race demo --swap "./serve {lane}" --lanes a,b > the embedded endpoint is part of this program
1 race http://127.0.0.1:1 --swap "./no-such-file sk-secret-5fq2hunter2hunter2 {lane}" --lanes a,b --record=false --json
	> fits:race-v1 | "ended": "restart_failed" | "cut_block" | ./no-such-file could not be started | before each of 12 blocks | !5fq2

# The embedded endpoint.
0 --plain --max-tokens 20 > TTFT
0 tour --plain --lesson 1 --record=false > verdict: it holds
0 probe -n 3 -c 2 --max-tokens 12 > demo · llama-3.1-8b |  tokens in · 12 out · 3 requests · 2 at a time | TTFT | TPOT
	| median | min–max | 3 done | lag | session-
0 probe -n 3 -c 3 --max-tokens 9 --cold --json > fits:probe-v1 | "concurrency": 3 | "connection": "cold"
	| "max_tokens": 9 | "done": 3 | "output_tokens": 9 | !"reused": true
0 probe -n 2 --max-tokens 3 --warm --json > fits:probe-v1 | "reused": true | !"reused": false
0 probe -n 2 --max-tokens 40 --slo ttft=1h,tpot=1h > met: 2 of 2
3 probe -n 2 --max-tokens 4 --slo ttft=1ns > MISSED
2 probe -n 2 --max-tokens 4 --slo nonsense=3 > nonsense
# A lag of the machine that changes these two would be several times their whole decode.
0 probe llama-3.1-8b-q4@m3max --machine rtx4090 --model-size 8b-q4 -n 2 --max-tokens 40
	> of the memory's bound: plausible | 8b-q4 on RTX 4090: at most 231 tok/s
0 probe llama-3.1-8b-q4@rtx4090 --machine laptop --model-size llama-3.1-8b-fp8 -n 2 --max-tokens 40 --json
	> fits:probe-v1 | "plausibility": "above" | "machine": "laptop CPU"
4 probe --machine rtx409 --model-size 8b-q4 > did you mean rtx4090?
4 probe --machine rtx4090 > give both
1 probe -n 1 --max-tokens 4000 --timeout 300ms > 1× timed out: | --timeout
0 probe -n 1 --max-tokens 2 --json --prompt "from a flag" > "prompt": "from a flag"
0 <"from stdin" probe -n 1 --max-tokens 2 --json --prompt - > "prompt": "from stdin"
0 <"from stdin too" probe -n 1 --max-tokens 2 --json --prompt-file - > "prompt": "from stdin too"
0 probe -n 1 --max-tokens 5 --stamps user --ndjson > lines:ndjson-v1 | "stamp":"user" | !"stamp":"kernel"
0 probe -n 1 --max-tokens 5 --stamps user > timestamps: tokscope
0 doctor --max-tokens 30 > demo · llama-3.1-8b | Sends 2 requests with at most 46 output tokens
	| ok    TCP        IPv4 127.0.0.1: | ok    HTTP/1.1   first token after | ok    stream     First token after
	| not known:  | Nothing found that prevents or spoils a measurement.
0 doctor --max-tokens 30 --json > fits:doctor-v1
0 race llama-3.1-8b@h100 llama-3.1-8b-q4@m3max --max-tokens 8 --record=false --pairs 2 --all-pairs --json --order-seed 7
	> fits:race-v1 | "ended": "pairs" | "seed": "7" | "dropped": true | too few: 2 of 11 pairs
0 race demo demo+cold --max-tokens 8 --record=false --pairs 2 --all-pairs --ndjson > lines:race-lines-v1
0 race demo --vary model=llama-3.1-8b@h100,llama-3.1-8b@h200 --max-tokens 8 --record=false --pairs 2 --all-pairs --json
	> fits:race-v1 | "vary": "model" | "label": "model=llama-3.1-8b@h200" | "value": "llama-3.1-8b@h200"
4 race demo --vary teir=a,b > did you mean tier?
0 race demo demo+cold --session testdata/tap.ndjson --pairs 3 --all-pairs --record=false --json
	> fits:race-v1 | "ended": "pairs" | "turns": 3 | "turns_left_out": 0 | too few: 3 of 11 pairs
0 race demo demo+cold --session testdata/tap.ndjson --pairs 1 --all-pairs --record=false
	> 3 turns of 1 conversation | of them shared prefix | texts by tokscope
0 sweep --session testdata/tap.ndjson --users 1,2 --record=false --json > fits:sweep-v1 | "turns": 3 | "turn_ms": | !vllm bench
4 race demo demo+cold --session commands_test.go > cannot be read as a session file
4 sweep --session testdata/definitions/content.ndjson > holds no session of a tap: record one with
2 sweep --session testdata/tap.ndjson --rate 1 > exclude each other
0 watch --every 1s --record=false -n 2 --ndjson --max-tokens 8 > lines:watch-v1
0,3 sweep --users 1,4 --duration 2s --slo ttft=5s --json --output-tokens 20 --record=false > fits:sweep-v1 | 4 users:
	| "steps_planned": 2 | vllm bench serve

# Servers that refuse or fail end a sweep, and its code says so.
4 @unauthorized sweep -m m --users 1,2 --duration 3s --json --output-tokens 20 --record=false
	> fits:sweep-v1 | "kind": "auth" | "stopped": 
1 @"6 tokens @ 2ms; cut" sweep -m m --users 1,2 --duration 3s --json --output-tokens 20 --record=false
	> fits:sweep-v1 | "kind": "truncated" | "stopped": 
`

// argument is a word of a command line, in quotes if it has spaces.
var argument = regexp.MustCompile(`[@<]?"[^"]*"|\S+`)

// TestCommands runs the built program without a terminal.
func TestCommands(t *testing.T) {
	t.Parallel()
	for line := range strings.SplitSeq(strings.ReplaceAll(lines, "\n\t", " "), "\n") {
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			typed, wanted, _ := strings.Cut(line, "> ")
			var env, args []string
			var stdin string
			words := argument.FindAllString(strings.ReplaceAll(typed, "=KEY ", "="+apiKey+" "), -1)
			for _, w := range words[1:] {
				w = strings.ReplaceAll(w, `"`, "")
				switch name, _, isVar := strings.Cut(w, "="); {
				case w[0] == '@':
					env = append(env, serve(t, w[1:])...)
				case w[0] == '<':
					stdin = w[1:]
				case isVar && name == strings.ToUpper(name):
					env = append(env, w)
				default:
					args = append(args, w)
				}
			}
			stdout, stderr, code := command(t, env, stdin, args...)
			if !slices.Contains(strings.Split(words[0], ","), strconv.Itoa(code)) {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
			printed := stdout + stderr
			hidesKey(t, "what it prints", printed)
			if strings.ContainsRune(printed, 0x1b) {
				t.Errorf("escape sequences outside of a terminal: %q", printed)
			}
			for _, want := range strings.Split(wanted, " | ") {
				text, not := strings.CutPrefix(want, "!")
				if schema, ok := strings.CutPrefix(want, "fits:"); ok {
					fits(t, schema, stdout)
				} else if schema, ok := strings.CutPrefix(want, "lines:"); ok {
					for line := range strings.Lines(stdout) {
						fits(t, schema, line)
					}
				} else if strings.Contains(printed, text) == not {
					t.Errorf("want %q in\n%s", want, printed)
				}
			}
		})
	}
}

// TestInterrupted interrupts command lines once they are under way. They end in order,
// with what they have, and the code of an interruption.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	must(t, syscall.Mkfifo(fifo, 0o600))
	waits := serve(t, "prefill 1h; 5 tokens @ 1ms")
	for _, c := range []struct {
		env   []string
		args  string
		after string // on stdout; "": a recording, or a file of steps, is there
		says  string
	}{
		{nil, "tour --plain --record=false", "claim:", ""},
		{nil, "--plain --max-tokens 4000 --record=false", "[first token", ""},
		{waits, "doctor -m m", "models", "Interrupted before all checks were done."},
		// With an hour between a user's requests no step ever ends by itself.
		{nil, "sweep --users 1,64 --requests 3 --think 1h --output-tokens 20 --resume STEPS --record=false", "", "0 of 2 finished"},
		// The prompt does not come.
		{nil, "probe --prompt-file " + fifo, "", ""},
		{nil, "probe --prompt -", "", ""},
		{nil, "sweep --users 1 --prompt-file " + fifo, "", ""},
	} {
		t.Run(c.args, func(t *testing.T) {
			state := t.TempDir()
			steps := filepath.Join(state, "steps")
			cmd := exec.Command(built(t), strings.Fields(strings.ReplaceAll(c.args, "STEPS", steps))...)
			cmd.Env = environment(state, c.env...)
			stdin, err := cmd.StdinPipe()
			must(t, err)
			defer stdin.Close()
			var out printed
			cmd.Stdout = &out
			must(t, cmd.Start())
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			begun := func() bool {
				made, _ := filepath.Glob(filepath.Join(state, "tokscope", "session-*"))
				data, _ := os.ReadFile(steps)
				return c.after == "" && len(made)+len(data) > 0 || c.after != "" && strings.Contains(out.String(), c.after)
			}
			limit := time.After(patience)
			for signaled := false; ; {
				select {
				case <-time.After(5 * time.Millisecond):
					if !signaled && begun() {
						must(t, cmd.Process.Signal(syscall.SIGINT))
						signaled = true
					}
					continue
				case <-ended:
				case <-limit:
					_ = cmd.Process.Kill()
					t.Errorf("signaled: %v, and it goes on", signaled)
					<-ended
				}
				break
			}
			if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(out.String(), c.says) {
				t.Errorf("exit code %d, stdout %q", code, out.String())
			}
		})
	}
}

// printed is what a running program has printed.
type printed struct {
	mu   sync.Mutex
	text strings.Builder
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}
