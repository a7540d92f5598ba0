package app

import (
	"tokscope/metrics"
	"tokscope/probe/session"
)

// StampsEnv names the file for the stamps of every chunk, written at the end
// of the program. It is not a setting: docs/benchmark.md describes its use.
const StampsEnv = "TOKSCOPE_STAMPS_FILE"

// stampDump returns the dump that the environment requests, nil without one.
func stampDump(env func(string) string) (*session.StampDump, error) {
	path := env(StampsEnv)
	if path == "" {
		return nil, nil
	}
	d, err := session.NewStampDump(path)
	if err != nil {
		return nil, &metrics.Fault{Kind: metrics.FaultConfig, Message: err.Error(), Next: "check " + StampsEnv}
	}
	return d, nil
}
