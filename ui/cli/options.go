package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/pick"
)

// Common holds the flags of every command that sends requests. Flags that are
// also settings of the configuration have no field. Changed passes them to
// the code that merges flags, environment and file.
type Common struct {
	metrics.Flags
	Target      string // as typed; "" = from the environment, the config, or embedded
	Prompt      string
	PromptFile  string
	System      string
	Messages    string // file of a conversation; "" without one
	Session     string // file of a tap, whose turns are played; "" without one
	InputTokens int
	Temperature float64
	Seed        int
	ConfigPath  string
	RecordLimit int // MB of the session file; 0: no limit

	cold, warm bool
	noHistory  bool
	set        *pflag.FlagSet
}

// command holds the flags of a command. take takes its arguments, and refuses what
// makes no sense with the next step.
type command interface{ take(args []string) error }

// run returns the RunE of a command: act, once o has taken the arguments.
func run[C command](o C, act func(context.Context, C) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := o.take(args); err != nil {
			return err
		}
		return act(cmd.Context(), o)
	}
}

// take implements command for the argument [TARGET].
func (c *Common) take(args []string) error {
	if len(args) > 0 {
		c.Target = args[0]
	}
	return c.check()
}

// Given reports whether the flag was given on the command line.
func (c *Common) Given(flag string) bool { return c.set != nil && c.set.Changed(flag) }

// Changed returns the flags that were given, by name, as text.
func (c *Common) Changed() map[string]string {
	m := map[string]string{}
	if c.set != nil {
		c.set.Visit(func(f *pflag.Flag) { m[f.Name] = f.Value.String() })
	}
	if c.noHistory {
		m["history"] = "false"
	}
	switch {
	case c.cold:
		m["connection"] = metrics.ReuseCold.String()
	case c.warm:
		m["connection"] = metrics.ReuseWarm.String()
	}
	return m
}

// flags adds the flags of c to cmd.
func (c *Common) flags(cmd *cobra.Command) {
	c.flagsButLength(cmd)
	cmd.Flags().Var(&value{kind: "int", read: func(s string) (err error) {
		if c.InputTokens, err = strconv.Atoi(s); err != nil {
			err = errors.New("give one number of tokens, such as 1000; lengths that are drawn, such as 200..4000, are for sweep")
		}
		return err
	}}, "input-tokens", "pad the prompt to about this many tokens of prose")
	exclude(cmd, "messages", "input-tokens")
}

// value is that of a flag which read understands. kind is what a help calls it.
type value struct {
	text, kind string
	read       func(string) error
}

func (v *value) Set(s string) error {
	v.text = s
	return v.read(s)
}

// String implements pflag.Value: it is the last text.
func (v *value) String() string { return v.text }

func (v *value) Type() string { return v.kind }

// recordRaw and recordText are values of --record of some commands.
const (
	recordRaw  = "raw"
	recordText = "text"
)

// recordFlag adds --record to fs, which beside true and false may be also. Its value is in the
// merged settings.
func recordFlag(fs *pflag.FlagSet, also, usage string) {
	fs.Var(&value{text: "true", kind: "string", read: func(s string) error {
		if _, err := strconv.ParseBool(s); err != nil && s != also {
			return errors.New("give true, false or " + also)
		}
		return nil
	}}, "record", usage)
	fs.Lookup("record").NoOptDefVal = "true"
}

// recordUsage is that of the commands that measure.
const recordUsage = "write the session file; =false leaves no trace, =raw adds the bytes of responses"

