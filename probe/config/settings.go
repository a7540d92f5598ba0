package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/probe/endpoint"
	"tokscope/probe/secret"
)

// Setting is one effective value and its origin.
type Setting struct {
	Name  string // the key in the file: "ui.mouse"
	Value string
	// Origin is "flag --mouse", "env TOKSCOPE_MOUSE", "file config.toml:12" or
	// "default".
	Origin string
}

// setting is one line of the table.
type setting struct {
	name string // key in the file
	flag string // "" = no flag
	def  string
	kind kind
	help string // description, also the next step of an error
	of   []string
}

type kind uint8

const (
	text kind = iota
	number
	boolean
	duration
	choice
	recording
)

// RecordRaw is the value of defaults.record that also records the bytes of
// bodies; the other values are those of a boolean.
const RecordRaw = "raw"

// recordSetting is defaults.record in the file, where true and false need no quotes.
type recordSetting string

// UnmarshalTOML takes any value: check has the words for a wrong one.
func (r *recordSetting) UnmarshalTOML(data []byte) error {
	var of struct{ Value any }
	if err := toml.Unmarshal(append([]byte("Value = "), data...), &of); err != nil {
		return err
	}
	*r = recordSetting(fmt.Sprint(of.Value))
	return nil
}

// settings is the table: every key of [defaults], [ui] and [timeouts]. The
// variable of a setting is TOKSCOPE_ plus its flag in capitals. Bounds of the
// timeouts: the reference page on the terminal, "Keys and network safety".
var settings = []setting{
	{"defaults.target", "", "", text, "a profile, a provider, a URL, MODEL@MACHINE, or demo", nil},
	{"defaults.theme", "theme", "", text, "the name of a theme; empty follows the terminal's background", nil},
	{"defaults.pace", "pace", metrics.Paces[0].Name, choice, "the human pace for comparison", paceNames()},
	{"defaults.stamps", "stamps", "auto", choice, "where arrival times are taken", []string{"auto", "user"}},
	{"defaults.workload", "workload", "", text, "the prompt's preset", nil},
	{"defaults.max_tokens", "max-tokens", "0", number, "output length; 0 takes that of the preset", nil},
	{connection, "connection", "auto", choice, "which connection a request goes over", []string{"auto", "cold", "warm"}},
	{"defaults.http2", "http2", "false", boolean, "measure over HTTP/2", nil},
	{"defaults.no_path_probe", "no-path-probe", "false", boolean, "no connects while a stream is silent", nil},
	{"defaults.requests", "requests", "5", number, "how many requests probe sends", nil},
	{"defaults.concurrency", "concurrency", "1", number, "how many requests run at the same time", nil},
	{"defaults.slo", "slo", "", text, "limits such as ttft=500ms,tpot=50ms", nil},
	{"defaults.discover", "", "true", boolean, "look for servers on this machine's loopback", nil},
	{"defaults.record", "record", "true", recording, "write the session file; raw adds the bytes of the responses", nil},
	{keepHistory, "history", "true", boolean, "keep the figures of every run in the history", nil},
	{"defaults.state_dir", "state-dir", "", text, "where session files and the history are written", nil},
	{"ui.mouse", "mouse", "true", boolean, "use the mouse", nil},
	{"ui.ascii", "ascii", "false", boolean, "draw with ASCII alone", nil},
	{"ui.reduced_motion", "reduced-motion", "false", boolean, "no fading, no moving cursor", nil},
	{"ui.plain", "plain", "false", boolean, "print lines, no screen", nil},
	{"ui.color", "color", "auto", choice, "whether to use color", []string{"auto", "always", "never"}},
	{"ui.fps", "fps", "0", number, "frames a second while something moves; 0 picks 30, or 15 over SSH", nil},
	{"ui.units", "", "tok/s", choice, "the unit of speeds on Live", []string{"tok/s", "wpm", "ms/token"}},
	{"timeouts.connect", "timeout-connect", "10s", duration, "how long connecting may take", nil},
	{"timeouts.tls", "timeout-tls", "10s", duration, "how long the TLS handshake may take", nil},
	{"timeouts.first_byte", "timeout-first-byte", "2m0s", duration,
		"how long the server may be silent before its first token", nil},
	{"timeouts.first_token", "timeout-first-token", "15m0s", duration,
		"how long a request may wait for its first token; only progress of the prefill that the server reports prolongs it",
		nil},
	{"timeouts.idle", "timeout-idle", "30s", duration,
		"how long a stream may be silent after its first token; comments do not count", nil},
}

// connection is the setting whose values are flags; keepHistory that whose flag says
// the opposite.
const (
	connection  = "defaults.connection"
	keepHistory = "defaults.history"
)

func paceNames() []string {
	return pick.Each(metrics.Paces, func(p *metrics.Pace) string { return p.Name })
}

