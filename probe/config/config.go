package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/pelletier/go-toml/v2"

	"tokscope/probe/endpoint"
	"tokscope/probe/files"
)

// Config is the configuration file. The zero Config is that of a missing
// file. docs/config.md describes every key; a test compares it with these
// fields. A Config never holds an API key, only where one is found.
type Config struct {
	Defaults Defaults                    `toml:"defaults"`
	UI       UI                          `toml:"ui"`
	Timeouts Timeouts                    `toml:"timeouts"`
	Profiles map[string]endpoint.Profile `toml:"profile"`
	// Machines and Models are those of the embedded endpoint that a person
	// defines.
	Machines map[string]Machine `toml:"machine"`
	Models   map[string]Model   `toml:"model"`

	path  string
	lines map[string]int // line of each key, for Origin and errors
}

// Defaults is the table [defaults]: the values without a flag. Zero values
// mean "not set".
type Defaults struct {
	Target      string        `toml:"target"`
	Theme       string        `toml:"theme"`
	Pace        string        `toml:"pace"`
	Stamps      string        `toml:"stamps"`
	Workload    string        `toml:"workload"`
	MaxTokens   int           `toml:"max_tokens"`
	Connection  string        `toml:"connection"`
	HTTP2       bool          `toml:"http2"`
	NoPathProbe bool          `toml:"no_path_probe"`
	Requests    int           `toml:"requests"`
	Concurrency int           `toml:"concurrency"`
	SLO         string        `toml:"slo"`
	Discover    bool          `toml:"discover"`
	Record      recordSetting `toml:"record"`
	History     bool          `toml:"history"`
	StateDir    string        `toml:"state_dir"`
}

// UI is the table [ui]: appearance and behavior of the screen.
type UI struct {
	Mouse         bool   `toml:"mouse"`
	ASCII         bool   `toml:"ascii"`
	ReducedMotion bool   `toml:"reduced_motion"`
	Plain         bool   `toml:"plain"`
	Color         string `toml:"color"`
	FPS           int    `toml:"fps"`
	Units         string `toml:"units"`
}

// Timeouts is the table [timeouts]: the bound of each wait, as Go durations
// ("10s", "2m").
type Timeouts struct {
	Connect    string `toml:"connect"`
	TLS        string `toml:"tls"`
	FirstByte  string `toml:"first_byte"`
	FirstToken string `toml:"first_token"`
	Idle       string `toml:"idle"`
}

const configBytes = 1 << 20 // a configuration is a few kB; a larger file is the wrong one

// DefaultPath returns the path of the configuration: TOKSCOPE_CONFIG, else
// tokscope/config.toml under XDG_CONFIG_HOME, else under the system's
// directory for configurations. "" without a home.
func DefaultPath(env func(string) string) string {
	if p := env("TOKSCOPE_CONFIG"); p != "" {
		return p
	}
	dir := env("XDG_CONFIG_HOME")
	switch home := env("HOME"); {
	case filepath.IsAbs(dir):
	case runtime.GOOS == "windows":
		dir = env("AppData")
	case home == "":
		return ""
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

// Load reads and checks the configuration at path. A missing file, or an
// empty path, gives the empty configuration. All other errors are a
// *metrics.Fault of kind config whose message names the file and the line.
func Load(path string) (*Config, error) {
	if path == "" {
		return &Config{}, nil
	}
	b, err := files.ReadText(path, configBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR): // HOME is /dev/null for many daemons
		return &Config{path: path}, nil
	case err != nil:
		return nil, endpoint.Refuse(fmt.Sprintf("read %s: %s", path, endpoint.Reason(err)), "give another file with --config")
	case len(b) > configBytes:
		return nil, endpoint.Refuse(path+" is larger than 1 MiB", "give another file with --config")
	}
	return parse(path, string(b))
}

// parse reads the text of a configuration; path is only for messages.
func parse(path, text string) (*Config, error) {
	keys, err := walkKeys(path, text)
	if err != nil {
		return nil, err
	}
	c := &Config{path: path, lines: keys}
	dec := toml.NewDecoder(strings.NewReader(text))
	dec.EnableUnmarshalerInterface() // for Command
	if err := dec.Decode(c); err != nil {
		return nil, decodeFault(path, err)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

// Path returns the path of the file, "" without one.
func (c *Config) Path() string { return c.path }
