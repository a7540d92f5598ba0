package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
)

func env(kv ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = kv[i+1]
	}
	return func(k string) string { return m[k] }
}

// must parses a valid configuration.
func must(t *testing.T, text string) *Config {
	t.Helper()
	c := testkit.Must(parse("config.toml", text))(t)
	return c
}

func TestConfigErrors(t *testing.T) {
	for _, c := range []struct{ name, text, say, next string }{
		{"typo in a table", "[defaults]\n\nthemee = \"x\"", "config.toml:3: unknown key defaults.themee",
			"did you mean theme?"},
		{"typo of a table", "[default]\ntarget = \"x\"", "config.toml:1: unknown key default", "did you mean defaults?"},
		{"typo in a profile", "[profile.a]\nurl = \"h:1\"\napi_key_envv = \"X\"",
			"config.toml:3: unknown key profile.a.api_key_envv", "did you mean api_key_env?"},
		{"quoted profile", "[profile.\"a b\"]\nurl = \"h:1\"", "config.toml:1", "rename"},
		{"swapped letters", "[ui]\nmosue = true", "config.toml:2: unknown key ui.mosue", "did you mean mouse?"},
		{"wrong table", "[ui]\ntarget = \"groq\"", "unknown key ui.target", "[defaults]"},
		{"no table", "target = \"groq\"", "config.toml:1: unknown key target", "[defaults]"},
		{"nothing near", "[ui]\nxyzzyplugh = 1", "unknown key ui.xyzzyplugh", "mouse"},
		{"inline table", "# c\n[profile]\na = { url = \"h:1\", modl = \"m\" }", "config.toml:3: unknown key profile.a.modl",
			"did you mean model?"},
		{"after a long string", "[profile.a]\nurl = \"h:1\"\nmodel = \"\"\"x\n[ui]\ny\"\"\"\nmodl = 1", "config.toml:6:",
			"model"},
		{"after a list", "[profile.a]\nurl = \"h:1\"\napi_key_cmd = [\n  \"a\", # ]\n  \"b]\",\n]\nmodl = 1",
			"config.toml:7:", "model"},
		{"a key in the file", "[profile.a]\nurl = \"h:1\"\napi_key = \"sk-hunter2hunter2\"", "a key does not belong",
			"api_key_cmd"},
		{"syntax", "[ui]\nmouse = ", "config.toml:2: expected value", "sample"},
		{"control character", "[ui]\ncolor = \"\x01\"", "config.toml:2: strings cannot have control characters", "sample"},
		{"duplicate", "[ui]\nmouse = true\nmouse = false", "config.toml:3: key mouse is already defined", ""},
		{"duplicate table", "[ui]\nmouse = true\n[ui]\nfps = 3", "config.toml:3: table ui already exists", ""},
		{"wrong type", "[ui]\nmouse = \"yes\"", "config.toml:2: ui.mouse must be true or false", ""},
		{"wrong number", "[defaults]\nmax_tokens = 1.5", "config.toml:2: defaults.max_tokens must be a whole number", ""},
		{"large number", "[defaults]\nmax_tokens = 99999999999999999999", "config.toml:2: defaults.max_tokens: ", ""},
		{"wrong header", "[profile.a]\nurl = \"h:1\"\nheaders = { a = 1 }",
			"config.toml:3: profile.a.headers must be a table of strings", ""},
		{"list of profiles", "[[profile.a]]\nurl = \"h:1\"", "config.toml:1: profile.a must be a table", ""},
		{"no table of profiles", "profile = 3", "config.toml:1: profile must be a table", ""},
		{"value as table", "[ui.mouse]\nx = 1", "config.toml:1: ui.mouse must be true or false", ""},
		{"escape in a name", "\"\\u001b[31m\" = 1", `config.toml:1: unknown key "\x1b[31m"`, "known keys"},
		{"deep key", "[profile.a.extra" + strings.Repeat(".a", 40) + "]", "config.toml:1: a key of more than 32 parts", ""},
		{"wrong word", "[defaults]\nstamps = \"kernal\"", "config.toml:2: defaults.stamps: must be one of auto, user", ""},
		{"near word", "[ui]\ncolor = \"alway\"", "did you mean always?", ""},
		{"negative", "[defaults]\nmax_tokens = -1", "config.toml:2: defaults.max_tokens: must be a whole number", ""},
		{"no duration", "[timeouts]\nidle = \"30\"", "config.toml:2: timeouts.idle: must be a time", ""},
		{"zero duration", "[timeouts]\nidle = \"0s\"", "must be a time above 0", ""},
		{"no url", "[profile.a]\nmodel = \"m\"", "profile a: url is missing", "provider"},
		{"bad url", "[profile.a]\nurl = \"ftp://h\"", "config.toml:2: profile a: url cannot be used: the scheme", "http"},
		{"userinfo", "[profile.a]\nurl = \"https://me:hunter2hunter2@h\"", "user name or key", "api_key_env"},
		{"two keys", "[profile.a]\nurl = \"h:1\"\napi_key_env = \"A\"\napi_key_file = \"f\"", "more than one", "keep one"},
		{"key as variable", "[profile.a]\nurl = \"h:1\"\napi_key_env = \"sk-hunter2hunter2\"", "not the name of a variable",
			"never the key"},
		{"auth", "[profile.a]\nurl = \"h:1\"\nauth = \"barer\"", "auth must be", "bearer"},
		{"max_field", "[profile.a]\nurl = \"h:1\"\nmax_field = \"n_predict\"", "max_field must be", ""},
		{"max_tokens", "[profile.a]\nurl = \"h:1\"\nmax_tokens = -5", "negative", ""},
		{"empty command", "[profile.a]\nurl = \"h:1\"\napi_key_cmd = \"\"",
			"config.toml:3: profile a: api_key_cmd names no program", ""},
		{"empty list", "[profile.a]\nurl = \"h:1\"\napi_key_cmd = []",
			"config.toml:3: profile a: api_key_cmd names no program", ""},
		{"command of numbers", "[profile.a]\nurl = \"h:1\"\napi_key_cmd = [1]",
			"config.toml:3: profile a: api_key_cmd names no program", "list of strings"},
		{"header name", "[profile.a]\nurl = \"h:1\"\nheaders = { \"a b\" = \"c\" }", "header's name", ""},
		{"header value", "[profile.a]\nurl = \"h:1\"\nheaders = { \"a\" = \"c\\r\\nd: e\" }", "line end", ""},
		{"reserved name", "[profile.demo]\nurl = \"h:1\"", "embedded endpoint", "rename"},
		{"name like a URL", "[profile.\"a:1\"]\nurl = \"h:1\"", "name", "rename"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse("/home/me/config.toml", c.text)
			testkit.Given(t, err != nil, "accepted")
			f, ok := err.(*metrics.Fault)
			testkit.Given(t, ok && f.Kind == metrics.FaultConfig, "not a config fault: %T", err)
			testkit.That(t, strings.Contains(f.Message, c.say) && strings.Contains(f.Next, c.next) && f.Next != "",
				"%q, next %q; want %q and %q", f.Message, f.Next, c.say, c.next)
			testkit.That(t, !strings.Contains(err.Error(), "hunter2"), "a key shows: %v", err)
		})
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "none.toml")
	c, err := Load(missing)
	testkit.That(t, err == nil && c.Path() == missing && len(c.Profiles) == 0,
		"a missing file must be the empty configuration: %v %v", c, err)
	for _, none := range []string{os.DevNull + "/.config/tokscope/config.toml", os.Args[0] + "/config.toml",
		dir + "/none/deep/config.toml"} {
		if c, err := Load(none); err != nil || len(c.Profiles) != 0 {
			t.Errorf("%s: %v %v", none, c, err)
		}
	}
	if c, err := Load(""); err != nil || c == nil {
		t.Errorf("no path: %v %v", c, err)
	}
	if _, err := Load(dir); err == nil {
		t.Error("a folder was read as a file")
	}
	big := filepath.Join(dir, "big.toml")
	testkit.OK(t, os.WriteFile(big, make([]byte, configBytes+1), 0o600))
	if _, err := Load(big); err == nil || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("a file of more than 1 MiB: %v", err)
	}
	good := filepath.Join(dir, "config.toml")
	const text = "[profile.x]\nurl='h:1'\nextra={a={b=[1,2.5,'c']}, n=1}\nheaders={X='y'}\n"
	want := map[string]any{"a": map[string]any{"b": []any{int64(1), 2.5, "c"}}, "n": int64(1)}
	for _, data := range append(slices.Collect(maps.Values(testkit.Windows(text))), text) {
		testkit.OK(t, os.WriteFile(good, []byte(data), 0o600))
		c = testkit.Must(Load(good))(t)
		testkit.Same(t, c.Profiles["x"].Extra, want)
	}
}

