package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tokscope/metrics/pick"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// Serve holds the flags of `tokscope serve`. main passes it to the embedded
// endpoint.
type Serve struct {
	Addr          string
	Remote        bool
	Preset        string
	Model         string
	Hardware      string
	Mode          string
	Draft         string // WHAT:GUESSES[:ACCEPTANCE]; "" none
	Speed         float64
	Seed          uint64
	Scenario      string
	KeyEnv        string
	ConfigPath    string
	NoPrefixCache bool
	AllowHosts    []string
	AllowOrigins  []string
	Replay        []string // session files to serve instead of an engine
	ReplayID      int      // of the request in them; 0: all
}

func newServe(a Actions) *cobra.Command {
	var o Serve
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the embedded endpoint alone, for clients of OpenAI, Anthropic, Google and Ollama",
		Long: `Answers at one address in the APIs of OpenAI (chat, completions, Responses, also over a
WebSocket), Anthropic (Messages), Google (Gemini) and Ollama (its own), as a modern engine
on named hardware would: continuous batching by a roofline model behind real HTTP.
GET /v1/models lists what can be asked. It listens on loopback unless --remote says
otherwise, and refuses requests of web pages from elsewhere.`,
		Example: `tokscope serve --preset llama-3.3-70b-fp8@h200
tokscope serve --model qwen3-8b --hardware rtx4090 --speed 0.1   # slow motion
tokscope serve --scenario rate-limit                             # every answer a 429
tokscope serve --replay session.ndjson                           # recorded answers, with their own gaps
tokscope serve --scenario list
tokscope serve --preset list`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(needs(cmd.Flags(), "id", "replay"), within("--speed", o.Speed, 0.001, 1000)); err != nil {
				return err
			}
			switch {
			case o.Preset == "list":
				return PrintList(cmd.OutOrStdout(), a.Presets)
			case o.Scenario == "list":
				return PrintList(cmd.OutOrStdout(), a.Scenarios)
			}
			return a.Serve(cmd.Context(), &o)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.Addr, "addr", "127.0.0.1:8000", "address to listen on; port 0 takes a free one")
	fs.BoolVar(&o.Remote, "remote", false, "allow an address that other machines can reach")
	fs.StringSliceVar(&o.AllowHosts, "allow-host", nil,
		"a further name that requests may use for this endpoint; * allows all")
	fs.StringSliceVar(&o.AllowOrigins, "allow-origin", nil,
		"a web page's origin that may send requests, such as https://chat.example; * allows all")
	fs.StringVar(&o.Preset, "preset", "", "a ready-made model on hardware; list prints them")
	fs.StringVar(&o.Model, "model", "", "a model, optionally with a precision: llama-3.1-8b, llama-3.3-70b-fp8")
	fs.StringVar(&o.Hardware, "hardware", "", "what it runs on: h100, 2xh100, m3max, …")
	fs.StringVar(&o.Mode, "mode", "", "how requests are batched: continuous, static, none, prefill-first, disaggregated")
	fs.StringVar(&o.Draft, "draft", "",
		"speculative decoding: eagle3:3, mtp:2 or MODEL:3, with an acceptance behind it: eagle3:3:0.8")
	fs.StringArrayVar(&o.Replay, "replay", nil,
		"a session file: answer any path, model and prompt with its answers, in turn, with their own gaps")
	fs.IntVar(&o.ReplayID, "id", 0, "with --replay: number of the request in the file; 0 is all")
	fs.Float64Var(&o.Speed, "speed", 1, "1 is real time, 0.1 ten times slower")
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of all random choices")
	fs.StringVar(&o.Scenario, "scenario", "", "a fault or special form of every answer; list prints them")
	fs.StringVar(&o.ConfigPath, "config", "", "configuration file with your machines and models")
	fs.StringVar(&o.KeyEnv, "require-key-env", "", "environment variable with a key that clients must send")
	fs.BoolVar(&o.NoPrefixCache, "no-prefix-cache", false, "no prefix cache: a repeated prompt costs its full prefill")
	complete(cmd, "preset", func() []string { return firsts(a.Presets) })
	complete(cmd, "scenario", func() []string { return firsts(a.Scenarios) })
	complete(cmd, "hardware", func() []string { machines, _ := a.Named(os.Getenv); return machines })
	complete(cmd, "model", func() []string { _, models := a.Named(os.Getenv); return models })
	exclude(cmd, "replay", "preset", "model", "hardware", "mode", "draft", "speed", "seed", "scenario", "no-prefix-cache")
	exclude(cmd, "preset", "model", "hardware") // it names both
	cmd.MarkFlagsRequiredTogether("model", "hardware")
	return cmd
}

// Try writes what the endpoint at url serves, model or recorded answers, and lines to
// try it with. The key is named, never written.
func (o *Serve) Try(w io.Writer, url, model string) {
	served := "recorded answers: " + sanitize.Line(strings.Join(o.Replay, ", "), 400)
	if model != "" {
		served = format.Join(", ", "model "+model, format.If(o.Scenario != "", "scenario "+o.Scenario),
			format.If(o.Mode != "", o.Mode+" batching"), format.If(o.Speed != 1, "speed "+format.Exact(o.Speed)))
	}
	key, header := "", ""
	if o.KeyEnv != "" {
		key, header = " --api-key-env "+o.KeyEnv, ` -H "Authorization: `+"Bearer "+"$"+o.KeyEnv+`"`
	}
	fmt.Fprintf(w, "serving %s; try:\n  tokscope %s%s\n"+
		"  curl -N %s/chat/completions%s -H 'Content-Type: application/json' -d "+
		`'{"model":"%s","stream":true,"messages":[{"role":"user","content":"Hi"}]}'`+"\n",
		served, url, key, url, header, cmp.Or(model, "any"))
}

// firsts returns the names of a list of names and explanations.
func firsts(rows [][2]string) []string {
	return pick.Each(rows, func(r *[2]string) string { return r[0] })
}

// PrintList prints rows of name and explanation, aligned.
func PrintList(w io.Writer, rows [][2]string) error {
	return aligned(w, pick.Each(rows, func(r *[2]string) []string { return []string{r[0], sanitize.Line(r[1], 160)} }))
}

// aligned prints rows in columns.
func aligned(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(r, "\t"))
	}
	return t.Flush()
}
