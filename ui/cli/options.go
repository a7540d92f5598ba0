package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"tokscope/metrics"
)

// Common is what every command that sends requests takes. Flags that are also
// settings of the configuration have no field: Changed hands them to whoever
// merges flags, environment and file.
type Common struct {
	Target       string // as typed; "" = from the environment, the config, or embedded
	Model        string
	Prompt       string
	PromptFile   string
	System       string
	InputTokens  int
	Temperature  float64
	Seed         int
	InsecureHTTP bool
	CACert       string
	APIKeyFile   string
	APIKeyEnv    string
	ConfigPath   string
	Timeout      time.Duration

	cold, warm bool
	set        *pflag.FlagSet
}

// Given reports whether the flag was given on the command line.
func (c *Common) Given(flag string) bool { return c.set != nil && c.set.Changed(flag) }

// Changed returns the flags that were given, by name, as text.
func (c *Common) Changed() map[string]string {
	m := map[string]string{}
	if c.set != nil {
		c.set.Visit(func(f *pflag.Flag) { m[f.Name] = f.Value.String() })
	}
	switch {
	case c.cold:
		m["connection"] = metrics.ReuseCold.String()
	case c.warm:
		m["connection"] = metrics.ReuseWarm.String()
	}
	return m
}

// flags adds the flags of c to fs.
func (c *Common) flags(fs *pflag.FlagSet) {
	c.flagsButLength(fs)
	fs.Var((*oneLength)(&c.InputTokens), "input-tokens", "pad the prompt to about this many tokens of prose")
	fs.Lookup("input-tokens").DefValue = ""
}

// oneLength is a flag with one number of tokens.
type oneLength int

// Set implements pflag.Value.
func (n *oneLength) Set(s string) error {
	v, err := strconv.Atoi(s)
	if err != nil {
		return errors.New("give one number of tokens, such as 1000; lengths that are drawn, such as 200..4000, are for sweep")
	}
	*n = oneLength(v)
	return nil
}

// String implements pflag.Value.
func (n *oneLength) String() string { return strconv.Itoa(int(*n)) }

// Type implements pflag.Value.
func (n *oneLength) Type() string { return "int" }

// flagsButLength leaves out --input-tokens, for a command whose own also draws.
func (c *Common) flagsButLength(fs *pflag.FlagSet) {
	c.set = fs
	fs.StringVarP(&c.Model, "model", "m", "", "model to ask for (default: the profile's, or the server's first)")
	fs.StringVarP(&c.Prompt, "prompt", "p", "", "prompt text; - reads it from stdin")
	fs.StringVar(&c.PromptFile, "prompt-file", "", "file with the prompt; - reads stdin")
	fs.String("workload", "", "a prompt that is ready: chat, \"1k in\", \"10k in\", code, \"long answer\"")
	fs.StringVar(&c.System, "system", "", "system message")
	fs.Int("max-tokens", 0, "bound of the output in tokens (default: the workload's)")
	fs.Float64Var(&c.Temperature, "temperature", 0, "sampling temperature (default: the server's)")
	fs.IntVar(&c.Seed, "seed", 0, "sampling seed (default: none)")
	fs.BoolVar(&c.cold, "cold", false, "a new connection for every request")
	fs.BoolVar(&c.warm, "warm", false, "make sure that a connection stands before every request")
	fs.String("stamps", "", "who takes the time of arrival: auto (the kernel where it can) or user")
	fs.Bool("http2", false, "offer HTTP/2 (stamps then fall back to the body's reads)")
	fs.BoolVar(&c.InsecureHTTP, "insecure-http", false, "allow a key over plain http to another machine")
	fs.StringVar(&c.CACert, "cacert", "", "file (PEM) with the certificate authority of a private endpoint")
	fs.StringVar(&c.APIKeyFile, "api-key-file", "", "file with the API key; - reads stdin")
	fs.StringVar(&c.APIKeyEnv, "api-key-env", "", "environment variable with the API key")
	fs.StringVar(&c.ConfigPath, "config", "", "configuration file")
	fs.Bool("record", true, "write the session file; --record=false leaves no trace")
	fs.String("state-dir", "", "folder of the session files")
	fs.String("pace", "", "human pace to compare with: "+PaceNames())
	fs.DurationVar(&c.Timeout, "timeout", 0, "give up on a whole request after this (default: no bound)")
	fs.Duration("timeout-connect", 0, "give up on connecting (default 10s)")
	fs.Duration("timeout-tls", 0, "give up on the TLS handshake (default 10s)")
	fs.Duration("timeout-first-byte", 0, "give up on the first byte of the response (default 2m)")
	fs.Duration("timeout-idle", 0, "give up when no data arrives; comments are no data (default 30s)")
	// Zero means "as the configuration says": the real default stands in the text.
	for _, name := range []string{"timeout", "timeout-connect", "timeout-tls", "timeout-first-byte", "timeout-idle"} {
		fs.Lookup(name).DefValue = ""
	}
}