// flagsButLength is flags without --input-tokens, for a command whose own
// flag of that name also accepts distributions.
func (c *Common) flagsButLength(cmd *cobra.Command) {
	fs := cmd.Flags()
	c.set = fs
	fs.StringVarP(&c.Model, "model", "m", "", "model to ask for (default: the profile's, or the first listed model)")
	fs.StringVarP(&c.Prompt, "prompt", "p", "", "prompt text; - reads it from stdin")
	fs.StringVar(&c.PromptFile, "prompt-file", "", "file with the prompt; - reads stdin")
	fs.String("workload", "", "a ready-made prompt: chat, \"1k in\", \"10k in\", code, \"long answer\"")
	fs.StringVar(&c.System, "system", "", "system message")
	fs.Int("max-tokens", 0, "most output tokens (default: the workload's)")
	fs.Float64Var(&c.Temperature, "temperature", 0, "sampling temperature (default: the server's)")
	fs.IntVar(&c.Seed, "seed", 0, "sampling seed (default: none)")
	fs.BoolVar(&c.cold, "cold", false, "a new connection for every request")
	fs.BoolVar(&c.warm, "warm", false, "open a connection before every request")
	fs.String("stamps", "", "source of arrival times: auto (the kernel where possible) or user")
	fs.Bool("http2", false, "offer HTTP/2 (stamps then fall back to the body's reads)")
	fs.Bool("no-path-probe", false, "no connects to the server while a stream is silent")
	fs.BoolVar(&c.InsecureHTTP, "insecure-http", false, "allow a key over plain http to another machine")
	fs.StringVar(&c.CACert, "cacert", "", "file (PEM) with the certificate authority of a private endpoint")
	fs.StringVar(&c.Cert, "cert", "", "file (PEM) with your client certificate, and with its key unless --key names that")
	fs.StringVar(&c.CertKey, "key", "", "file (PEM) with the private key of --cert; no key of an API")
	fs.StringVar(&c.CertKey, "cert-key", "", "the same as --key")
	_ = fs.MarkHidden("cert-key")
	fs.StringVar(&c.API, "api", "",
		"the API to ask in, such as messages (default: the one that the address names, else chat)")
	fs.StringVar(&c.APIKeyFile, "api-key-file", "", "file with the API key; - reads stdin")
	fs.StringVar(&c.APIKeyEnv, "api-key-env", "", "environment variable with the API key")
	fs.StringVar(&c.ConfigPath, "config", "", "configuration file")
	recordFlag(fs, recordRaw, recordUsage)
	fs.BoolVar(&c.noHistory, "no-history", false, "keep no figures in the history (tokscope history)")
	fs.IntVar(&c.RecordLimit, "record-limit", 256,
		"size of the session file in MB; what exceeds it is left out; 0: no limit")
	fs.String("state-dir", "", "folder of the session files and the history")
	paces := pick.Each(metrics.Paces, func(p *metrics.Pace) string { return p.Name })
	fs.String("pace", "", "human pace for comparison: "+strings.Join(paces, ", "))
	fs.DurationVar(&c.Timeout, "timeout", 0, "time limit of a whole request (default: none)")
	fs.Duration("timeout-connect", 0, "time limit of connecting (default 10s)")
	fs.Duration("timeout-tls", 0, "time limit of the TLS handshake (default 10s)")
	fs.Duration("timeout-first-byte", 0, "time limit of a silence before the first token (default 2m)")
	fs.Duration("timeout-first-token", 0, "time limit before the first token, which pings do not prolong, "+
		"but reported progress does (default 15m)")
	fs.Duration("timeout-idle", 0, "time limit without data after the first token; comments do not count (default 30s)")
	// Zero means "as the configuration says"; the text holds the real default.
	for _, name := range []string{"timeout", "timeout-connect", "timeout-tls", "timeout-first-byte",
		"timeout-first-token", "timeout-idle"} {
		fs.Lookup(name).DefValue = ""
	}
	c.requestFlags(cmd)
	cmd.MarkFlagsMutuallyExclusive("cold", "warm")
	cmd.MarkFlagsMutuallyExclusive("prompt", "prompt-file")
}

// lengthGiven reports whether the length flag was given.
func (c *Common) lengthGiven() bool {
	return c.Given("input-tokens") && c.set.Lookup("input-tokens").Value.Type() == "int"
}

// check refuses values that make no sense, and names the next step.
func (c *Common) check() error {
	if c.lengthGiven() {
		if err := within("--input-tokens", c.InputTokens, 1, metrics.MaxLength); err != nil {
			return err
		}
	}
	if namesStdin(c.Prompt, c.PromptFile, c.Messages, c.APIKeyFile, c.Curl) > 1 {
		return Usage("only one of --prompt, --prompt-file, --messages, --api-key-file and --curl can read stdin")
	}
	if c.Given("curl-reads") && !c.Given("curl") {
		return Usage("--curl-reads says what the command of --curl may read, and there is none: give --curl, or leave it out")
	}
	if c.Given("curl") && (c.Target != "" || c.Curl == "") {
		return Usage("--curl names the target and what is sent: give it a curl command, and no TARGET")
	}
	return cmp.Or(within("--temperature", c.Temperature, 0, 5), within("--record-limit", c.RecordLimit, 0, 1<<20),
		atLeast("--timeout", c.Timeout, 0), c.checkExport())
}

// maxPrompt limits the size of a prompt: 8 MiB is over a million tokens.
const maxPrompt = 8 << 20

// ReadPrompt returns the prompt that the flags name: its text, or the content
// of the file or stdin. ok is false when no flag names one. The end of ctx ends
// the wait for a file or stdin.
func (c *Common) ReadPrompt(ctx context.Context, stdin io.Reader) (prompt string, ok bool, err error) {
	from := c.PromptFile
	if c.Prompt == "-" {
		from = "-"
	} else if from == "" {
		return c.Prompt, c.Prompt != "", nil
	}
	data, err := readWhole(ctx, "the prompt", from, stdin)
	return string(data), err == nil, err
}

// Usage returns an error with the exit code for wrong flags.
func Usage(format string, a ...any) error {
	return &Exit{ExitUsage, fmt.Errorf(format, a...)}
}

// failIf adds --fail-if to cmd, which may be repeated; help says what a condition is about.
func failIf(cmd *cobra.Command, to *[]condition.Condition, help string) {
	cmd.Flags().Var(&value{kind: "condition", read: func(text string) error {
		one, err := condition.Parse(text)
		if err == nil {
			*to = append(*to, one)
		}
		return err
	}}, "fail-if", help)
}
