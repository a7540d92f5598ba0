package reports

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/probe/app"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/themes"
	"tokscope/ui/cli"
	"tokscope/ui/draw"
	"tokscope/ui/say"
	"tokscope/ui/screen"
	"tokscope/ui/screen/live"
)

// said is what the program says of an input, by its place: text, json, csv, errors
// (stderr), doctor, plain, screen, and sent, the prompt of the last request.
type said struct {
	out  map[string]string
	code int // the largest exit code
}

// piped is a listener whose connections are pipes, for virtual time.
type piped chan net.Conn

func (p piped) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p piped) Close() error   { close(p); return nil }
func (p piped) Addr() net.Addr { return &net.TCPAddr{} }

// server answers requests as the input says, and keeps the prompt of the last.
type server struct {
	in     *input
	mu     sync.Mutex
	n      int
	prompt string
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	began := time.Now()
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.n++
	n := s.n
	s.prompt = promptOf(body)
	s.mu.Unlock()
	for _, x := range s.in.exchanges {
		if x.first <= n && n <= x.last {
			x.answer(w, r, began)
		}
	}
}

// promptOf returns the prompt in the body of a request.
func promptOf(body []byte) string {
	var r struct{ Messages []struct{ Content string } }
	if err := json.Unmarshal(body, &r); err != nil || len(r.Messages) == 0 {
		return string(body)
	}
	return strings.TrimSpace(r.Messages[len(r.Messages)-1].Content)
}

// answer sends the answer to a request that was read at a time.
func (x *exchange) answer(w http.ResponseWriter, r *http.Request, began time.Time) {
	for _, h := range x.headers {
		if h[1] == "none" {
			w.Header()[h[0]] = nil
			continue
		}
		at := began.Add(90 * time.Second).UTC().Format(time.RFC3339)
		w.Header().Set(h[0], strings.ReplaceAll(h[1], "{now+90}", at))
	}
	w.WriteHeader(x.status)
	for _, e := range append(x.writes, write{at: time.Minute}) {
		if e.data == nil && !x.open {
			return
		}
		select {
		case <-r.Context().Done(): // the client has left
			return
		case <-time.After(time.Until(began.Add(e.at))):
		}
		_, _ = w.Write(e.data)
		_ = http.NewResponseController(w).Flush()
	}
}

// player is an App whose first probe is kept, so that each output is of the same
// requests.
type player struct {
	*app.App
	engine *client.Engine
	config string // the path
	runs   []metrics.Run
	probed bool
	said
}

func (p *player) Probe(ctx context.Context, plan loadstat.ProbePlan) []metrics.Run {
	if !p.probed {
		p.runs, p.probed = p.App.Probe(ctx, plan), true
	}
	return p.runs
}

// play probes a server that answers as the input says, in a bubble of virtual time, and
// returns what the program says.
func play(t *testing.T, in *input) said {
	wire, srv := make(piped), &server{in: in}
	h := &http.Server{Handler: srv}
	go func() { _ = h.Serve(wire) }()
	defer func() { _ = h.Close() }()
	e := client.New(client.Options{
		NoPathProbe: true, Proxy: func(*http.Request) (*url.URL, error) { return nil, nil },
		Dial: func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			wire <- there
			return here, nil
		}})
	defer e.Close()
	dir := t.TempDir()
	p := &player{engine: e, config: file(t, dir, "config.toml", in.profile()), said: said{out: map[string]string{}}}
	probe := append([]string{"probe", "x"}, in.args...)
	if in.prompt != nil {
		probe = append(probe, "--prompt-file", file(t, dir, "prompt.txt", in.prompt))
	}
	p.run(t, "text", append(probe, "--list")...)
	p.run(t, "json", append(probe, "--json", "--with-text")...)
	if !slices.Contains(probe, "--lens") {
		p.run(t, "csv", append(probe, "--csv")...)
	}
	p.out["sent"] = srv.prompt
	if in.doctor {
		p.run(t, "doctor", "doctor", "x")
	}
	if in.plain {
		p.run(t, "plain", "x", "--plain")
	}
	if len(p.runs) > 0 {
		p.out["screen"] = p.shown()
	}
	return p.said
}

