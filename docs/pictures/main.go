//go:build !windows

// Command pictures makes the pictures of README and docs from the program itself:
//
//	go run ./docs/pictures                  all of them
//	go run ./docs/pictures live tour        those whose runs begin so
//	go run ./docs/pictures -list            the names of the runs
//
// It builds tokscope, runs it in a virtual terminal on the embedded endpoint
// and writes the screen as SVG beside this file.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tokscope/ui/svg"
	"tokscope/ui/uitest/vterm"
)

// runs are the runs of the program that make pictures. A run has its name, the size of
// the terminal and the arguments; each further line is a step of vterm.Step, "wait" and
// a time, "save" and the name of a picture, or "film", a time and the name of a moving
// picture. " // " begins a remark.
const runs = `
== film 100x30 --record=false
film 12s film

== live 120x40 --max-tokens 400
> done
<space> > stream 2 | decoding // the second run gives the session a comparison
wait 1400ms // about half of the answer
save live

== preset-laptop 100x30 --workload chat -m llama-3.1-8b-q4@laptop
> decoding
wait 4s
save preset-laptop

== preset-draft 100x30 --workload chat -m llama-3.3-70b@4xh100+draft
> decoding
wait 1200ms
save preset-draft

== preset-cerebras 100x30 --workload chat -m gpt-oss-120b@cerebras
> done
save preset-cerebras

== probe 116x41 probe -n 5 --slo ttft=500ms,tpot=50ms --record=false
> lag
save probe

== explain 120x40
> decoding
4 > Explain
wait 20s // the first requests have ended
<space> > paused // so that a step can be studied
save explain

== load 120x40 --record=false
> decoding
x > stopped
2 <space> > 1 user:
wait 10s // until the point is steady, as after each of the others
<right> <right> <right> > 8 users:
wait 14s
<right> <right> <right> > 64 users:
wait 20s
save load

== steered 120x40 --record=false --input-tokens 500 --max-tokens 40
> done
2 <space> > 1 user:
<right> <right> <right> > 8 users:
wait 10s
p > prompt | ctrl+t
<ctrl+t> <ctrl+u> 1500 <ctrl+r> > new requests send this | prompt
wait 9s
p > prompt | ctrl+t
<ctrl+t> <ctrl+u> 4000 <ctrl+r> > new requests send this | prompt
wait 9s
p > prompt | ctrl+t
<ctrl+t> <ctrl+u> 10000 <ctrl+r> > new requests send this | prompt
wait 9s
v v v v > over prompt length | cold TTFT
wait 1s
save lengths
m > esc back
gpt-oss-120b@2xh <enter> > new requests go there
wait 9s
v > over users
u 6/s <enter> > over requests a second
wait 12s
v v v v v v > over time | a change
wait 1s
save steered
/ > filter
"ttft>100 sort:-ttft" <enter> > requests | TTFT
wait 1s
save requests
<enter> > of the load | longest
wait 1s
save slowest

== tour 120x40 tour --lesson 4 --record=false
> ✓ measured
<enter> > measuring 8 users
> ✓ measured
<enter> > measuring 64 users
> batching pays // the verdict
save tour
`

// patience is how long a step may take: to measure a stage of a lesson.
const patience = 2 * time.Minute

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "tokscope-pictures")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "bin", "tokscope")
	list := slices.Contains(os.Args[1:], "-list")
	if !list {
		if out, err := exec.Command("go", "build", "-o", program, "tokscope").CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	for _, text := range strings.Split(runs, "\n== ")[1:] {
		head, steps, _ := strings.Cut(text, "\n")
		name, args, _ := strings.Cut(head, " ")
		if !list && len(os.Args) > 1 &&
			!slices.ContainsFunc(os.Args[1:], func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			continue
		}
		if fmt.Println(name); list {
			continue
		}
		if err := play(program, dir, strings.Fields(args), steps); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// play runs the program in a terminal of the size that args begin with, independent of
// this machine, and carries out the steps.
func play(program, dir string, args []string, steps string) error {
	var cols, rows int
	if _, err := fmt.Sscanf(args[0], "%dx%d", &cols, &rows); err != nil {
		return fmt.Errorf("size %q: %w", args[0], err)
	}
	cmd := exec.Command(program, args[1:]...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_STATE_HOME=" + filepath.Join(dir, "state"), "XDG_CONFIG_HOME=" + dir,
		"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "TOKSCOPE_DISCOVER=false",
	}
	x, err := vterm.Start(cmd, cols, rows)
	if err != nil {
		return err
	}
	defer x.Close()
	for step := range strings.Lines(steps) {
		if step, _, _ = strings.Cut(strings.TrimSpace(step), " // "); step == "" {
			continue
		}
		if err := carryOut(x, step); err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
	}
	return nil
}

// carryOut does what a step says.
func carryOut(x *vterm.Term, step string) error {
	verb, of, _ := strings.Cut(step, " ")
	switch verb {
	case "wait":
		d, err := time.ParseDuration(of)
		time.Sleep(d)
		return err
	case "save": // beside this file
		return os.WriteFile(filepath.Join("docs", "pictures", of+".svg"), x.SVG(svg.Dark), 0o644)
	case "film":
		lasts, name, _ := strings.Cut(of, " ")
		d, err := time.ParseDuration(lasts)
		if err != nil {
			return err
		}
		f, err := shoot(x, d)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join("docs", "pictures", name+".svg"), f.svg(), 0o644)
	}
	keys, texts := vterm.Step(step)
	if err := x.Keys(keys...); err != nil {
		return err
	}
	return x.Until(patience, texts...)
}