// Var returns the environment variable of the setting.
func (s setting) env() string {
	n := s.flag
	if n == "" {
		_, n, _ = strings.Cut(s.name, ".")
	}
	return "TOKSCOPE_" + strings.ToUpper(strings.ReplaceAll(n, "-", "_"))
}

func (s setting) check(v string) error {
	switch s.kind {
	case number:
		if n, err := strconv.Atoi(v); err != nil || n < 0 {
			return errors.New("must be a whole number, 0 or more")
		}
	case boolean:
		if _, err := strconv.ParseBool(v); err != nil {
			return errors.New("must be true or false")
		}
	case recording:
		if _, err := strconv.ParseBool(v); err != nil && v != RecordRaw {
			return errors.New("must be true, false or raw")
		}
	case duration:
		if d, err := time.ParseDuration(v); err != nil || d <= 0 {
			return errors.New("must be a time above 0 such as 10s or 2m")
		}
	case choice:
		if slices.Contains(s.of, v) {
			return nil
		}
		err := "must be one of " + strings.Join(s.of, ", ")
		if near := endpoint.Closest(v, s.of); near != "" {
			err += " (did you mean " + near + "?)"
		}
		return errors.New(err)
	}
	return nil
}

// Settings holds all effective values. Flags override the environment, which
// overrides the file, which overrides the defaults.
type Settings struct{ list []Setting }

// Settings merges flags, environment and file. flags holds the given ones, by
// name without dashes. A wrong value is a *metrics.Fault that names its
// place, or a *FlagError for the command line.
func (c *Config) Settings(flags map[string]string, env func(string) string) (Settings, error) {
	var out Settings
	for _, s := range settings {
		got := Setting{s.name, s.def, "default"}
		if v, ok := c.value(s.name); ok {
			got.Value, got.Origin = v, c.origin(s.name)
		}
		if v := strings.TrimSpace(env(s.env())); v != "" {
			got.Value, got.Origin = v, "env "+s.env()
		}
		if v, ok := flags[s.flag]; ok && s.flag != "" {
			got.Value, got.Origin = v, "flag --"+s.flag
			switch s.name {
			case connection:
				got.Origin = "flag --" + v // --cold, --warm
			case keepHistory:
				got.Origin = "flag --no-history"
			}
		}
		if got.Origin != "default" {
			if err := s.check(got.Value); err != nil {
				wrong := endpoint.Refuse(fmt.Sprintf("%s: %s", got.Origin, err), s.help)
				if strings.HasPrefix(got.Origin, "flag ") {
					return Settings{}, &FlagError{wrong}
				}
				return Settings{}, wrong
			}
		}
		out.list = append(out.list, got)
	}
	return out, nil
}

// All returns the settings in the order of the table, for display. Possible
// keys in values, such as a URL's query, are redacted.
func (s Settings) All() []Setting {
	out := append([]Setting(nil), s.list...)
	for i := range out {
		out[i].Value = secret.NewScrubber().String(endpoint.ShownURL(out[i].Value))
	}
	return out
}

// Get returns the setting of that name ("ui.mouse"), or the zero Setting.
func (s Settings) Get(name string) Setting {
	v, _ := pick.Value(s.list, func(v *Setting) bool { return v.Name == name })
	return v
}

// String returns the value as text.
func (s Settings) String(name string) string { return s.Get(name).Value }

// Bool returns the value of an on/off setting.
func (s Settings) Bool(name string) bool {
	b, err := strconv.ParseBool(s.Get(name).Value)
	return err == nil && b
}

// Int returns the value of a number.
func (s Settings) Int(name string) int {
	n, _ := strconv.Atoi(s.Get(name).Value) // checked before
	return n
}

// Duration returns the value of a duration.
func (s Settings) Duration(name string) time.Duration {
	d, _ := time.ParseDuration(s.Get(name).Value) // checked before
	return d
}

// IsDefault reports whether no flag, variable or file sets the setting.
func (s Settings) IsDefault(name string) bool { return s.Get(name).Origin == "default" }

// value returns the file's value of a dotted name.
func (c *Config) value(name string) (string, bool) {
	if c == nil || c.lines[name] == 0 {
		return "", false
	}
	v, _ := valueAt(reflect.ValueOf(*c), strings.Split(name, "."))
	return fmt.Sprint(v.Interface()), true
}

// origin returns the place of a key in the file.
func (c *Config) origin(name string) string {
	return fmt.Sprintf("file %s:%d", filepath.Base(c.path), c.lineOf(strings.Split(name, ".")...))
}

// FlagError is a flag with a wrong value. That is wrong usage, not a wrong
// configuration. It hides its fault from errors.As, because a fault of kind
// config has another exit code.
type FlagError struct{ fault *metrics.Fault }

func (e *FlagError) Error() string { return e.fault.Error() }