func TestDefaultPath(t *testing.T) {
	testkit.Is(t, DefaultPath(env("TOKSCOPE_CONFIG", "x.toml", "XDG_CONFIG_HOME", "/x")), "x.toml")
	xdg := t.TempDir()
	testkit.Is(t, DefaultPath(env("XDG_CONFIG_HOME", xdg, "HOME", "/h")), filepath.Join(xdg, "tokscope", "config.toml"))
	testkit.Is(t, DefaultPath(env("XDG_CONFIG_HOME", "relative")), "", "a relative XDG_CONFIG_HOME is to be ignored")
	if got := DefaultPath(env("HOME", "/h", "AppData", `C:\a`)); !strings.HasSuffix(got,
		filepath.Join("tokscope", "config.toml")) {
		t.Error(got)
	}
}

func TestSettingsOrigin(t *testing.T) {
	c := must(t, "[defaults]\npace = \"speech\"\nrequests = 9\n\n[ui]\n  mouse = false\nfps = 20\n")
	s := testkit.Must(c.Settings(map[string]string{"theme": "ember", "fps": "60", "connection": "cold",
		"model": "not a setting"}, env("TOKSCOPE_REQUESTS", "7", "TOKSCOPE_FPS", "50", "TOKSCOPE_COLOR", " ")))(t)
	for _, want := range []Setting{
		{"defaults.theme", "ember", "flag --theme"},
		{"ui.fps", "60", "flag --fps"},
		{"defaults.connection", "cold", "flag --cold"},
		{"defaults.requests", "7", "env TOKSCOPE_REQUESTS"},
		{"defaults.pace", "speech", "file config.toml:2"},
		{"ui.mouse", "false", "file config.toml:6"},
		{"ui.color", "auto", "default"},
		{"timeouts.first_byte", "2m0s", "default"},
	} {
		testkit.Is(t, s.Get(want.Name), want)
	}
	if s.Bool("ui.mouse") || !s.Bool("defaults.record") || s.Int("ui.fps") != 60 ||
		s.Duration("timeouts.idle") != 30*time.Second ||
		s.String("defaults.pace") != "speech" || !s.IsDefault("ui.color") || s.IsDefault("ui.fps") {
		t.Error("a typed getter is wrong")
	}
	testkit.That(t, s.Get("nope") == (Setting{}) && s.Int("ui.color") == 0 && s.Duration("ui.color") == 0,
		"an unknown or mistyped name must give the zero value")
	for name, c := range map[string]struct {
		flags map[string]string
		env   func(string) string
		say   string
	}{
		"flag": {map[string]string{"stamps": "kernel"}, env(), "flag --stamps: must be one of"},
		"env":  {nil, env("TOKSCOPE_TIMEOUT_IDLE", "soon"), "env TOKSCOPE_TIMEOUT_IDLE: must be a time"},
		"bool": {nil, env("TOKSCOPE_MOUSE", "maybe"), "env TOKSCOPE_MOUSE: must be true or false"},
	} {
		_, err := (&Config{}).Settings(c.flags, c.env)
		testkit.That(t, err != nil && strings.Contains(err.Error(), c.say), "%s: %v", name, err)
		var config *metrics.Fault
		if isConfig := errors.As(err, &config); isConfig != (name != "flag") {
			t.Errorf("%s: a fault of the configuration: %v; a wrong flag is wrong usage", name, isConfig)
		}
	}
}

