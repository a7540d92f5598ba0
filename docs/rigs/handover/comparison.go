package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/probe/scrape"
)

// packages are the Python packages of the tools, and the version that the
// lines were last run with.
var packages = map[string]string{"vLLM": "vllm==0.33.0", "GuideLLM": "guidellm==0.8.1", "AIPerf": "aiperf==0.13.0"}

// comparison is one comparison.
type comparison struct {
	dir, python, preset string
	input, output       int
	steps               steps
	only                []string // tools

	program, url string
	page         *scrape.Page
}

// row is what the endpoint counted while one tool ran one step.
type row struct {
	tool  string
	users string // of its steps
	count loadstat.ServerStep
}

// run runs everything and prints the table.
func (b *comparison) run(out io.Writer) error {
	if err := writeTokenizer(filepath.Join(b.dir, "tokenizer")); err != nil {
		return err
	}
	for _, tool := range b.only {
		if err := b.install(tool); err != nil {
			return err
		}
	}
	b.program = filepath.Join(b.dir, "tokscope")
	if err := b.command("go", "build", "-C", "../..", "-o", b.program, ".").Run(); err != nil {
		return fmt.Errorf("build tokscope: %w", err)
	}
	stop, err := b.serve()
	if err != nil {
		return err
	}
	defer stop()
	var rows []row
	for _, s := range b.each() {
		first, lines, err := b.sweep(s)
		if err != nil {
			return err
		}
		rows = append(rows, first)
		for _, tool := range b.only {
			r, err := b.tool(tool, lines[tool], s.users)
			if err != nil {
				return err
			}
			rows = append(rows, r)
		}
	}
	tools := make([]string, len(b.only))
	for i, tool := range b.only {
		tools[i] = packages[tool]
	}
	fmt.Fprintf(out, "%s: %s, %d tokens in, %d out, %s\n\n",
		time.Now().UTC().Format("2 January 2006"), b.preset, b.input, b.output, strings.Join(tools, ", "))
	return printTable(out, rows)
}

// line is one command line: its steps, and the requests of each of them.
type line struct {
	users    string
	requests int
}

// each returns a line for each step, and where there are several steps one
// for all of them: no prompt of a step may come again in the next.
func (b *comparison) each() (out []line) {
	var all []string
	for _, s := range b.steps {
		out = append(out, line{fmt.Sprint(s.users), s.requests})
		all = append(all, fmt.Sprint(s.users))
	}
	if last := b.steps[len(b.steps)-1]; len(all) > 1 {
		out = append(out, line{strings.Join(all, ","), max(last.users, 50)})
	}
	return out
}

// environment is the folder of a tool's Python environment.
func (b *comparison) environment(tool string) string {
	return filepath.Join(b.dir, "env", strings.ToLower(tool))
}

// install makes the environment of a tool unless it is there.
func (b *comparison) install(tool string) error {
	pkg, ok := packages[tool]
	if !ok {
		return fmt.Errorf("no tool is called %q", tool)
	}
	env := b.environment(tool)
	if _, err := os.Stat(filepath.Join(env, "bin", strings.ToLower(tool))); err == nil {
		return nil
	}
	fmt.Fprintf(os.Stderr, "installing %s\n", pkg)
	if err := b.command(b.python, "-m", "venv", env).Run(); err != nil {
		return fmt.Errorf("make an environment for %s: %w", tool, err)
	}
	if err := b.command(filepath.Join(env, "bin", "pip"), "install", "-q", pkg).Run(); err != nil {
		return fmt.Errorf("install %s: %w", pkg, err)
	}
	return nil
}

// command is a command whose output goes to stderr.
func (b *comparison) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd
}

// serve starts the embedded endpoint on a free port.
func (b *comparison) serve() (stop func(), err error) {
	cmd := exec.Command(b.program, "serve", "--addr", "127.0.0.1:0", "--preset", b.preset)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() { _, _ = cmd.Process.Signal(os.Interrupt), cmd.Wait() }
	line, err := bufio.NewReader(out).ReadString('\n')
	if b.url = strings.TrimSpace(line); err != nil || !strings.HasPrefix(b.url, "http://") {
		stop()
		return nil, fmt.Errorf("tokscope serve printed %q in place of its address: %w", line, err)
	}
	began := time.Now()
	b.page = scrape.NewPage(scrape.URLOf(b.url), "", func() metrics.Stamp { return metrics.Stamp(time.Since(began)) })
	return stop, nil
}

// sweep runs tokscope's own step and returns the lines for the other tools.
func (b *comparison) sweep(s line) (row, map[string]string, error) {
	args := []string{"sweep", b.url, "--model", b.preset, "--users", s.users, "--requests", fmt.Sprint(s.requests),
		"--input-tokens", fmt.Sprint(b.input), "--output-tokens", fmt.Sprint(b.output), "--yes", "--quiet"}
	lines := map[string]string{}
	printed, err := exec.Command(b.program, append(args, "--handover")...).Output()
	if err != nil {
		return row{}, nil, fmt.Errorf("print the lines: %w", err)
	}
	for block := range strings.SplitSeq(string(printed), "\n\n") {
		for tool := range packages {
			if strings.HasPrefix(block, "# "+tool+" (") {
				lines[tool] = block
			}
		}
	}
	r, err := b.counted("tokscope", s.users, exec.Command(b.program, append(args, "--json")...))
	return r, lines, err
}

