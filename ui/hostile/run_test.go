package hostile

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	measured "tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/app"
	"tokscope/probe/probetest"
	"tokscope/ui/cli"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// row is one hostile case: what the server does, and how the program ends.
type row struct {
	name  string
	sends serves
	class string // kind of the fault; "" is a good end
	words string // a phrase of the message, the next step or a note; "" is not checked
	exit  int

	args    []string
	secure  bool     // https, with the certificate that sends brings
	trusted bool     // --cacert names the certificates of the table
	proxied bool     // sends is a proxy's answer to CONNECT
	heap    uint64   // bytes that the heap may grow by; 0: smallHeap
	without []string // what no output may hold
	shows   string   // on the screen; "" leaves the row out there
}

// smallHeap bounds what a whole run of a small row may allocate, in bytes.
const smallHeap uint64 = 24 << 20

type option func(*row)

// with adds flags of the command line.
func with(args ...string) option { return func(r *row) { r.args = append(r.args, args...) } }

// heap sets the memory bound of a large row, in MiB.
func heap(mib uint64) option { return func(r *row) { r.heap = mib << 20 } }

// without names texts that no output may hold.
func without(texts ...string) option { return func(r *row) { r.without = texts } }

// onScreen has the row run in the virtual terminal too, which must show this text.
func onScreen(text string) option { return func(r *row) { r.shows = text } }

func secure(r *row)  { r.secure = true }
func trusted(r *row) { r.trusted = true }
func proxied(r *row) { r.proxied = true }

// flags are the flags of the row's command.
func (r *row) flags() []string {
	if r.trusted {
		return append([]string{"--cacert", authority}, r.args...)
	}
	return r.args
}

// want makes a row.
func want(name string, sends serves, class, words string, exit int, options ...option) row {
	r := row{name: name, sends: sends, class: class, words: words, exit: exit}
	for _, o := range options {
		o(&r)
	}
	return r
}

// proxy is the proxy of every row that has one: net/http reads the environment
// once a process.
var proxy struct {
	sync.Mutex
	sends serves
	addr  string
}

// proxyPassword is in the proxy's URL.
const proxyPassword = "proxy-password-5fq2"

// proxiedHost is the host of the rows with a proxy. It has no address.
const proxiedHost = "https://proxied.example/v1"

// handler is what the row does with a connection.
func (r *row) handler() serves {
	switch {
	case r.proxied:
		return func(c net.Conn) {
			if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				r.sends(c)
			}
		}
	case r.secure:
		return r.sends
	}
	return answers(r.sends)
}

// target is the URL of the row's server.
func (r *row) target(addr string) string {
	switch {
	case r.proxied:
		return proxiedHost
	case r.secure:
		return "https://" + addr + "/v1"
	}
	return "http://" + addr + "/v1"
}

// patience bounds what waits for the program; the machines are shared.
const patience = 30 * time.Second

// formats are the outputs of `tokscope probe`.
var formats = map[string][]string{"text": nil, "json": {"--json", "--with-text"}, "ndjson": {"--ndjson"}}

// output is what one run left.
type output struct {
	stdout, stderr, session, history string
	code                             int
	grew                             uint64 // bytes, see watch
}

// command runs `tokscope probe` in this process, wired as in main.go. It looks at
// the heap as watch does.
func command(t testing.TB, args []string, sampled bool, base uint64) output {
	t.Helper()
	return commandOf(t, append([]string{"probe", "-n", "1"}, args...), sampled, base)
}

