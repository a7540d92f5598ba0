package tap

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"tokscope/metrics/pick"
	"tokscope/metrics/turn"
	"tokscope/probe/endpoint"
)

// Surroundings are where a client is started.
type Surroundings struct {
	Env  []string // NAME=VALUE, each name once
	Dir  string   // the folder of relative files
	Home string
}

// get returns a variable, "" for none.
func (s *Surroundings) get(name string) string {
	for _, v := range s.Env {
		if n, value, _ := strings.Cut(v, "="); n == name {
			return value
		}
	}
	return ""
}

// has reports whether a variable is set, and does not say no.
func (s *Surroundings) has(name string) bool {
	return !slices.Contains([]string{"", "0", "false"}, strings.ToLower(s.get(name)))
}

// set gives a variable a value.
func (s *Surroundings) set(name, value string) {
	s.Env = slices.DeleteFunc(slices.Clone(s.Env), func(v string) bool { return strings.HasPrefix(v, name+"=") })
	s.Env = append(s.Env, name+"="+value)
}

// Plan is what a tap does for one command, or for clients that a person starts.
type Plan struct {
	// Recipe is nil for clients that a person starts.
	Recipe *Recipe
	way    *Way
	choice string
	base   *url.URL // what the client would ask, without a / at its end
	words  []string
	in     Surroundings
}

// Known returns the recipe of a command, nil for none.
func Known(command string) *Recipe {
	name := strings.TrimSuffix(filepath.Base(command), ".exe")
	return pick.First(Recipes, func(r *Recipe) bool { return r.Command == name })
}

// version is the version of an API at the end of a base URL.
var version = regexp.MustCompile(`/v[0-9]+[a-z0-9]*$`)

// withoutVersion returns a base URL as a person may give it for several clients.
func withoutVersion(base string) string {
	return version.ReplaceAllString(strings.TrimRight(base, "/"), "")
}

// NewPlan returns what to do for the command of words. to is the upstream that the person
// gives, "" for that of the client. Without words the plan is for any client. The error is a
// *metrics.Fault where a file or a setting is at fault, else about the command; each with the
// next step.
func NewPlan(ctx context.Context, words []string, to string, in Surroundings) (*Plan, error) {
	p := &Plan{words: words, in: in}
	if len(words) == 0 {
		return p, p.at(withoutVersion(to), "--to")
	}
	p.Recipe = Known(words[0])
	switch r := p.Recipe; {
	case r == nil:
		return nil, fmt.Errorf("there is no recipe for %s: run tokscope tap --to URL, with the address of its provider, "+
			"and set the client's base URL (often OPENAI_BASE_URL or ANTHROPIC_BASE_URL) to the address that it prints; "+
			"tokscope tap --list shows the clients that are known", filepath.Base(words[0]))
	case r.Never != "":
		return nil, fmt.Errorf("%s: %s", r.Title, r.Never)
	case len(r.Ways) == 0:
		return nil, fmt.Errorf("%s keeps its base URL in its own configuration, which tokscope does not change: "+
			"run tokscope tap --to URL, which prints what to write there", r.Title)
	}
	if err := p.choose(ctx); err != nil {
		return nil, err
	}
	if to != "" {
		return p, p.at(withoutVersion(to)+version.FindString(p.way.Base), "--to")
	}
	for _, from := range p.way.From {
		from = p.fill(from)
		text, err := p.in.value(from)
		if err != nil {
			return nil, err
		}
		if text != "" {
			return p, p.at(text, from)
		}
	}
	if p.way.Base == "" {
		return nil, endpoint.Refuse(p.Recipe.Title, p.fill(p.way.Lacks))
	}
	return p, p.at(p.way.Base, "the recipe")
}

// fill puts the choice into a text of the recipe.
func (p *Plan) fill(text string) string { return strings.ReplaceAll(text, "{choice}", p.choice) }

// loginWithin bounds the time of Way.Login.
const loginWithin = 10 * time.Second