// tool runs a printed line as it is, in a shell that finds the tool first.
func (b *comparison) tool(tool, line string, users string) (row, error) {
	if line == "" {
		return row{}, fmt.Errorf("tokscope printed no line for %s", tool)
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Env = append(os.Environ(),
		"PATH="+filepath.Join(b.environment(tool), "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	return b.counted(tool, users, cmd)
}

// counted runs cmd and returns what the endpoint counted meanwhile. Its output
// goes to a file.
func (b *comparison) counted(tool string, users string, cmd *exec.Cmd) (r row, err error) {
	name := fmt.Sprintf("%s-%s.log", strings.ToLower(tool), users)
	log, err := os.Create(filepath.Join(b.dir, name))
	if err != nil {
		return r, err
	}
	defer func() { _ = log.Close() }()
	cmd.Dir, cmd.Stdout, cmd.Stderr = b.dir, log, log
	r = row{tool: tool, users: users}
	if r.count.Before, err = b.idle(); err != nil {
		return r, err
	}
	fmt.Fprintf(os.Stderr, "%s, %s users\n", tool, users)
	if err := cmd.Run(); err != nil {
		return r, fmt.Errorf("%s failed, see %s: %w", tool, log.Name(), err)
	}
	r.count.After, err = b.idle()
	return r, err
}

// idle waits until the endpoint has no request and returns its counts.
func (b *comparison) idle() (c loadstat.ServerCounts, err error) {
	for range 100 {
		if c, err = b.page.Read(context.Background()); err != nil || c.Running.V+c.Waiting.V == 0 {
			return c, err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return c, errors.New("the endpoint is still busy")
}

// columns are the figures of the table; each is compared with tokscope's.
var columns = []struct {
	name string
	of   func(*row) metrics.Value
}{
	{"requests", counter(func(c *loadstat.ServerCounts) metrics.Value { return c.Requests })},
	{"prompt tokens per request",
		per(func(c *loadstat.ServerCounts) (sum, n metrics.Value) { return c.Prompt, c.TTFTCount }, 1)},
	{"output tokens per request",
		per(func(c *loadstat.ServerCounts) (sum, n metrics.Value) { return c.Output, c.Requests }, 1)},
	{"cache hits", counter(func(c *loadstat.ServerCounts) metrics.Value { return c.CacheHits })},
	{"TTFT mean, ms", per(func(c *loadstat.ServerCounts) (sum, n metrics.Value) { return c.TTFTSum, c.TTFTCount }, 1000)},
	{"ITL mean, ms", per(func(c *loadstat.ServerCounts) (sum, n metrics.Value) { return c.ITLSum, c.ITLCount }, 1000)},
}

func counter(of func(*loadstat.ServerCounts) metrics.Value) func(*row) metrics.Value {
	return func(r *row) metrics.Value { return r.count.Change(of) }
}

// per is the growth of one counter for each of another, times scale.
func per(of func(*loadstat.ServerCounts) (sum, n metrics.Value), scale float64) func(*row) metrics.Value {
	return func(r *row) metrics.Value {
		sum := r.count.Change(func(c *loadstat.ServerCounts) metrics.Value { s, _ := of(c); return s })
		n := r.count.Change(func(c *loadstat.ServerCounts) metrics.Value { _, n := of(c); return n })
		if !sum.OK || !n.OK || n.V == 0 {
			return metrics.Unknown(metrics.WhyNoCount)
		}
		return metrics.Known(sum.V/n.V*scale, 0)
	}
}

// printTable prints the rows in Markdown, the difference from tokscope's
// figure behind each.
func printTable(out io.Writer, rows []row) error {
	w := bufio.NewWriter(out)
	names := []string{"users", "tool"}
	for _, c := range columns {
		names = append(names, c.name)
	}
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	for i := range rows {
		r := &rows[i]
		first := slices.IndexFunc(rows, func(o row) bool { return o.users == r.users && o.tool == "tokscope" })
		cells := []string{r.users, r.tool}
		for _, c := range columns {
			cells = append(cells, cell(c.of(r), c.of(&rows[first]), first == i))
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
	return w.Flush()
}

// cell writes v, and how far it is from first in percent.
func cell(v, first metrics.Value, same bool) string {
	if !v.OK {
		return "–"
	}
	text := fmt.Sprintf("%.4g", v.V)
	if same || !first.OK || first.V == 0 {
		return text
	}
	return fmt.Sprintf("%s (%+.1f %%)", text, (v.V/first.V-1)*100)
}
