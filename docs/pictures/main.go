//go:build !windows

// Command pictures makes the pictures of README and docs from the program itself:
//
//	go run ./docs/pictures                  all of them
//	go run ./docs/pictures live tour        those whose names begin so
//	go run ./docs/pictures -list            their names
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

// picture is one file: the program's arguments, and the actions before it is
// taken.
type picture struct {
	name       string
	cols, rows int
	args       []string
	look       svg.Look
	drive      func(x *vterm.Term) error
}

const patience = 30 * time.Second

var pictures = []picture{
	{"live", 120, 40, []string{"--max-tokens", "400"}, svg.Dark, func(x *vterm.Term) error {
		// The second run gives the session a comparison.
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
	{"preset-laptop", 100, 30, []string{"--workload", "chat", "-m", "llama-3.1-8b-q4@laptop"},
		svg.Dark, decodingFor(4 * time.Second)},
	{"preset-draft", 100, 30, []string{"--workload", "chat", "-m", "llama-3.3-70b@4xh100+draft"},
		svg.Dark, decodingFor(1200 * time.Millisecond)},
	{"preset-cerebras", 100, 30, []string{"--workload", "chat", "-m", "gpt-oss-120b@cerebras"},
		svg.Dark, func(x *vterm.Term) error {
			return x.Until(patience, "done")
		}},
	{"probe", 116, 41, []string{"probe", "-n", "5", "--slo", "ttft=500ms,tpot=50ms", "--record=false"},
		svg.Dark, func(x *vterm.Term) error {
			return x.Until(patience, "lag")
		}},
}

// decodingFor waits until text has arrived for d.
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
	if slices.Contains(os.Args[1:], "-list") {
		for _, j := range jobs() {
			fmt.Println(j.name)
		}
		return nil
	}
	dir, err := os.MkdirTemp("", "tokscope-pictures")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "bin", "tokscope")
	if out, err := exec.Command("go", "build", "-o", program, "tokscope").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	for _, j := range jobs() {
		if !wanted(j.name, os.Args[1:]) {
			continue
		}
		fmt.Println(j.name)
		if err := j.takePicture(program, dir); err != nil {
			return fmt.Errorf("%s: %w", j.name, err)
		}
	}
	return nil
}

// job is one run of the program that makes one or more pictures.
type job struct {
	name        string
	takePicture func(program, dir string) error
}

// jobs returns all of them.
func jobs() []job {
	var out []job
	for _, p := range append(pictures, explainPicture) {
		out = append(out, job{p.name, func(program, dir string) error { return takePicture(program, dir, p) }})
	}
	return append(out,
		job{"load", loadPicture},
		job{"steered", steeredPictures},
		job{"tour", lessonPicture},
	)
}

// wanted reports whether one of the prefixes matches the job's name. No
// prefix matches all.
func wanted(name string, prefixes []string) bool {
	return len(prefixes) == 0 || slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// start runs the program with an environment that is independent of this
// machine.
func start(program, dir string, cols, rows int, args []string) (*vterm.Term, error) {
	cmd := exec.Command(program, args...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_STATE_HOME=" + filepath.Join(dir, "state"), "XDG_CONFIG_HOME=" + dir,
		"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "TOKSCOPE_DISCOVER=false",
	}
	return vterm.Start(cmd, cols, rows)
}

// save writes the screen beside this file.
func save(x *vterm.Term, name string, look svg.Look) error {
	return os.WriteFile(filepath.Join("docs", "pictures", name+".svg"), x.SVG(look), 0o644)
}

func takePicture(program, dir string, p picture) error {
	x, err := start(program, dir, p.cols, p.rows, p.args)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := p.drive(x); err != nil {
		return err
	}
	return save(x, p.name, p.look)
}
