package export

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	"golang.org/x/net/http/httpguts"

	"tokscope/metrics"
	"tokscope/probe/secret"
)

// OTLP holds where and how the figures go to a collector. Settings returns one.
type OTLP struct {
	// From is where the address was found: "--otlp-endpoint" or a variable.
	From string

	url         string
	header      map[string]secret.Secret
	json, gzip  bool
	form        form
	timeout     time.Duration // of one request
	interval    time.Duration // between two
	roots       *x509.CertPool
	service     string
	attributes  []*common.KeyValue // of the resource, beside service.*
	instance    string             // service.instance.id; "" draws one
	roundTrip   http.RoundTripper
	lastAttempt time.Duration // bound of the sending when the program ends
}

// Variables of the OpenTelemetry specification that Settings reads.
const (
	envEndpoint    = "OTEL_EXPORTER_OTLP_ENDPOINT"
	envMetrics     = "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"
	envInterval    = "OTEL_METRIC_EXPORT_INTERVAL"
	envTemporality = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"
	envAggregation = "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION"
)

// Latest reports whether the environment asks for the newest names of the GenAI specification
// in place of those before.
func Latest(env func(string) string) bool {
	words := strings.Split(strings.ReplaceAll(env("OTEL_SEMCONV_STABILITY_OPT_IN"), " ", ""), ",")
	return slices.Contains(words, "gen_ai_latest_experimental")
}

// off is the address that forbids sending, whatever the environment says.
const off = "off"

// Bounds of settings.
const (
	defaultTimeout  = 10 * time.Second
	defaultInterval = 60 * time.Second
	lastAttempt     = 3 * time.Second
	maxCertificate  = 1 << 20
)

// Settings merges the flag --otlp-endpoint with the environment. It returns nil
// if nothing is to be sent. insecure allows headers over plain HTTP to another
// machine. An error is a *metrics.Fault; it names no value of a header.
func Settings(flag string, insecure bool, env func(string) string) (*OTLP, error) {
	if flag == off || flag == "" &&
		(strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") || env("OTEL_METRICS_EXPORTER") == "none") {
		return nil, nil
	}
	o := &OTLP{From: "--otlp-endpoint", timeout: defaultTimeout, interval: defaultInterval,
		lastAttempt: lastAttempt, service: "tokscope", header: map[string]secret.Secret{}}
	address, whole := flag, false
	if address == "" {
		if address = env(envMetrics); address != "" {
			o.From, whole = envMetrics, true // used as it is, by the specification
		} else if address = env(envEndpoint); address != "" {
			o.From = envEndpoint
		} else {
			return nil, nil
		}
	}
	remote, err := o.setURL(address, whole)
	if err != nil {
		return nil, err
	}
	for _, read := range []func(func(string) string) error{
		o.readForm, o.readTimes, o.readHeaders, o.readCertificate, o.readResource} {
		if err := read(env); err != nil {
			return nil, err
		}
	}
	if len(o.header) > 0 && remote && strings.HasPrefix(o.url, "http:") && !insecure {
		return nil, wrong(o.From+": headers would travel unencrypted to another machine",
			"use https, or allow it with --insecure-http")
	}
	return o, nil
}

// wrong is the error of a setting.
func wrong(message, next string) error {
	return &metrics.Fault{Kind: metrics.FaultConfig, Message: message, Next: next}
}

// setURL checks the address. whole says that it has the path already.
func (o *OTLP) setURL(address string, whole bool) (remote bool, err error) {
	u, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return false, wrong(o.From+" is no address of a collector", "give one such as http://127.0.0.1:4318")
	case u.User != nil:
		return false, wrong(o.From+" holds a user name or password",
			"put it into OTEL_EXPORTER_OTLP_HEADERS, where it is never shown")
	case u.Port() == "4317":
		return false, wrong(o.From+": port 4317 is OTLP over gRPC, which tokscope does not send",
			"give the collector's HTTP port, usually 4318")
	}
	if !whole && !strings.HasSuffix(u.Path, "/v1/metrics") {
		u.Path = strings.TrimSuffix(u.Path, "/") + "/v1/metrics"
	}
	u.Fragment = ""
	o.url = u.String()
	host := u.Hostname()
	addr, err := netip.ParseAddr(host)
	return host != "localhost" && (err != nil || !addr.IsLoopback()), nil
}

// variable returns the value of a variable for metrics, else of that for all
// signals, with its name.
func variable(env func(string) string, name string) (value, from string) {
	if from = "OTEL_EXPORTER_OTLP_METRICS_" + name; env(from) == "" {
		from = "OTEL_EXPORTER_OTLP_" + name
	}
	return strings.TrimSpace(env(from)), from
}