// commandOf is command for another command, the first of args.
func commandOf(t testing.TB, args []string, sampled bool, base uint64) output {
	t.Helper()
	env := map[string]string{"HOSTILE_KEY": apiKey}
	getenv := func(name string) string { return env[name] }
	dir, err := os.MkdirTemp(scratch, "run")
	testkit.OK(t, err)
	defer func() { _ = os.RemoveAll(dir) }()
	state := filepath.Join(dir, "state")
	stdout, err := os.Create(filepath.Join(dir, "stdout"))
	testkit.OK(t, err)
	defer func() { _ = stdout.Close() }()
	var stderr bytes.Buffer
	// with runs a command on what main.go opens for it.
	with := func(ctx context.Context, o *cli.Common, run func(*cli.Job, *app.App) error) error {
		a, err := app.Open(ctx, app.CommandLine{
			ConfigPath: o.ConfigPath, Changed: o.Changed(), Target: o.Target, Flags: o.Flags,
			Env: getenv, Stdin: strings.NewReader(""), Version: "test", Sentences: say.Texts,
		})
		if err != nil {
			return err
		}
		defer func() {
			if err := a.Close(); err != nil {
				a.Warnings = append(a.Warnings, err.Error())
			}
			for _, w := range a.Warnings {
				fmt.Fprintln(&stderr, "tokscope:", sanitize.Line(w, 300))
			}
		}()
		return run(&cli.Job{
			Console:  cli.Console{In: strings.NewReader(""), Out: stdout, Err: &stderr, Env: getenv},
			Settings: a.Settings, Endpoint: a.Target.Endpoint, MaxTokens: a.Target.MaxTokens, Recording: a.Path(),
		}, a)
	}
	root := cli.New(cli.Actions{
		Probe: func(ctx context.Context, o *cli.Probe) error {
			return with(ctx, &o.Common, func(j *cli.Job, a *app.App) error { return o.Run(ctx, j, a) })
		},
		Doctor: func(ctx context.Context, o *cli.Doctor) error {
			return with(ctx, &o.Common, func(j *cli.Job, a *app.App) error { return o.Run(ctx, j, a) })
		},
		Live: func(context.Context, *cli.Live) error { return nil },
	}, "test")
	root.SetArgs(append([]string{args[0], "--model", "m", "--api-key-env", "HOSTILE_KEY", "--state-dir", state},
		args[1:]...))
	root.SetOut(stdout)
	root.SetErr(&stderr)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	grew := watch(sampled, base)
	err = root.ExecuteContext(ctx)
	out := output{grew: grew(), code: cli.CodeOf(err)}
	if err != nil {
		cli.PrintError(&stderr, err)
	}
	out.stderr, out.stdout = stderr.String(), content(t, stdout.Name())
	files, _ := filepath.Glob(filepath.Join(state, "*.*"))
	for _, path := range files {
		out.session += content(t, path)
	}
	files, _ = filepath.Glob(filepath.Join(state, "history", "*.*"))
	for _, path := range files {
		out.history += content(t, path)
	}
	return out
}

func content(t testing.TB, path string) string {
	t.Helper()
	data := testkit.Must(os.ReadFile(path))(t)
	return string(data)
}

// schema compiles a published schema, once.
func schema(name string) func() (*jsonschema.Schema, error) {
	return sync.OnceValues(func() (*jsonschema.Schema, error) {
		return jsonschema.NewCompiler().Compile("../../docs/schema/" + name + ".schema.json")
	})
}

var schemas = map[string]func() (*jsonschema.Schema, error){
	"json": schema("probe-v1"), "ndjson": schema("ndjson-v1"), "session": schema("session-v1"),
	"doctor":  schema("doctor-v1"),
	"history": schema("history-lines-v1"),
}

// fits reports why text is no document of a schema.
func fits(name, text string) error {
	s, err := schemas[name]()
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(doc)
}

// fault is how a request ended, in the formats.
type fault struct {
	Kind string `json:"kind"`
}

// endOf returns the class of the fault in an output. ok is false when the output
// has no end of a request.
func endOf(name, stdout string) (class string, ok bool) {
	switch name {
	case "json":
		var doc struct {
			Requests []struct{ Fault *fault }
		}
		if json.Unmarshal([]byte(stdout), &doc) != nil || len(doc.Requests) != 1 {
			return "", false
		}
		if f := doc.Requests[0].Fault; f != nil {
			class = f.Kind
		}
		return class, true
	case "ndjson":
		for line := range strings.Lines(stdout) {
			var end struct {
				Request struct{ Fault *fault }
			}
			if !strings.HasPrefix(line, `{"type":"done"`) && !strings.HasPrefix(line, `{"type":"error"`) {
				continue
			}
			if json.Unmarshal([]byte(line), &end) == nil {
				if f := end.Request.Fault; f != nil {
					class = f.Kind
				}
				return class, true
			}
		}
		return "", false
	}
	if faultLine.MatchString(stdout) {
		return "in words", true
	}
	return "", strings.Contains(stdout, "1 done")
}

