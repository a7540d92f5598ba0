package endpoint

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
)

// typeError takes the parser's message about a value of the wrong type apart.
var typeError = regexp.MustCompile(`^toml: line (\d+) \(last key "([^"]*)"\): (.*)$`)

// syntaxFault turns an error of the TOML parser into one sentence with the
// line.
func syntaxFault(path string, err error) error {
	var de toml.ParseError
	if errors.As(err, &de) {
		where := fmt.Sprintf("%s:%d", path, de.Position.Line)
		what := de.Message
		if what == "" {
			what = strings.TrimPrefix(de.Error(), "toml: ")
		}
		if de.LastKey != "" && !strings.Contains(what, de.LastKey) {
			what = de.LastKey + ": " + what
		}
		return Refuse(where+": "+what, "mend the line; the sample is printed by tokscope config sample")
	}
	if m := typeError.FindStringSubmatch(err.Error()); m != nil {
		return Refuse(fmt.Sprintf("%s:%s: %s: %s", path, m[1], m[2], m[3]), "mend the line; the sample is printed by tokscope config sample")
	}
	return Refuse(path+": "+strings.TrimPrefix(err.Error(), "toml: "), "mend the file; the sample is printed by tokscope config sample")
}

// checkKeys refuses keys that nothing reads, with the key that was probably
// meant.
func (c *Config) checkKeys(md toml.MetaData) error {
	for _, key := range md.Undecoded() {
		if len(key) > 2 && key[0] == "profile" && (key[2] == "extra" || key[2] == "headers" || key[2] == "query") {
			continue
		}
		line := lineOf(c.lines, key)
		where := fmt.Sprintf("%s:%d", c.path, line)
		last := strings.ToLower(key[len(key)-1])
		if last == "api_key" || last == "key" || last == "apikey" || last == "token" {
			return Refuse(where+": a key never stands in the configuration file ("+key.String()+")",
				"name where it is: api_key_env, api_key_cmd or api_key_file")
		}
		known := knownKeys(key)
		hint := "the known keys are " + strings.Join(known, ", ")
		if near := Closest(last, known); near != "" {
			hint = "did you mean " + near + "?"
		} else if table := tableOf(last); table != "" && (len(key) < 2 || key[0] != table) {
			hint = "it belongs under [" + table + "]"
		}
		return Refuse(fmt.Sprintf("%s: unknown key %s", where, key), hint)
	}
	return nil
}

// knownKeys lists the keys that may stand where key stands.
func knownKeys(key []string) []string {
	t := reflect.TypeFor[Config]()
	if len(key) > 1 {
		switch strings.ToLower(key[0]) {
		case "defaults":
			t = reflect.TypeFor[Defaults]()
		case "ui":
			t = reflect.TypeFor[UI]()
		case "timeouts":
			t = reflect.TypeFor[Timeouts]()
		case "profile":
			if t = reflect.TypeFor[Profile](); len(key) > 4 && key[2] == "prices" {
				t = reflect.TypeFor[ModelPrice]()
			}
		}
	}
	return tags(t)
}

// tableOf is the table that has a key of that name, "" when none does.
func tableOf(name string) string {
	for table, t := range map[string]reflect.Type{"defaults": reflect.TypeFor[Defaults](), "ui": reflect.TypeFor[UI](), "timeouts": reflect.TypeFor[Timeouts]()} {
		for _, tag := range tags(t) {
			if tag == name {
				return table
			}
		}
	}
	return ""
}

// tags lists the TOML keys of a struct.
func tags(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		if tag := t.Field(i).Tag.Get("toml"); tag != "" {
			out = append(out, tag)
		}
	}
	return out
}

// check refuses values that cannot be meant.
func (c *Config) check(md toml.MetaData) error {
	for _, s := range settings {
		if v, ok := c.value(s.name); ok {
			if err := s.check(v); err != nil {
				return Refuse(fmt.Sprintf("%s:%d: %s: %s", c.path, lineOf(c.lines, strings.Split(s.name, ".")), s.name, err), s.help)
			}
		}
	}
	names := sortedKeys(c.Profiles)
	sort.Strings(names)
	for _, n := range names {
		if err := c.checkProfile(n, c.Profiles[n]); err != nil {
			return err
		}
	}
	return nil
}

// checkProfile refuses a profile that could never be used.
func (c *Config) checkProfile(name string, p Profile) error {
	at := func(key, what, next string) error {
		return Refuse(fmt.Sprintf("%s:%d: profile %s: %s", c.path, lineOf(c.lines, []string{"profile", name, key}), name, what), next)
	}
	if name == "" || strings.ContainsAny(name, "/:@?# \t\r\n") {
		return at("", "a profile's name cannot be empty or hold spaces or any of / : @ ? #", "rename it")
	}
	if name == embeddedName {
		return at("", "this name means the embedded endpoint", "rename the profile")
	}
	if p.URL == "" {
		if _, ok := ProviderByName(name); !ok {
			return at("url", "url is missing", "add url = \"https://HOST/v1\" or the name of a provider")
		}
	} else if _, ok := ProviderByName(p.URL); !ok {
		if _, err := ParseURL(p.URL); err != nil {
			return at("url", "url cannot be used: "+message(err), next(err))
		}
	}
	n := 0
	for _, set := range []bool{p.APIKeyEnv != "", !p.APIKeyCmd.Empty(), p.APIKeyFile != ""} {
		if set {
			n++
		}
	}
	if n > 1 {
		return at("api_key_env", "more than one of api_key_env, api_key_cmd and api_key_file is set", "keep one of them")
	}
	if p.APIKeyEnv != "" && !envName.MatchString(p.APIKeyEnv) {
		return at("api_key_env", "api_key_env is not the name of a variable", "write the name of the variable, never the key itself")
	}
	switch p.Auth {
	case "", AuthBearer, AuthAPIKey, AuthNone:
	default:
		return at("auth", "auth must be bearer, api-key or none", "did you mean "+Closest(p.Auth, []string{AuthBearer, AuthAPIKey, AuthNone})+"?")
	}
	switch p.MaxField {
	case "", maxTokens, maxCompletionTokens:
	default:
		return at("max_field", "max_field must be max_tokens or max_completion_tokens", "leave it away to let tokscope find out")
	}
	if p.MaxTokens < 0 {
		return at("max_tokens", "max_tokens is negative", "give a number above 0, or leave it away")
	}
	if key, what := p.checkPrices(); key != "" {
		return at(key, what, "prices are for a million tokens: price_in = 0.59")
	}
	for _, k := range sortedKeys(p.Headers) {
		if !headerName.MatchString(k) {
			return at("headers", "a header's name is malformed", "header names hold letters, digits and -")
		}
		if strings.ContainsAny(p.Headers[k], "\r\n\x00") {
			return at("headers", "the value of header "+k+" holds a line end", "write it in one line")
		}
	}
	return nil
}