// run runs a command, and keeps what it says as that of a place.
func (p *player) run(t *testing.T, place string, args ...string) {
	var stdout, stderr bytes.Buffer
	open := func(o *cli.Common) (*cli.Job, error) {
		cfg, settings, err := app.Configuration(p.config, o.Changed(), none)
		if err != nil {
			return nil, err
		}
		if p.App == nil {
			r := &endpoint.Resolver{Profiles: cfg.Profiles, Env: none}
			target, err := r.Resolve(o.Target)
			if err != nil {
				return nil, err
			}
			p.App = &app.App{Settings: settings, Options: app.Options{
				Engine: p.engine, Resolver: r, Target: target, Version: "test", Sentences: say.Texts}}
		}
		return &cli.Job{Console: cli.Console{Out: &stdout, Err: &stderr, Env: none}, Settings: settings,
			Endpoint: p.Target.Endpoint}, nil
	}
	root := cli.New(cli.Actions{
		Probe: func(ctx context.Context, o *cli.Probe) error {
			j, err := open(&o.Common)
			if err == nil {
				err = o.Run(ctx, j, p)
			}
			return err
		},
		Doctor: func(ctx context.Context, o *cli.Doctor) error {
			j, err := open(&o.Common)
			if err == nil {
				err = o.Run(ctx, j, p)
			}
			return err
		},
		Live: func(ctx context.Context, o *cli.Live) error {
			j, err := open(&o.Common)
			if err == nil {
				err = o.Run(ctx, j, func() cli.Session { return p.Session() }, func() {})
			}
			return err
		},
	}, "test")
	root.SetArgs(append(args, "--config", p.config))
	err := root.ExecuteContext(t.Context())
	if err != nil {
		cli.PrintError(&stderr, err)
	}
	p.code = max(p.code, cli.CodeOf(err))
	p.out[place], p.out["errors"] = stdout.String(), stderr.String()
}

// none is an environment without variables.
func none(string) string { return "" }

// file writes a file and returns its path.
func file(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// profile is the configuration that asks what the input asks.
func (in *input) profile() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "[profile.x]\nurl = \"http://127.0.0.1:8000/v1\"\nmodel = %q\nheaders = {", in.model)
	comma := ""
	for name, value := range in.headers {
		fmt.Fprintf(&b, "%s %q = %q", comma, name, value)
		comma = ","
	}
	fmt.Fprintln(&b, "}")
	if in.tier != "" {
		fmt.Fprintf(&b, "extra = { service_tier = %q }\n", in.tier)
	}
	return b.Bytes()
}

// ended is the backend of a Live screen whose requests have ended.
type ended struct {
	live.Backend
	*player
}

func (b ended) last() *metrics.Stream      { return &b.runs[len(b.runs)-1].Stream }
func (b ended) Version() uint64            { return 1 }
func (b ended) Snapshot() metrics.Stream   { return *b.last() }
func (b ended) Now() metrics.Stamp         { return b.last().Now }
func (b ended) Runs() []metrics.Run        { return b.runs }
func (b ended) RunsLeftOut() int           { return 0 }
func (b ended) Observer() metrics.Observer { return b.last().Observer }
func (b ended) Endpoint() metrics.Endpoint { return b.Target.Endpoint }
func (b ended) Curl() string               { return "" }
func (b ended) SessionPath() string        { return "" }

// shown is the Live screen after the end, with 120 columns and 40 rows less the header
// and the footer.
func (p *player) shown() string {
	b, o := ended{player: p}, screen.Options{}
	s := live.New(screen.Deps{Look: screen.NewLook(o, themes.UnicodeGlyphs()), Options: o, Backend: b}, b)
	s.Sample(b.Now(), true)
	g := draw.New(120, 38)
	s.Draw(g, g.Bounds())
	return g.Plain()
}