// faultLine is the line of the summary with the fault in words.
var faultLine = regexp.MustCompile(`(?m)^ +1× `)

// faultWords is how the summary calls a class of faults.
func faultWords(class string) string {
	return strings.TrimPrefix(say.FaultName(measured.FaultKind(class), 0), "the ")
}

// wordsOf returns everything that an output says, on one line, without the
// escapes of JSON.
func wordsOf(name, stdout string) string {
	switch name {
	case "text":
		return strings.Join(strings.Fields(stdout), " ")
	case "ndjson":
		stdout = strings.Join(someLines(stdout), "")
	}
	var b strings.Builder
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v)
			b.WriteByte('\n')
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	dec := json.NewDecoder(strings.NewReader(stdout))
	for {
		var v any
		if dec.Decode(&v) != nil {
			return b.String()
		}
		walk(v)
	}
}

// foreign returns the first character of text that may act on a terminal: a
// control character other than a line's end, C1, a mark or an override of the
// writing direction, a line separator, or an invisible one.
func foreign(text string) string {
	for i := 0; i < len(text); {
		if c := text[i]; c >= 0x20 && c < 0x7f || c == '\n' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			return "invalid UTF-8 in " + around(text, i)
		case unicode.Is(unicode.Cc, r), r == 0x2028, r == 0x2029, r == 0x061C, r == 0x200E, r == 0x200F,
			r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200B, r == 0xFEFF, r >= 0xE0000 && r <= 0xE007F:
			return fmt.Sprintf("%U in %s", r, around(text, i))
		}
		i += n
	}
	return ""
}

// someLines returns the lines of text, or the first and the last hundred.
func someLines(text string) []string {
	var first, last []string
	for line := range strings.Lines(text) {
		if len(first) < 100 {
			first = append(first, line)
			continue
		}
		if last = append(last, line); len(last) == 200 {
			last = append(last[:0], last[100:]...)
		}
	}
	return append(first, last[max(0, len(last)-100):]...)
}

// problems returns what is wrong with one output of a row.
func (r *row) problems(name string, o *output) (wrong []string) {
	add := func(form string, a ...any) { wrong = append(wrong, name+": "+fmt.Sprintf(form, a...)) }
	if o.code != r.exit {
		add("exit code %d, want %d; stderr %q", o.code, r.exit, o.stderr)
	}
	if class, ok := endOf(name, o.stdout); !ok {
		add("no end of the request in %.300q, stderr %q", o.stdout, o.stderr)
	} else if class != r.class && (class != "in words" || r.class == "") {
		add("class %q, want %q", class, r.class)
	} else if says := wordsOf(name, o.stdout); class == "in words" && !strings.Contains(says, faultWords(r.class)) {
		add("the fault %q is missing in %q", faultWords(r.class), says)
	}
	if says := wordsOf(name, o.stdout); !strings.Contains(says, r.words) {
		add("%q is missing in %q", r.words, says[max(0, len(says)-500):])
	}
	for what, text := range map[string]string{"stdout": o.stdout, "stderr": o.stderr, "the session file": o.session,
		"the history": o.history} {
		if s := foreign(text); s != "" {
			add("%s holds %s", what, s)
		}
		if s := leaks(text); s != "" {
			add("%s holds the key: %s", what, s)
		}
		for _, s := range r.without {
			if i := strings.Index(text, s); i >= 0 {
				add("%s holds %q: %s", what, s, around(text, i))
			}
		}
	}
	switch name {
	case "json":
		if err := fits("json", o.stdout); err != nil {
			add("the document: %.400v", err)
		}
	case "ndjson":
		for _, line := range someLines(o.stdout) {
			if err := fits("ndjson", line); err != nil {
				add("the line %.200q: %.400v", line, err)
				break
			}
		}
	}
	for _, line := range someLines(o.history) {
		if err := fits("history", line); err != nil {
			add("the history, %.200q: %.400v", line, err)
			break
		}
	}
	if n := strings.Count(o.history, "\n"); n != 2 { // the head, and one request
		add("the history has %d lines: %.400q", n, o.history)
	}
	if name == "text" { // the other formats write the same file
		for _, line := range someLines(o.session) {
			if err := fits("session", line); err != nil {
				add("the session file, %.200q: %.400v", line, err)
				break
			}
		}
	}
	return wrong
}

