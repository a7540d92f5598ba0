#!/bin/sh
# Builds the collector beside it from its Go modules. 0.162.0 is the newest version
# whose modules the proxy had complete when this was tried.
set -eu
V=${1:-v0.162.0}
export GOFLAGS=-mod=mod
rm -f go.mod go.sum
go mod init otelcol
go get "go.opentelemetry.io/collector/otelcol@$V"
P=$(go list -m -f '{{.Version}}' go.opentelemetry.io/collector/confmap)
C=go.opentelemetry.io/collector
X=github.com/open-telemetry/opentelemetry-collector-contrib
go get "$X/exporter/fileexporter@$V" "$X/processor/deltatocumulativeprocessor@$V" "$C/receiver/otlpreceiver@$V" \
  "$C/exporter/debugexporter@$V" "$C/exporter/otlphttpexporter@$V" "$C/processor/batchprocessor@$V" \
  "$C/processor/memorylimiterprocessor@$V" "$C/confmap/provider/envprovider@$P" \
  "$C/confmap/provider/fileprovider@$P" "$C/confmap/provider/yamlprovider@$P"
go build -o otelcol .
