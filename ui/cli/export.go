package cli

import (
	"cmp"

	"github.com/spf13/pflag"

	"tokscope/ui/format"
)

// Export holds the flags of where figures go beside stdout and the recording.
type Export struct {
	Enabled       bool   // the command has the flags
	MetricsAddr   string // where Prometheus can read; "": nowhere
	MetricsRemote bool
	MetricsHosts  []string
	OTLPEndpoint  string // "" leaves it to the environment, "off" sends nothing
}

// flags adds the flags of e to fs.
func (e *Export) flags(fs *pflag.FlagSet) {
	e.Enabled = true
	fs.StringVar(&e.MetricsAddr, "metrics-addr", "",
		"serve the figures to Prometheus while it runs, such as 127.0.0.1:9464; port 0 takes a free one")
	fs.BoolVar(&e.MetricsRemote, "metrics-remote", false, "allow a --metrics-addr that other machines can reach")
	fs.StringSliceVar(&e.MetricsHosts, "metrics-allow-host", nil,
		"a further name that scrapes may use for this machine; * allows all")
	fs.StringVar(&e.OTLPEndpoint, "otlp-endpoint", "",
		"send the figures to this OpenTelemetry collector over HTTP (default: OTEL_EXPORTER_OTLP_ENDPOINT); off sends none")
}

// check refuses flags that need another one.
func (e *Export) check(fs *pflag.FlagSet) error {
	if !e.Enabled {
		return nil
	}
	return cmp.Or(needs(fs, "metrics-remote", "metrics-addr"), needs(fs, "metrics-allow-host", "metrics-addr"))
}

// announceMetrics prints where Prometheus can read the figures, if wanted.
func (j *Job) announceMetrics(wanted bool) {
	Warn(j.Err, format.If(j.Metrics != "" && wanted, "metrics at "+j.Metrics))
}
