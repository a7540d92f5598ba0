package export

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// vars returns an environment of NAME=VALUE.
func vars(list ...string) func(string) string {
	return func(name string) string {
		for _, kv := range list {
			if k, v, _ := strings.Cut(kv, "="); k == name {
				return v
			}
		}
		return ""
	}
}

// TestSettings checks what the flag and each variable do.
func TestSettings(t *testing.T) {
	const collector = "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318"
	for _, c := range []struct {
		name, flag string
		env        []string
		want       string // part of what is set; "" for no sending
	}{
		{name: "nothing"},
		{name: "flag", flag: "http://127.0.0.1:4318",
			want: "url=http://127.0.0.1:4318/v1/metrics from=--otlp-endpoint json=false gzip=false temporality=2 " +
				"explicit=false timeout=10s interval=1m0s service=tokscope"},
		{name: "environment", env: []string{collector + "/base/"},
			want: "url=http://127.0.0.1:4318/base/v1/metrics from=OTEL_EXPORTER_OTLP_ENDPOINT"},
		{name: "that of metrics as it is",
			env:  []string{collector, "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=https://otlp.example/api"},
			want: "url=https://otlp.example/api from=OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"},
		{name: "the flag first", flag: "https://a.example", env: []string{collector},
			want: "url=https://a.example/v1/metrics"},
		{name: "off", flag: "off", env: []string{collector}},
		{name: "switched off", env: []string{collector, "OTEL_SDK_DISABLED=true"}},
		{name: "no exporter", env: []string{collector, "OTEL_METRICS_EXPORTER=none"}},
		{name: "form", env: []string{collector, "OTEL_EXPORTER_OTLP_PROTOCOL=http/json",
			"OTEL_EXPORTER_OTLP_METRICS_COMPRESSION=gzip", envTemporality + "=delta",
			envAggregation + "=explicit_bucket_histogram"}, want: "json=true gzip=true temporality=1 explicit=true"},
		{name: "times", env: []string{collector, "OTEL_EXPORTER_OTLP_TIMEOUT=2500", envInterval + "=5000"},
			want: "timeout=2.5s interval=5s"},
		{name: "resource", env: []string{collector,
			"OTEL_RESOURCE_ATTRIBUTES=service.name=a,service.instance.id=berlin-1,cloud.region=eu%2Cwest",
			"OTEL_SERVICE_NAME=b"}, want: "service=b instance=berlin-1 cloud.region=eu,west"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := testkit.Must(Settings(c.flag, false, vars(c.env...)))(t)
			if c.want == "" {
				if o != nil {
					t.Errorf("figures go to %s", o.url)
				}
				return
			}
			got := fmt.Sprintf("url=%s from=%s json=%v gzip=%v temporality=%d explicit=%v timeout=%v interval=%v service=%s "+
				"instance=%s", o.url, o.From, o.json, o.gzip, o.form.temporality, o.form.explicit, o.timeout, o.interval,
				o.service, o.instance)
			for _, a := range o.attributes {
				got += " " + a.Key + "=" + a.Value.GetStringValue()
			}
			testkit.Has(t, got, c.want)
		})
	}
}

// TestWrongSettings holds that each is an error that says what to do, and that no
// error has a header's value.
func TestWrongSettings(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	testkit.OK(t, os.WriteFile(empty, nil, 0o600))
	const secret = "Bearer0123456789"
	for _, c := range []struct {
		flag, variable, message, next string
	}{
		{"127.0.0.1:4318", "", "--otlp-endpoint is no address", "http://127.0.0.1:4318"},
		{"ftp://x", "", "is no address", "http://"},
		{"http://u:" + secret + "@x", "", "user name or password", "OTEL_EXPORTER_OTLP_HEADERS"},
		{"http://127.0.0.1:4317", "", "gRPC", "4318"},
		{"http://otlp.example", "OTEL_EXPORTER_OTLP_HEADERS=authorization=" + secret, "unencrypted", "--insecure-http"},
		{"http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_HEADERS=" + secret, "OTEL_EXPORTER_OTLP_HEADERS cannot be read",
			"NAME=VALUE"},
		{"http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_METRICS_HEADERS=x=%zz" + secret, "cannot be read", "NAME=VALUE"},
		{"http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_HEADERS=x y=" + secret, "no header", "NAME=VALUE"},
		{"http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_HEADERS=x=" + secret + "%0d%0aEvil: 1", "no header", "NAME=VALUE"},
		{"http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_PROTOCOL is not sent",
			"http/protobuf"},
		{"http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_COMPRESSION=zstd", "COMPRESSION", "gzip"},
		{"http://127.0.0.1:1", envTemporality + "=both", envTemporality, "delta"},
		{"http://127.0.0.1:1", envAggregation + "=x", envAggregation, "explicit_bucket_histogram"},
		{"http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_TIMEOUT=10s", "no time", "milliseconds"},
		{"http://127.0.0.1:1", envInterval + "=0", envInterval, "milliseconds"},
		{"http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_CERTIFICATE=/nowhere", "no file of certificates", "PEM"},
		{"http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_CERTIFICATE=" + empty, "no file of certificates", "PEM"},
		{"http://127.0.0.1:1", "OTEL_RESOURCE_ATTRIBUTES=x", "cannot be read", "NAME=VALUE"},
	} {
		_, err := Settings(c.flag, false, vars(c.variable))
		checkFault(t, err, c.message, c.next)
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the error has a secret: %v", err)
		}
	}
	if _, err := Settings("http://otlp.example", true,
		vars("OTEL_EXPORTER_OTLP_HEADERS=authorization="+secret)); err != nil {
		t.Error("allowed, but", err)
	}
	o, err := Settings("http://127.0.0.1:1", false, vars("OTEL_EXPORTER_OTLP_HEADERS=authorization="+secret))
	if err != nil || strings.Contains(fmt.Sprintf("%+v %#v", o, o), secret) {
		t.Errorf("printing the settings shows a header: %v", err)
	}
}

// TestRetryAfter checks both forms of the header.
func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-1": 0, "soon": 0, "99999": lastRetry, "99999999999999999999": 0,
		"Fri, 20 Nov 2026 08:00:30 GMT": 30 * time.Second, "Fri, 20 Nov 2026 07:00:00 GMT": 0,
		"Sat, 21 Nov 2026 08:00:00 GMT": lastRetry,
	} {
		testkit.Is(t, retryAfter(header, epoch), want, header, "asks for")
	}
}
