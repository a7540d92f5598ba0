package metrics

import "time"

// Flags are what a command line says of its target and of requests to it, as it was typed. A zero
// value means not given.
type Flags struct {
	Model      string
	API        string   // in which requests ask, such as "messages"
	APIKeyFile string   // path, or "-" for the standard input
	APIKeyEnv  string   // name of a variable
	Headers    []string // 'Name: value'; $NAME and ${NAME} stand for variables, $$ for a dollar sign
	Extra      []string // PATH=JSON or @FILE: fields of the body, over those of a profile
	// Several: the target is one of several. None of Headers may be a secret then, and the
	// connection that the target is named with is no setting.
	Several      bool
	InsecureHTTP bool
	CACert       string
	Cert         string
	CertKey      string
	Machine      string        // that the endpoint is said to be, and …
	ModelSize    string        // … the model on it; they come before a profile's
	Curl         string        // a pasted curl command in place of the target, "-" before it is read
	CurlReads    []string      // variables (NAME) and files (@PATH) that it may read
	Timeout      time.Duration // of a whole request
	Export       Export
}

// Export says where the figures of ended requests go, beside the recording.
type Export struct {
	// Enabled: the command exports at all. The environment alone can then name a collector.
	Enabled       bool
	MetricsAddr   string   // where Prometheus can read; "" serves nothing
	MetricsRemote bool     // other machines may reach it
	MetricsHosts  []string // names that requests to it may use
	OTLPEndpoint  string   // the collector; "" is that of the environment, "off" none
}