// TestSettingsCoverTheFile checks that the table of settings and the fields
// of the three tables are the same set. Every default passes its own check.
func TestSettingsCoverTheFile(t *testing.T) {
	want := map[string]bool{}
	for table, typ := range map[string]reflect.Type{"defaults": reflect.TypeFor[Defaults](), "ui": reflect.TypeFor[UI](),
		"timeouts": reflect.TypeFor[Timeouts]()} {
		for _, tag := range tags(typ) {
			want[table+"."+tag] = true
		}
	}
	flags, vars := map[string]bool{}, map[string]bool{}
	for _, s := range settings {
		testkit.That(t, want[s.name], "%s is no field, or twice in the table", s.name)
		delete(want, s.name)
		testkit.Is(t, s.check(s.def), nil, s.name, "default", s.def)
		testkit.That(t, (s.flag == "" || !flags[s.flag]) && !vars[s.env()], "%s: flag or variable is used twice", s.name)
		flags[s.flag], vars[s.env()] = true, true
	}
	testkit.That(t, len(want) == 0, "fields without a setting: %v", want)
}

// TestSample checks that the sample parses, sets only defaults, and names
// every key. It also parses without its comment signs.
func TestSample(t *testing.T) {
	c := must(t, Sample())
	for _, s := range settings {
		v, ok := c.value(s.name)
		testkit.That(t, !ok || normal(s, v) == normal(s, s.def), "%s = %q is not the default %q", s.name, v, s.def)
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[Defaults](), reflect.TypeFor[UI](), reflect.TypeFor[Timeouts](),
		reflect.TypeFor[endpoint.Profile](), reflect.TypeFor[Machine](), reflect.TypeFor[Model]()} {
		for _, tag := range tags(typ) {
			if !regexp.MustCompile(`(?m)^(# )?` + tag + ` = `).MatchString(Sample()) {
				t.Errorf("the sample does not show %s.%s", typ.Name(), tag)
			}
		}
	}
	opened := regexp.MustCompile(`(?m)^# (\[(?:profile|machine|model)|[a-z_0-9]+ = )`).ReplaceAllString(Sample(), "$1")
	opened = regexp.MustCompile(`(?m)^api_key_(cmd|file) = .*$`).ReplaceAllString(opened, "")
	full := must(t, opened)
	if p := full.Profiles["work"]; p.URL == "" || p.Headers["X-Team"] != "inference" || p.Extra["top_k"] != int64(40) {
		t.Errorf("the opened sample lacks its profile: %+v", full.Profiles)
	}
	testkit.That(t, full.Machines["mybox"].Memory == 48 && full.Models["mine"].Layers == 32,
		"the opened sample lacks its machine or model: %+v %+v", full.Machines, full.Models)
}