// run plays the row in one format and returns what is wrong. grew is how much
// the heap grew, bytes, with what runs beside the row; base is that of watch.
func (r *row) run(t testing.TB, name string, flags []string, base uint64) (wrong []string, grew uint64) {
	var out output
	left := inOwnGoroutines(func() {
		args := slices.Concat(flags, r.flags())
		if r.proxied {
			proxy.Lock()
			proxy.sends = r.handler()
			proxy.Unlock()
			out = command(t, append(args, proxiedHost), r.heap > 0, base)
			return
		}
		srv := listen(t, r.handler())
		out = command(t, append(args, r.target(srv.addr())), r.heap > 0, base)
		srv.close()
	})
	if left != "" {
		wrong = append(wrong, fmt.Sprintf("%s: goroutines are left: %.2000s", name, left))
	}
	return append(wrong, r.problems(name, &out)...), out.grew
}

// tooLarge returns what is wrong with a heap that grew by so many bytes, "" when
// nothing is.
func (r *row) tooLarge(name string, grew uint64) string {
	if bound := cmp.Or(r.heap, smallHeap); grew > bound {
		return fmt.Sprintf("%s: the heap grew by %d MiB, more than %d", name, grew>>20, bound>>20)
	}
	return ""
}

// runAlone is run, with the heap's growth held to the row's bound.
func (r *row) runAlone(t testing.TB, name string, flags []string) []string {
	wrong, grew := r.run(t, name, flags, 0)
	if s := r.tooLarge(name, grew); s != "" {
		wrong = append(wrong, s)
	}
	return wrong
}

// heapNow is the size of the live and the not yet collected objects, in bytes.
func heapNow() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// heapAfterGC is heapNow without garbage, and without what a pool keeps until the
// second collection.
func heapAfterGC() uint64 {
	runtime.GC()
	runtime.GC()
	return heapNow()
}

// watch begins to look at the heap. grew returns the most bytes that it grew by
// since base, or since now if base is 0; unless sampled is set, all that was
// allocated, which is no less.
func watch(sampled bool, base uint64) (grew func() uint64) {
	if !sampled {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		return func() uint64 {
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
	}
	if base == 0 {
		runtime.GC()
		base = heapNow()
	}
	most := uint64(0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				most = max(most, heapNow())
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-stopped
		most = max(most, heapNow())
		return most - min(most, base)
	}
}

// scratch is a directory for what the tests write, and authority the file of the
// table's certificates in it.
var scratch, authority string

func TestMain(m *testing.M) {
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	probetest.WaitTogether(2)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "https_proxy", "NO_PROXY", "no_proxy", "ALL_PROXY",
		"all_proxy"} {
		_ = os.Unsetenv(name)
	}
	dir, err := os.MkdirTemp("", "tokscope-hostile")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	scratch, authority = dir, filepath.Join(dir, "authority.pem")
	if err := os.WriteFile(authority, authorities(), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	proxy.addr = ln.Addr().String()
	_ = os.Setenv("HTTPS_PROXY", "http://hostile:"+proxyPassword+"@"+proxy.addr)
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			proxy.Lock()
			handle := proxy.sends
			proxy.Unlock()
			go func() { handle(c); _ = c.Close() }()
		}
	}()
	return m.Run()
}