// aChoice is a name that can stand in a path of fields.
var aChoice = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// choose sets the way that applies.
func (p *Plan) choose(ctx context.Context) error {
	for i := range p.Recipe.Ways {
		w := &p.Recipe.Ways[i]
		p.way = w
		switch {
		case len(w.If) > 0 && !slices.ContainsFunc(w.If, p.in.has):
		case w.Choice != "":
			name, err := p.in.value(w.Choice)
			if err != nil {
				return err
			}
			if name != w.NoChoice && aChoice.MatchString(name) {
				p.choice = name
				return nil
			}
		case len(w.Login) > 0:
			ctx, cancel := context.WithTimeout(ctx, loginWithin)
			cmd := exec.CommandContext(ctx, p.words[0], w.Login...)
			cmd.Env, cmd.Dir, cmd.WaitDelay = p.in.Env, p.in.Dir, time.Second
			said, _ := cmd.CombinedOutput() // it fails where nobody is logged in
			cancel()
			if bytes.Contains(said, []byte(w.LoginSays)) {
				return nil
			}
		default:
			return nil
		}
	}
	return nil
}

// at makes text the base URL of the client. from says where it stands.
func (p *Plan) at(text, from string) error {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(text), "/"))
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return endpoint.Refuse("what "+from+" names is no address", "give one such as https://api.example.com/v1")
	case strings.HasSuffix(u.Hostname(), ".amazonaws.com"):
		return endpoint.Refuse(u.Host+" accepts only requests that are signed for its own host", "they cannot be tapped")
	}
	u.RawQuery, u.Fragment = "", ""
	p.base = u
	return nil
}

// Upstream returns where the tap passes requests on to. Their paths stay.
func (p *Plan) Upstream() *url.URL {
	return &url.URL{Scheme: p.base.Scheme, User: p.base.User, Host: p.base.Host}
}

// Hidden reports whether the client keeps a path of the tap.
func (p *Plan) Hidden() bool { return p.Recipe != nil && p.Recipe.Hidden }

// Command returns the words and the environment of the client, for a tap at that address.
func (p *Plan) Command(tap string) (words, env []string) {
	set, args := p.start(tap)
	in := p.in
	for _, v := range set {
		name, value, _ := strings.Cut(v, "=")
		in.set(name, merged(in.get(name), value))
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		if all := in.get(name); all != "*" {
			in.set(name, strings.TrimPrefix(all+",127.0.0.1,localhost", ","))
		}
	}
	unless := p.way.Unless
	if unless != "" && slices.ContainsFunc(p.words[1:],
		func(w string) bool { return w == unless || strings.HasPrefix(w, unless+"=") }) {
		args = nil
	}
	return slices.Concat(p.words[:1], args, p.words[1:]), in.Env
}

// start returns the variables and the arguments that the way sets.
func (p *Plan) start(tap string) (set, args []string) {
	at := tap + p.base.EscapedPath()
	object := map[string]string{}
	add := func(v string) {
		v = strings.ReplaceAll(v, "{url}", at)
		name, value, _ := strings.Cut(v, "=")
		set, object[name] = append(set, v), value
	}
	for _, v := range p.way.Env {
		add(v)
	}
	own, _ := url.Parse(p.way.Base)
	for _, v := range p.way.Own {
		if name, _, _ := strings.Cut(v, "="); own.Host == p.base.Host && p.in.get(name) == "" {
			add(v)
		}
	}
	env, _ := json.Marshal(object)
	fill := strings.NewReplacer("{url}", at, "{env}", string(env), "{choice}", p.choice)
	for _, arg := range p.way.Args {
		args = append(args, fill.Replace(arg))
	}
	return set, args
}

// merged returns a value of a variable with ours in it: where both are objects of JSON, ours
// is stronger field by field; else it is ours.
func merged(theirs, ours string) string {
	var a, b map[string]any
	if json.Unmarshal([]byte(theirs), &a) != nil || json.Unmarshal([]byte(ours), &b) != nil || a == nil {
		return ours
	}
	var into func(a, b map[string]any)
	into = func(a, b map[string]any) {
		for name, value := range b {
			have, object := a[name].(map[string]any)
			if more, both := value.(map[string]any); object && both {
				into(have, more)
				continue
			}
			a[name] = value
		}
	}
	into(a, b)
	text, _ := json.Marshal(a)
	return string(text)
}

