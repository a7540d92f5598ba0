package endpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode"

	"github.com/pelletier/go-toml/v2"

	"tokscope/probe/files"
	"tokscope/probe/secret"
)

// Bounds of reading a key.
const (
	keyBytes = 64 << 10         // a key file or the output of a command; keys have a few hundred bytes
	cmdTime  = 15 * time.Second // api_key_cmd: enough for a password manager that asks for a fingerprint
	cmdWait  = time.Second      // for its children to close the pipe after it was killed
)

// Command is api_key_cmd: a string for the shell, or a list to execute
// directly.
type Command struct {
	Args  []string
	Shell bool
}

// UnmarshalTOML takes a string or a list of strings as it stands in the file. Anything
// else becomes a command without a program, which Profile.Check refuses.
func (c *Command) UnmarshalTOML(data []byte) error {
	var text struct{ Value string }
	var list struct{ Value []string }
	line := append([]byte("Value = "), data...)
	*c = Command{Args: []string{""}}
	if toml.Unmarshal(line, &text) == nil {
		*c = Command{Args: []string{text.Value}, Shell: true}
	} else if toml.Unmarshal(line, &list) == nil && len(list.Value) > 0 {
		c.Args = list.Value
	}
	return nil
}

// Empty reports whether no command is set.
func (c Command) Empty() bool { return len(c.Args) == 0 }

// shown returns the command's first word and the number of the others, which may
// hold a key. Of a shell's command, words are what blanks separate.
func (c Command) shown() string {
	words := c.Args
	if c.Shell {
		words = strings.Fields(c.Args[0])
	}
	if len(words) == 0 {
		return ""
	}
	first := words[0]
	if strings.Contains(first, "=") || looksLikeKey(first) {
		first = secret.Redacted
	}
	switch n := len(words) - 1; n {
	case 0:
		return first
	case 1:
		return first + " (and 1 argument)"
	default:
		return fmt.Sprintf("%s (and %d arguments)", first, n)
	}
}

// minKeyLike is the shortest word that looks like a key, in bytes.
const minKeyLike = 12

// looksLikeKey reports whether word, given in place of a name, may be a key: it
// is long, has digits among its letters, and nothing that paths have.
func looksLikeKey(word string) bool {
	return len(word) >= minKeyLike && !strings.ContainsAny(word, `./\ ~:`) &&
		strings.ContainsAny(word, "0123456789") && strings.IndexFunc(word, unicode.IsLetter) >= 0
}

// run executes c and returns the first line of its output. Its errors never
// contain that output. The command gets no input. Its standard error is
// dropped, because it may hold the key.
func (c Command) run(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, cmdTime)
	defer cancel()
	args := c.Args
	if c.Shell {
		args = []string{"sh", "-c", c.Args[0]}
		if runtime.GOOS == "windows" {
			args = []string{"cmd", "/C", c.Args[0]}
		}
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	out := &capped{left: keyBytes}
	cmd.Stdout = out
	cmd.WaitDelay = cmdWait
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("it did not end within %s", cmdTime)
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &exit):
		return "", fmt.Errorf("it ended with %s", exit.ProcessState)
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("its program was not found in PATH")
	case errors.Is(err, fs.ErrPermission):
		return "", errors.New("its program may not be run")
	case errors.Is(err, exec.ErrWaitDelay):
		// The command ended, but a child keeps the pipe open: the output so far
		// counts.
	case err != nil:
		return "", errors.New("it could not be run")
	}
	key, err := cleanKey(firstLine(out.buf.String()))
	if err == nil && key == "" {
		err = errors.New("it printed nothing in its first line")
	}
	return key, err
}

// capped keeps the first bytes and drops the rest. A command with endless
// output cannot fill the memory.
//
// The buffer is not embedded: its ReadFrom would bypass Write.
type capped struct {
	buf  bytes.Buffer
	left int
}

func (c *capped) Write(p []byte) (int, error) {
	n := min(len(p), c.left)
	c.left -= n
	c.buf.Write(p[:n])
	return len(p), nil
}

// readKeyFile reads the key of a file. warn is a sentence if other users can
// read the file, else "". Errors name the path, never the content.
func readKeyFile(name string) (key, warn string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", "", errors.New(Reason(err))
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", "", errors.New(Reason(err))
	}
	if info.IsDir() {
		return "", "", errors.New("it is a folder")
	}
	key, err = readKey(files.Text(f))
	if err == nil && info.Mode().IsRegular() && runtime.GOOS != "windows" && info.Mode().Perm()&0o044 != 0 {
		warn = fmt.Sprintf("the key file %s can be read by others (mode %04o): chmod 600 it", name, info.Mode().Perm())
	}
	return key, warn, err
}

// readKey reads the first line of r that is not blank. It does not read
// further than the terminal or pipe delivers.
func readKey(r io.Reader) (string, error) {
	var line []byte
	buf := make([]byte, 4096)
	for {
		n, err := r.Read(buf)
		line = append(line, buf[:n]...)
		key := firstLine(string(line))
		switch whole := len(key) < len(strings.TrimLeft(string(line), "\ufeff\r\n\t ")); {
		case err != nil && !errors.Is(err, io.EOF):
			return "", errors.New(Reason(err))
		case len(line) > keyBytes:
			return "", fmt.Errorf("it is larger than %d KiB, so it is not a key", keyBytes>>10)
		case err == nil && (key == "" || !whole):
			continue
		}
		key, err = cleanKey(key)
		if err == nil && key == "" {
			err = errors.New("its first line is empty")
		}
		return key, err
	}
}

func firstLine(s string) string {
	s = strings.TrimPrefix(s, "\ufeff")
	line, _, _ := strings.Cut(strings.TrimLeft(s, "\r\n\t "), "\n")
	return line
}

// cleanKey trims a key and refuses one that is invalid in a header.
func cleanKey(s string) (string, error) {
	s = strings.TrimSpace(s)
	if len(s) > 7 && strings.EqualFold(s[:7], "bearer ") {
		s = strings.TrimSpace(s[7:])
	}
	if n := len(s); n > 1 && s[0] == s[n-1] && (s[0] == '"' || s[0] == '\'') {
		s = s[1 : n-1] // quoted, as in files of variables
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ':
			return "", errors.New("it holds a space, so it is not a key")
		case c < ' ' || c == 0x7f:
			return "", errors.New("it holds a control character, so it is not a key")
		case c > 0x7f:
			return "", errors.New("it holds a character outside ASCII (perhaps a typographic quote or dash from copying)")
		}
	}
	return s, nil
}

// Reason returns an I/O error without its path and operation.
func Reason(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return err.Error()
}

// KeyStep returns the next step where a server wants a key, or refuses that of t.
func (t *Target) KeyStep() string {
	if t.KeyFrom != "" {
		return "the key came from " + t.KeyFrom + "; check that it is valid here"
	}
	if p, ok := ProviderByName(t.Server); ok && len(p.KeyVars) > 0 {
		return "no key was sent: set " + p.KeyVars[0] + ", or name its file with --api-key-file"
	}
	return "no key was sent: name its variable with --api-key-env, its file with --api-key-file, or either in a profile"
}
