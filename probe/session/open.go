package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
)

// Open reads the session file at path, or the file of another program; "-" is stdin. It may
// be compressed with gzip; a session file that ends early is read as far as it goes. Errors are for
// a person and name the file.
func Open(path string, stdin io.Reader) (*Recording, error) {
	name, in := filepath.Base(path), stdin
	if path == "-" {
		name = "stdin"
	} else {
		f, err := openFile(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	var rec *Recording
	schema := ""
	br, err := Unpacked(in)
	if err != nil {
		err = fmt.Errorf("decompress it: %w", err)
	} else {
		var ok bool
		if rec, ok, err = Foreign(br); !ok {
			schema = SchemaOf(br)
			rec, err = Read(br)
		}
	}
	switch fault, of := errors.AsType[*metrics.Fault](err); {
	case of:
		return nil, endpoint.Refuse(name+" "+fault.Message, fault.Next)
	case err != nil && otherFormat().MatchString(schema) && !strings.HasPrefix(schema, "tokscope/session/"):
		return nil, endpoint.Refuse(name+" is a "+schema+" document without the events of a stream",
			"give a session file: session-*.ndjson"+where())
	case err != nil:
		return nil, unreadable(name, err, schema)
	}
	if rec.Name = name; rec.beside != nil && path != "-" {
		rec.beside(path)
	}
	return rec, nil
}

// openFile opens a file that a person has named.
func openFile(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, endpoint.Refuse("cannot open the session file: "+path+": "+endpoint.Reason(err),
			"give the path of a session file"+where())
	}
	return f, nil
}

// unreadable refuses a file whose schema is that, "" without one.
func unreadable(name string, err error, schema string) error {
	next := "give a file that tokscope has written: session-*.ndjson"
	if schema == "" {
		next += ", or a file of " + Openable()
	}
	return endpoint.Refuse(fmt.Sprintf("%s cannot be read as a session file: %v", name, err), next)
}

// where names the folder of session files, "" without a known one.
func where() string {
	dir, err := StateDir(os.Getenv)
	if err != nil {
		return ""
	}
	return "; without --state-dir they lie in " + dir
}

// StateDir returns the directory of recordings: XDG_STATE_HOME/tokscope, else
// ~/.local/state/tokscope (on Windows LocalAppData\tokscope). It returns an
// error when the environment names no home.
func StateDir(env func(string) string) (string, error) {
	if d := env("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "tokscope"), nil
	}
	if runtime.GOOS == "windows" {
		if d := env("LocalAppData"); d != "" {
			return filepath.Join(d, "tokscope"), nil
		}
	}
	if h := env("HOME"); h != "" {
		return filepath.Join(h, ".local", "state", "tokscope"), nil
	}
	return "", errors.New("no home folder is known: set XDG_STATE_HOME, or start with --record=false")
}

// otherFormat are the schemas of what tokscope writes.
var otherFormat = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^tokscope/[a-z-]{1,30}/v[0-9]{1,4}$`)
})

// Find returns the requests with that id, all for 0.
func (r *Recording) Find(id int) ([]*Recorded, error) {
	if id == 0 {
		if len(r.Requests) == 0 {
			return nil, endpoint.Refuse(r.Name+" holds no request", "the program ended before it sent one: choose another file")
		}
		return r.Requests, nil
	}
	for _, q := range r.Requests {
		if q.ID == id {
			return []*Recorded{q}, nil
		}
	}
	return nil, endpoint.Refuse(fmt.Sprintf("%s holds no request %d", r.Name, id), r.ids())
}

// ids says which requests the file holds.
func (r *Recording) ids() string {
	switch n := len(r.Requests); n {
	case 0:
		return "it holds none"
	case 1:
		return fmt.Sprintf("it holds request %d", r.Requests[0].ID)
	default:
		return fmt.Sprintf("it holds requests %d to %d", r.Requests[0].ID, r.Requests[n-1].ID)
	}
}