func normal(s setting, v string) string {
	if d, err := time.ParseDuration(v); err == nil && s.kind == duration {
		return d.String()
	}
	return v
}

func TestShowRedacts(t *testing.T) {
	c := must(t, `[profile.work]
url = "https://h/v1?sig=hunter2&api-version=1"
api_key_cmd = ["curl", "-H", "hunter2"]
headers = { "X-Key" = "hunter2", "X-Ref" = "${REF}", "X-Auth" = "${AUTH}", "X-Mixed-Token" = "hunter2${A}", "X-Team" = "blue" }
query = { "token" = "hunter2", "v" = "1" }
extra = { top_k = 40, session = "hunter2" }
http2 = true
max_tokens = 3
`)
	var b strings.Builder
	for _, s := range c.Show() {
		fmt.Fprintf(&b, "%s = %s  # %s\n", s.Name, s.Value, s.Origin)
	}
	const want = `profile.work.url = https://h/v1?sig=[redacted]&api-version=1  # file config.toml:2
profile.work.api_key_cmd = curl (and 2 arguments)  # file config.toml:3
profile.work.headers.X-Auth = ${AUTH}  # file config.toml:4
profile.work.headers.X-Key = [redacted]  # file config.toml:4
profile.work.headers.X-Mixed-Token = [redacted]  # file config.toml:4
profile.work.headers.X-Ref = ${REF}  # file config.toml:4
profile.work.headers.X-Team = blue  # file config.toml:4
profile.work.query.token = [redacted]  # file config.toml:5
profile.work.query.v = 1  # file config.toml:5
profile.work.extra.session = [redacted]  # file config.toml:6
profile.work.extra.top_k = 40  # file config.toml:6
profile.work.max_tokens = 3  # file config.toml:8
profile.work.http2 = true  # file config.toml:7
`
	testkit.Same(t, b.String(), want)
	testkit.Lacks(t, fmt.Sprintf("%v %+v %#v %s", c.Profiles, c.Profiles["work"], c.Profiles["work"], c.Profiles["work"]),
		"hunter2")
}

