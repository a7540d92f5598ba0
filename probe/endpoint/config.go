package endpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/BurntSushi/toml"
)

// Config is the configuration file. The zero Config is that of a file that
// does not exist. docs/config.md describes every key; a test compares it with
// these fields. Keys of the API are never in it, only where they are found.
type Config struct {
	Defaults Defaults           `toml:"defaults"`
	UI       UI                 `toml:"ui"`
	Timeouts Timeouts           `toml:"timeouts"`
	Profiles map[string]Profile `toml:"profile"`

	path  string
	lines map[string]int // line of each key, for Origin and errors
}

// Defaults is the table [defaults]: what is measured when no flag says
// otherwise. Zero values mean "not set".
type Defaults struct {
	Target      string `toml:"target"`
	Theme       string `toml:"theme"`
	Pace        string `toml:"pace"`
	Stamps      string `toml:"stamps"`
	Workload    string `toml:"workload"`
	MaxTokens   int    `toml:"max_tokens"`
	Connection  string `toml:"connection"`
	HTTP2       bool   `toml:"http2"`
	Requests    int    `toml:"requests"`
	Concurrency int    `toml:"concurrency"`
	SLO         string `toml:"slo"`
	Discover    bool   `toml:"discover"`
	Record      bool   `toml:"record"`
	StateDir    string `toml:"state_dir"`
}

// UI is the table [ui]: how the screen looks and behaves.
type UI struct {
	Mouse         bool   `toml:"mouse"`
	ASCII         bool   `toml:"ascii"`
	ReducedMotion bool   `toml:"reduced_motion"`
	Plain         bool   `toml:"plain"`
	Color         string `toml:"color"`
	FPS           int    `toml:"fps"`
	Units         string `toml:"units"`
}

// Timeouts is the table [timeouts]: how long each wait may last, as Go
// durations ("10s", "2m").
type Timeouts struct {
	Connect   string `toml:"connect"`
	TLS       string `toml:"tls"`
	FirstByte string `toml:"first_byte"`
	Idle      string `toml:"idle"`
}

const configBytes = 1 << 20 // a configuration is a few kB; more is the wrong file

// DefaultPath is where the configuration is looked for: TOKSCOPE_CONFIG, else
// tokscope/config.toml under XDG_CONFIG_HOME, else under the system's folder
// for configurations. "" when there is none (no home).
func DefaultPath(env func(string) string) string {
	if p := env("TOKSCOPE_CONFIG"); p != "" {
		return p
	}
	if d := env("XDG_CONFIG_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "tokscope", "config.toml")
	}
	var dir string
	switch home := env("HOME"); {
	case runtime.GOOS == "windows":
		dir = env("AppData")
	case home == "":
	case runtime.GOOS == "darwin":
		dir = filepath.Join(home, "Library", "Application Support")
	default:
		dir = filepath.Join(home, ".config")
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "tokscope", "config.toml")
}

// Load reads and checks the configuration at path. A file that does not exist,
// or an empty path, is the empty configuration. All other errors are a
// *metrics.Fault of kind config whose message names the file and the line.
func Load(path string) (*Config, error) {
	if path == "" {
		return &Config{}, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Config{path: path}, nil
	}
	if err != nil {
		return nil, Refuse(fmt.Sprintf("read %s: %s", path, reason(err)), "give another file with --config")
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, configBytes+1))
	if err != nil {
		return nil, Refuse(fmt.Sprintf("read %s: %s", path, reason(err)), "give another file with --config")
	}
	if len(b) > configBytes {
		return nil, Refuse(path+" is larger than 1 MiB", "give another file with --config")
	}
	return parse(path, string(b))
}

// parse reads the text of a configuration; path is only for messages.
func parse(path, text string) (*Config, error) {
	c := &Config{path: path}
	md, err := toml.Decode(text, c)
	if err != nil {
		return nil, syntaxFault(path, err)
	}
	c.lines = lines(text)
	if err := c.checkKeys(md); err != nil {
		return nil, err
	}
	if err := c.check(md); err != nil {
		return nil, err
	}
	return c, nil
}

// Path is the file that was looked for, "" when there was none.
func (c *Config) Path() string { return c.path }
