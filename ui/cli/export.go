package cli

import (
	"cmp"

	"github.com/spf13/pflag"

	"tokscope/ui/format"
)

// exportFlags adds the flags of where figures go beside stdout and the recording.
func (c *Common) exportFlags(fs *pflag.FlagSet) {
	e := &c.Export
	e.Enabled = true
	fs.StringVar(&e.MetricsAddr, "metrics-addr", "",
		"serve the figures to Prometheus while it runs, such as 127.0.0.1:9464; port 0 takes a free one")
	fs.BoolVar(&e.MetricsRemote, "metrics-remote", false, "allow a --metrics-addr that other machines can reach")
	fs.StringSliceVar(&e.MetricsHosts, "metrics-allow-host", nil,
		"a further name that scrapes may use for this machine; * allows all")
	fs.StringVar(&e.OTLPEndpoint, "otlp-endpoint", "",
		"send the figures to this OpenTelemetry collector over HTTP (default: OTEL_EXPORTER_OTLP_ENDPOINT); off sends none")
}

// checkExport refuses flags that need another one.
func (c *Common) checkExport() error {
	if !c.Export.Enabled {
		return nil
	}
	return cmp.Or(needs(c.set, "metrics-remote", "metrics-addr"), needs(c.set, "metrics-allow-host", "metrics-addr"))
}

// announceMetrics prints where Prometheus can read the figures, if wanted.
func (j *Job) announceMetrics(wanted bool) {
	Warn(j.Err, format.If(j.Metrics != "" && wanted, "metrics at "+j.Metrics))
}