// Of a command that prints a key only the first word is shown: the others may
// be the key.
func TestShowHidesTheWordsOfACommand(t *testing.T) {
	for cmd, want := range map[string]string{
		`"printf %s h5Kq9-zWm2"`:    "printf (and 2 arguments)",
		`"pass show"`:               "pass (and 1 argument)",
		`"pass"`:                    "pass",
		`"K=h5Kq9 sh -c x"`:         "[redacted] (and 3 arguments)",
		`["h5Kq9zWm2Tx7Lp4", "a"]`:  "[redacted] (and 1 argument)",
		`["/usr/bin/op2-client-7"]`: "/usr/bin/op2-client-7",
	} {
		for _, s := range must(t, "[profile.a]\nurl = \"h:1\"\napi_key_cmd = "+cmd).Show() {
			testkit.That(t, s.Name != "profile.a.api_key_cmd" || s.Value == want,
				"%s is shown as %q, want %q", cmd, s.Value, want)
		}
	}
}

// FuzzConfig checks that nothing panics or hangs, and that every error names
// a line or a file.
func FuzzConfig(f *testing.F) {
	f.Add(Sample())
	f.Add("[profile.a]\nurl = \"h:1\"\nmodel = '''x\n'''\n[ui]\nmouse=true")
	f.Add("a.b.\"c.d\" = [ { x = 1 }, \"#\" ]\n[[t]]\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parse("config.toml", text)
		if err != nil {
			testkit.That(t, strings.Contains(err.Error(), "config.toml"), "error without its file: %v", err)
			return
		}
		c.Show()
		if _, err := c.Settings(nil, env()); err != nil {
			t.Errorf("a checked file gave wrong settings: %v", err)
		}
	})
}

// TestSettingsAreShownWithoutKeys uses a target with a key in its query.
func TestSettingsAreShownWithoutKeys(t *testing.T) {
	const url = "https://h/v1?sig=hunter2&api-version=1"
	s, err := must(t, "[defaults]\ntarget = \""+url+"\"").Settings(nil, env())
	testkit.Given(t, err == nil && s.String("defaults.target") == url, "%v %v", s, err)
	if out := fmt.Sprint(s.All()); strings.Contains(out, "hunter2") || !strings.Contains(out, "api-version=1") {
		t.Error(out)
	}
}

func TestUnknownPrices(t *testing.T) {
	for _, x := range []struct{ line, says string }{
		{"price_in = -1", "price_in is not a price"},
		{"price_out = nan", "price_out is not a price"},
		{"price_out = 1e7", "price_out is not a price"},
		{"price_cache_read = -1", "price_cache_read is not a price"},
		{"price_cache_write = inf", "price_cache_write is not a price"},
		{`prices = { m = { in = -1 } }`, "the price of m"},
		{`prices = { m = { in = 1, cache_write = -1 } }`, "the price of m"},
		{`prices = { m = { input = 1 } }`, "unknown key"},
		{`prices = { m = { - = "EUR" } }`, "unknown key"},
		{`currency = "a lot of money"`, "currency"},
	} {
		_, err := parse("config.toml", "[profile.a]\nurl = \"https://h/v1\"\n"+x.line+"\n")
		testkit.That(t, err != nil && strings.Contains(err.Error(), x.says) && strings.Contains(err.Error(), "config.toml:3"),
			"%s: %v, want %q in line 3", x.line, err, x.says)
	}
}
