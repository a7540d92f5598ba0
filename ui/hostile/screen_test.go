//go:build !windows

package hostile

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/ui/uitest/vterm"
)

// built makes the program, once.
var built = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "tokscope")
	cmd := exec.Command("go", "build", "-ldflags=-w", "-o", path, "tokscope") // -w halves the linking
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// wordsWithin bounds the wait for the words once the end is on the screen.
const wordsWithin = patience

// sequence is one escape sequence of those that the program writes: SGR with the
// colors of the theme, cursor (also by tab stops, I and Z) and erasure, modes, and
// the question for the background. Nothing else may begin with ESC.
var sequence = regexp.MustCompile(`\x1b\[[0-9;:]*[mABCDGHIZJKXPLMSTrd@b]|\x1b\[[?<>=]?[0-9;]*(?:[hlusc]|\$p)|\x1b\[\?5W|\x1b\[>[0-9;]*m|\x1b\[[0-9] q|\x1b\]11;\?(?:\x07|\x1b\\)|\x1b[78=>M]`)

// palette is an SGR of the sixteen colors, which hostile text uses and the
// program does not.
var palette = regexp.MustCompile(`\x1b\[(?:3[0-7]|4[0-7]|9[0-7])m`)

// foreignOnTTY returns what is not the program's in the bytes that it wrote.
func foreignOnTTY(raw string) string {
	if s := palette.FindString(raw); s != "" {
		return fmt.Sprintf("%q", s)
	}
	if i := strings.IndexFunc(raw, func(r rune) bool { return unicode.Is(unicode.Co, r) }); i >= 0 {
		return "a private character in " + around(raw, i) // a font can draw anything for it
	}
	rest := sequence.ReplaceAllString(raw, "")
	return foreign(strings.NewReplacer("\r", "", "\b", "", "\t", "").Replace(rest))
}

// TestMatrixOnTheScreen runs the rows with onScreen in the virtual terminal: the
// screen must say what happened, the bytes written must be the program's alone,
// and the terminal must be given back as it was.
func TestMatrixOnTheScreen(t *testing.T) {
	probetest.TakesTime(t, "the built program runs in real time")
	t.Parallel()
	program := testkit.Must(built())(t)
	rows := 0
	for _, g := range table {
		for i := range g.rows {
			r := &g.rows[i]
			if r.shows == "" {
				continue
			}
			rows++
			size := [2]int{120, 40}
			if rows%2 == 0 { // the words must be whole in a small terminal too
				size = [2]int{80, 24}
			}
			t.Run(g.name+"/"+r.name, func(t *testing.T) {
				t.Parallel()
				for _, w := range r.onScreen(t, program, size[0], size[1]) {
					t.Error(w)
				}
			})
		}
	}
	testkit.That(t, rows >= 30, "%d rows on the screen, less than 30", rows)
}

// onScreen plays the row and returns what is wrong.
func (r *row) onScreen(t *testing.T, program string, cols, rows int) (wrong []string) {
	add := func(form string, a ...any) { wrong = append(wrong, fmt.Sprintf(form, a...)) }
	srv := listen(t, r.handler())
	defer srv.close()
	state := t.TempDir()
	cmd := exec.Command(program, slices.Concat([]string{"--model", "m", "--api-key-env", "HOSTILE_KEY"}, r.flags(),
		[]string{r.target(srv.addr())})...)
	cmd.Env = environment(state)
	if r.proxied {
		cmd.Env = append(cmd.Env, "HTTPS_PROXY=http://hostile:"+proxyPassword+"@"+srv.addr())
	}
	x := testkit.Must(vterm.Start(cmd, cols, rows))(t)
	defer x.Close()
	ended := "failed"
	switch r.class {
	case "":
		ended = "done"
	case "truncated":
		ended = "truncated"
	}
	if err := x.Until(patience, ended, "again"); err != nil {
		add("%v", err)
	} else if err := x.Until(wordsWithin, r.shows); err != nil {
		add("%v", err)
	}
	screen := x.Screen()
	if err := x.Keys("q"); err != nil {
		add("%v", err)
	}
	if code, err := x.Exit(patience); err != nil || code != 0 {
		add("exit code %d, %v", code, err)
	}
	for _, left := range x.Left() {
		add("%s", left)
	}
	for what, text := range map[string]string{"screen": screen, "terminal": x.Written()} {
		if s := leaks(text); s != "" {
			add("the %s holds the key: %s", what, s)
		}
	}
	if s := foreignOnTTY(x.Written()); s != "" {
		add("the terminal got %s", s)
	}
	return wrong
}

// environment is that of the program, with its files below dir.
func environment(dir string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_STATE_HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "TERM=xterm-256color",
		"COLORTERM=truecolor", "LANG=C.UTF-8", "TOKSCOPE_DISCOVER=false", "HOSTILE_KEY=" + apiKey,
	}
}

// TestForeignBytesAreSeen holds the check of the bytes on the terminal.
func TestForeignBytesAreSeen(t *testing.T) {
	for _, ours := range []string{"\x1b[38;2;1;2;3m text \x1b[m\x1b[2J\x1b[H\x1b[?25l\x1b[?2026h", "\x1b]11;?\x07",
		"a\r\n\tb\b", "\x1b[Z\x1b[2I"} {
		testkit.Is(t, foreignOnTTY(ours), "", ours, "is foreign")
	}
	for _, bad := range []string{"\x1b[31m", "\x1b]0;title\x07", "\x1b]52;c;aGk=\x07", "\x1bP", "\x1bc", "\u009b",
		"\u202e", "\ue000", "\x07"} {
		testkit.That(t, foreignOnTTY("a"+bad+"b") != "", "%q is not seen", bad)
	}
}