// PaceNames lists the known paces, for a flag's help and its error.
func PaceNames() string {
	s := ""
	for i, p := range metrics.Paces {
		if i > 0 {
			s += ", "
		}
		s += p.Name
	}
	return s
}

// lengthGiven reports whether the length flag was given.
func (c *Common) lengthGiven() bool {
	return c.Given("input-tokens") && c.set.Lookup("input-tokens").Value.Type() == "int"
}

// check refuses what cannot be meant, with the next step.
func (c *Common) check() error {
	switch {
	case c.cold && c.warm:
		return Usage("--cold and --warm exclude each other: choose one")
	case c.Prompt != "" && c.PromptFile != "":
		return Usage("--prompt and --prompt-file exclude each other: choose one")
	case c.lengthGiven() && (c.InputTokens < 1 || c.InputTokens > metrics.MaxLength):
		return Usage("--input-tokens %d: give 1 to %d", c.InputTokens, metrics.MaxLength)
	case !(c.Temperature >= 0 && c.Temperature <= 5): // NaN too
		return Usage("--temperature %v: give 0 to 5", c.Temperature)
	case c.Timeout < 0:
		return Usage("--timeout %v: a time cannot be negative", c.Timeout)
	}
	stdin := 0
	for _, s := range []string{c.Prompt, c.PromptFile, c.APIKeyFile} {
		if s == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return Usage("only one of --prompt, --prompt-file and --api-key-file can read stdin")
	}
	return nil
}

// maxPrompt limits the size of a prompt: 8 MiB is over a million tokens.
const maxPrompt = 8 << 20

// ReadPrompt returns the prompt that the flags name: its text, or what the
// file or stdin holds. ok is false when no flag names one.
func (c *Common) ReadPrompt(stdin io.Reader) (prompt string, ok bool, err error) {
	from := c.PromptFile
	if c.Prompt == "-" {
		from = "-"
	} else if from == "" {
		return c.Prompt, c.Prompt != "", nil
	}
	r := stdin
	if from != "-" {
		f, err := os.Open(from)
		if err != nil {
			return "", false, Usage("the prompt cannot be read: %v", err)
		}
		defer func() { _ = f.Close() }()
		r = f
	}
	data, err := io.ReadAll(io.LimitReader(r, maxPrompt+1))
	switch {
	case err != nil:
		return "", false, Usage("the prompt cannot be read: %v", err)
	case len(data) > maxPrompt:
		return "", false, Usage("the prompt is larger than %d MiB", maxPrompt>>20)
	case len(data) == 0:
		return "", false, &Exit{ExitUsage, errors.New("the prompt from " + from + " is empty")}
	}
	return string(data), true, nil
}

// Usage returns an error with the exit code for wrong flags.
func Usage(format string, a ...any) error {
	return &Exit{ExitUsage, fmt.Errorf(format, a...)}
}