// Agents returns the clients of the table, with how they are started for a tap at that address;
// p is a plan without a command, or nil: then each is before its own upstream.
func (p *Plan) Agents(tap string) []turn.Agent {
	return pick.Each(Recipes, func(r *Recipe) turn.Agent {
		a := r.Agent
		for _, line := range r.Lines {
			root := tap
			if p != nil {
				root += p.base.EscapedPath()
			}
			a.How = append(a.How, strings.ReplaceAll(line, "{url}", root))
		}
		for i := range r.Ways {
			if w := &r.Ways[i]; w.Choice == "" && w.Login == nil && (w.Base != "" || i+1 == len(r.Ways) && w.Env != nil) {
				a.How = append(a.How, p.line(r, w, tap))
			}
		}
		return a
	})
}

// line is a line of a shell that starts the client of r in one of its ways.
func (p *Plan) line(r *Recipe, w *Way, tap string) string {
	q := Plan{Recipe: r, way: w}
	if q.base, _ = url.Parse(w.Base); p != nil {
		base := *p.base
		base.Path += version.FindString(w.Base)
		base.RawPath, q.base, q.in = "", &base, p.in
	}
	set, args := q.start(tap)
	var words []string
	for _, v := range set {
		name, value, _ := strings.Cut(v, "=")
		words = append(words, name+"="+quoted(value))
	}
	words = append(words, r.Command)
	for _, arg := range args {
		words = append(words, quoted(arg))
	}
	return strings.Join(words, " ")
}

// quoted returns a word for a shell.
func quoted(word string) string {
	if !strings.ContainsAny(word, ` "'{}$&;|<>*?`) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// value returns what stands at a place: a variable, or FILE#FIELD, where FIELD is a path of
// names with dots in JSON and TOML, and the name of a variable in a file .env. ~ is the home
// folder; ${NAME:-TEXT} is the variable, or TEXT. It is "" where nothing stands.
func (s *Surroundings) value(place string) (string, error) {
	file, field, ok := strings.Cut(place, "#")
	if !ok {
		return s.get(place), nil
	}
	file = os.Expand(file, func(name string) string {
		name, other, _ := strings.Cut(name, ":-")
		return cmp.Or(s.get(name), other)
	})
	if rest, ok := strings.CutPrefix(file, "~"); ok {
		file = s.Home + rest
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(s.Dir, file)
	}
	text, err := os.ReadFile(file)
	name := field[strings.LastIndexByte(field, '.')+1:]
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Contains(text, []byte(name)) {
		return "", nil
	}
	value := ""
	switch filepath.Ext(file) {
	case ".env":
		value = variableIn(string(text), field)
	case ".toml":
		value, err = fieldOf(toml.Unmarshal, text, field, err)
	default:
		value, err = fieldOf(json.Unmarshal, text, field, err)
	}
	if err != nil {
		return "", endpoint.Refuse(file+" cannot be read, so the client's own base URL is not known",
			"give it with tokscope tap --to URL")
	}
	return value, nil
}

// variableIn returns a variable of a file .env, "" for none.
func variableIn(text, variable string) (value string) {
	for line := range strings.Lines(text) {
		name, text, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if ok && strings.TrimSpace(name) == variable {
			value = strings.Trim(strings.TrimSpace(text), `"'`)
		}
	}
	return value
}

// fieldOf returns the text at a path of names, "" where none stands.
func fieldOf(unmarshal func([]byte, any) error, text []byte, path string, err error) (string, error) {
	object := map[string]any{}
	if err == nil {
		err = unmarshal(text, &object)
	}
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		object, _ = object[name].(map[string]any)
	}
	value, _ := object[names[len(names)-1]].(string)
	return value, err
}
