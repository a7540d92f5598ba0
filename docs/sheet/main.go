//go:build !windows

// Command sheet makes a contact sheet of the Live and History screens, of a replay
// and the definition lab: states of real runs, each at six sizes of the terminal.
//
//	go run ./docs/sheet                    prints the table of docs/sheet.md
//	go run ./docs/sheet -write             writes that table anew
//	go run ./docs/sheet -o DIR             also sheet.svg and a text of each screen
//	go run ./docs/sheet stalled failed     those states alone
//	go run ./docs/sheet -week DIR          fills the history below a folder of state
//
// It builds tokscope and runs it in a virtual terminal, on the embedded endpoint
// or on a scripted server. For each screen it prints what a person sees first,
// the rows that are cut, and the columns and rows that nothing uses. measure.go
// has the rules.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tokscope/probe/probetest"
	"tokscope/ui/svg"
	"tokscope/ui/uitest/vterm"
)

// sizes are the terminals, columns by rows.
var sizes = [][2]int{{40, 12}, {80, 24}, {100, 30}, {120, 40}, {200, 50}, {300, 80}}

// patience bounds each wait for the program.
const patience = 60 * time.Second

func main() {
	out := flag.String("o", "", "folder for sheet.svg and the texts")
	week := flag.String("week", "", "fill the history below this folder of state with a week, and do nothing else")
	write := flag.Bool("write", false, "write the table into docs/sheet.md")
	flag.Parse()
	if *week != "" {
		text, err := fill(*week)
		if err != nil {
			fmt.Fprintln(os.Stderr, "sheet:", err)
			os.Exit(1)
		}
		fmt.Println(text)
		return
	}
	done, err := apart()
	if !done && err == nil {
		err = run(*out, *write, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sheet:", err)
		os.Exit(1)
	}
}

func run(out string, write bool, names []string) error {
	dir, err := os.MkdirTemp("", "tokscope-sheet")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "bin", "tokscope")
	if text, err := exec.Command("go", "build", "-o", program, "tokscope").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, text)
	}
	srv, err := probetest.Listen(probetest.Options{})
	if err != nil {
		return err
	}
	defer srv.Close()
	table := tableHead
	var shots []shot
	for i := range states {
		s := &states[i]
		if len(names) > 0 && !slices.Contains(names, s.name) {
			continue
		}
		taken, err := s.shoot(program, dir, srv)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		for j := range taken {
			row := taken[j].row()
			fmt.Print(row)
			table += row
		}
		shots = append(shots, taken...)
	}
	if write {
		if err := writeTable("docs/sheet.md", table); err != nil {
			return err
		}
	}
	if out == "" {
		return nil
	}
	return save(out, shots)
}

// shot is one screen of the sheet.
type shot struct {
	state string
	size  [2]int
	light bool
	seen  screen
	svg   []byte
}

// shoot runs the program into the state and resizes it through all sizes.
func (s *state) shoot(program, dir string, srv *probetest.Server) (shots []shot, err error) {
	args := s.args
	if s.plan != "" {
		url := srv.URL(s.plan)
		if s.with == lossyLink {
			addr, end, err := lossy(srv)
			if err != nil {
				return nil, err
			}
			defer end()
			url = strings.Replace(url, srv.Addr(), addr, 1)
		}
		args = append(slices.Clone(args), "--model", "scripted", url)
	}
	look, ground, theme := svg.Dark, color.Color(color.Black), "scope"
	if s.light {
		look, ground, theme = svg.Light, color.White, "paper"
	}
	state := filepath.Join(dir, "state")
	if s.with == week {
		state = filepath.Join(dir, "week")
		if _, err := os.Stat(state); err != nil {
			if _, err := fill(filepath.Join(state, "tokscope")); err != nil {
				return nil, err
			}
		}
	}
	cmd := exec.Command(program, append([]string{"--theme", theme, "--record=false"}, args...)...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_STATE_HOME=" + state, "XDG_CONFIG_HOME=" + dir,
		"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "TOKSCOPE_DISCOVER=false",
	}
	x, err := vterm.StartOn(ground, cmd, 120, 40)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	if err := s.drive(x); err != nil {
		return nil, err
	}
	for _, size := range sizes {
		if err := resize(x, size[0], size[1]); err != nil {
			return nil, err
		}
		shots = append(shots, shot{state: s.name, size: size, light: s.light, seen: measure(x.Cells(look), look.Background), svg: x.SVG(look)})
	}
	return shots, nil
}

// resize waits until the last row is a footer again: every footer names the way
// out.
func resize(x *vterm.Term, w, h int) error {
	if err := x.Resize(w, h); err != nil {
		return err
	}
	time.Sleep(300 * time.Millisecond) // a footer of the size before may stand there for a frame
	return x.Wait("the footer", patience, func() bool {
		rows := strings.Split(x.Screen(), "\n")
		return len(rows) == h && (strings.Contains(rows[h-1], "quit") || strings.Contains(rows[h-1], "esc"))
	})
}

// save writes the picture and the texts.
func save(dir string, shots []shot) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range shots {
		s := &shots[i]
		name := fmt.Sprintf("%s-%dx%d.txt", strings.ReplaceAll(s.state, " ", "-"), s.size[0], s.size[1])
		if err := os.WriteFile(filepath.Join(dir, name), []byte(s.seen.text), 0o644); err != nil {
			return err
		}
	}
	path := filepath.Join(dir, "sheet.svg")
	if err := os.WriteFile(path, picture(shots), 0o644); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err == nil {
		fmt.Printf("%s: %d kB\n", path, info.Size()/1000)
	}
	return err
}

// Size of a screen in the picture, and the room for the caption, in px.
const (
	pictureW, pictureH = 420, 300
	captionH           = 24
)

// picture puts the screens side by side: a state in each row, a size in each
// column.
func picture(shots []shot) []byte {
	var b bytes.Buffer
	rows := (len(shots) + len(sizes) - 1) / len(sizes)
	w, h := pictureW*len(sizes), (pictureH+captionH)*rows
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="15"><rect width="100%%" height="100%%" fill="#888"/>`+"\n", w, h, w, h)
	for i := range shots {
		s := &shots[i]
		x, y := pictureW*(i%len(sizes)), (pictureH+captionH)*(i/len(sizes))
		fmt.Fprintf(&b, `<text x="%d" y="%d">%s, %dx%d</text>`+"\n", x+8, y+17, s.state, s.size[0], s.size[1])
		inner := bytes.Replace(s.svg, []byte("<svg "), fmt.Appendf(nil, `<svg x="%d" y="%d" `, x+4, y+captionH), 1)
		inner = outerSize.ReplaceAll(inner, fmt.Appendf(nil, `width="%d" height="%d" viewBox`, pictureW-8, pictureH-8))
		b.Write(inner)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
