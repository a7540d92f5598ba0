//go:build !windows

// Command pictures makes the pictures of the README from the program itself:
//
//	go run ./docs/pictures
//
// It builds tokscope, runs it in a virtual terminal on the embedded endpoint
// and writes what a person would see as SVG beside this file.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"tokscope/ui/journey/vterm"
)

// picture is one file: what is run, what is done until it is taken.
type picture struct {
	name       string
	cols, rows int
	args       []string
	look       vterm.Look
	drive      func(x *vterm.Term) error
}

const patience = 30 * time.Second

var pictures = []picture{
	{"live", 120, 40, []string{"--max-tokens", "400"}, vterm.Dark, func(x *vterm.Term) error {
		// The second run, so that the session has something to compare with.
		if err := x.Until(patience, "done"); err != nil {
			return err
		}
		if err := x.Keys(" "); err != nil {
			return err
		}
		if err := x.Until(patience, "stream 2", "decoding"); err != nil {
			return err
		}
		time.Sleep(1400 * time.Millisecond) // about half of the answer
		return nil
	}},
	{"load", 120, 40, []string{"--record=false"}, vterm.Dark, func(x *vterm.Term) error {
		if err := x.Until(patience, "decoding"); err != nil {
			return err
		}
		if err := x.Keys("2"); err != nil {
			return err
		}
		// Long enough at each number of users for its point to be steady.
		for i, keys := range [][]string{nil, {"<right>", "<right>", "<right>"}, {"<right>", "<right>"}, {"<right>"}} {
			if err := x.Keys(keys...); err != nil {
				return err
			}
			users := []string{"1 user", "8 users", "32 users", "64 users"}[i]
			if err := x.Until(patience, users+":"); err != nil {
				return err
			}
			time.Sleep(12 * time.Second)
		}
		return nil
	}},
	{"waiting", 100, 30, []string{"--workload", "10k in", "-m", "llama-3.1-8b-q4@m3max"}, vterm.Dark, func(x *vterm.Term) error {
		if err := x.Until(patience, "waiting"); err != nil {
			return err
		}
		time.Sleep(1800 * time.Millisecond)
		return nil
	}},
	{"preset-laptop", 100, 30, []string{"--workload", "chat", "-m", "llama-3.1-8b-q4@laptop"}, vterm.Dark, decodingFor(4 * time.Second)},
	{"preset-draft", 100, 30, []string{"--workload", "chat", "-m", "llama-3.3-70b@4xh100+draft"}, vterm.Dark, decodingFor(1200 * time.Millisecond)},
	{"preset-cerebras", 100, 30, []string{"--workload", "chat", "-m", "gpt-oss-120b@cerebras"}, vterm.Dark, func(x *vterm.Term) error {
		return x.Until(patience, "done")
	}},
	{"light", 100, 30, []string{"--theme", "paper"}, vterm.Light, func(x *vterm.Term) error {
		return x.Until(patience, "done")
	}},
	{"probe", 116, 22, []string{"probe", "-n", "5", "--slo", "ttft=500ms,tpot=50ms", "--record=false"}, vterm.Dark, func(x *vterm.Term) error {
		return x.Until(patience, "observer")
	}},
}

// decodingFor waits until text has come for d.
func decodingFor(d time.Duration) func(*vterm.Term) error {
	return func(x *vterm.Term) error {
		if err := x.Until(patience, "decoding"); err != nil {
			return err
		}
		time.Sleep(d)
		return nil
	}
}

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
	if out, err := exec.Command("go", "build", "-o", program, "tokscope").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	for _, p := range pictures {
		if err := take(program, dir, p); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

func take(program, dir string, p picture) error {
	cmd := exec.Command(program, p.args...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_STATE_HOME=" + filepath.Join(dir, "state"), "XDG_CONFIG_HOME=" + dir,
		"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "TOKSCOPE_DISCOVER=false",
	}
	x, err := vterm.Start(cmd, p.cols, p.rows)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := p.drive(x); err != nil {
		return err
	}
	path := filepath.Join("docs", "pictures", p.name+".svg")
	return os.WriteFile(path, x.SVG(p.look), 0o644)
}