// readForm reads the words that say how the figures are written.
func (o *OTLP) readForm(env func(string) string) error {
	protocol, protocolFrom := variable(env, "PROTOCOL")
	compression, compressionFrom := variable(env, "COMPRESSION")
	temporality, aggregation := strings.ToLower(env(envTemporality)), env(envAggregation)
	for _, x := range []struct{ from, word, wrong, one, other string }{
		{protocolFrom, protocol, "not sent by tokscope", "http/protobuf", "http/json"},
		{compressionFrom, compression, "unknown", "gzip", "none"},
		{envTemporality, temporality, "unknown", "cumulative, delta", "lowmemory"},
		{envAggregation, aggregation, "unknown", "base2_exponential_bucket_histogram", "explicit_bucket_histogram"},
	} {
		if x.word != "" && !slices.Contains(append(strings.Split(x.one, ", "), x.other), x.word) {
			return wrong(x.from+" is "+x.wrong, "set "+x.one+" or "+x.other)
		}
	}
	o.json, o.gzip = protocol == "http/json", compression == "gzip"
	o.form = form{temporality: cumulative, explicit: aggregation == "explicit_bucket_histogram"}
	if temporality == "delta" || temporality == "lowmemory" {
		o.form.temporality = delta
	}
	return nil
}

// readTimes reads milliseconds, as the specification has them.
func (o *OTLP) readTimes(env func(string) string) error {
	timeout, from := variable(env, "TIMEOUT")
	for _, x := range []struct {
		value, from string
		to          *time.Duration
	}{{timeout, from, &o.timeout}, {env(envInterval), envInterval, &o.interval}} {
		if x.value == "" {
			continue
		}
		ms, err := strconv.Atoi(x.value)
		if err != nil || ms < 1 || ms > 24*3600*1000 {
			return wrong(x.from+" is no time", "give milliseconds, such as 10000")
		}
		*x.to = time.Duration(ms) * time.Millisecond
	}
	return nil
}

func (o *OTLP) readHeaders(env func(string) string) error {
	for _, from := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_METRICS_HEADERS"} {
		list, err := pairs(env(from))
		if err != nil {
			return wrong(from+" cannot be read", "give NAME=VALUE, with commas between, and %2C for a comma in a value")
		}
		for _, p := range list {
			if !httpguts.ValidHeaderFieldName(p[0]) || !httpguts.ValidHeaderFieldValue(p[1]) {
				return wrong(from+" holds what is no header", "give NAME=VALUE, with commas between")
			}
			o.header[http.CanonicalHeaderKey(p[0])] = secret.NewSecret(p[1])
		}
	}
	return nil
}

// pairs reads KEY=VALUE,KEY=VALUE with percent-encoded values.
func pairs(s string) (out [][2]string, err error) {
	for part := range strings.SplitSeq(s, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		k, v, ok := strings.Cut(part, "=")
		if k = strings.TrimSpace(k); !ok || k == "" {
			return nil, fmt.Errorf("no =")
		}
		if v, err = url.PathUnescape(strings.TrimSpace(v)); err != nil {
			return nil, err
		}
		out = append(out, [2]string{k, v})
	}
	return out, nil
}

func (o *OTLP) readCertificate(env func(string) string) error {
	path, from := variable(env, "CERTIFICATE")
	if path == "" {
		return nil
	}
	var pem []byte
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() <= maxCertificate {
		pem, _ = os.ReadFile(path)
	}
	if o.roots = x509.NewCertPool(); !o.roots.AppendCertsFromPEM(pem) {
		return wrong(from+" names no file of certificates", "give a PEM file")
	}
	return nil
}

func (o *OTLP) readResource(env func(string) string) error {
	const from = "OTEL_RESOURCE_ATTRIBUTES"
	list, err := pairs(env(from))
	if err != nil {
		return wrong(from+" cannot be read", "give NAME=VALUE, with commas between")
	}
	for _, p := range list {
		switch p[0] {
		case "service.name":
			o.service = p[1]
		case "service.instance.id":
			o.instance = p[1]
		default:
			o.attributes = append(o.attributes, text(p[0], p[1]))
		}
	}
	if name := env("OTEL_SERVICE_NAME"); name != "" {
		o.service = name
	}
	return nil
}

// resource returns the attributes of the program that sends.
func (o *OTLP) resource(version string) []*common.KeyValue {
	return append([]*common.KeyValue{text("service.name", o.service),
		text("service.version", version), text("service.instance.id", o.instance)}, o.attributes...)
}

// transport returns what carries the requests.
func (o *OTLP) transport() http.RoundTripper {
	if o.roundTrip != nil {
		return o.roundTrip
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 1
	if o.roots != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: o.roots, MinVersion: tls.VersionTLS12}
	}
	return t
}
