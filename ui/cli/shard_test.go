package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/metrics/testkit"
)

// --shard takes what is certain alone: two programs with one index would send a part twice.
func TestShardFlags(t *testing.T) {
	for _, x := range []struct {
		args, index, refused string
		shard                loadstat.Shard
	}{
		{"--shard 3/8 --start-at NOW --users 8,64 --json", "", "", loadstat.Shard{Index: 3, Of: 8}},
		{"--shard 8 --start-at NOW --rate 4 --csv", "0", "add --json", loadstat.Shard{}},
		{"--shard 8 --start-at NOW --rate 4 --json", "5", "", loadstat.Shard{Index: 5, Of: 8}},
		{"--shard 3/8 --start-at NOW --rate 4 --json", "5", "", loadstat.Shard{Index: 3, Of: 8}},
		{"--shard 8 --start-at NOW --rate 4 --json", "", "JOB_COMPLETION_INDEX, which is \"\"", loadstat.Shard{}},
		{"--shard 8 --start-at NOW --rate 4 --json", "x", `JOB_COMPLETION_INDEX, which is "x"`, loadstat.Shard{}},
		{"--shard $(JOB_COMPLETION_INDEX)/8 --start-at NOW --json", "", "give I/N", loadstat.Shard{}},
		{`--shard "" --start-at NOW --json`, "", "give I/N", loadstat.Shard{}},
		{"--shard 8/8 --start-at NOW --json", "", "from 0/8 to 7/8", loadstat.Shard{}},
		{"--shard -1/8 --start-at NOW --json", "", "give I/N", loadstat.Shard{}},
		{"--shard 1/2000 --start-at NOW --json --rate 5", "", "give I/N", loadstat.Shard{}},
		{"--shard 0/8 --start-at NOW --users 7,64 --json", "", "7 users, fewer than 8 shards", loadstat.Shard{}},
		{"--shard 0/8 --start-at NOW --users 8 --duration 2500ms --json", "", "whole seconds", loadstat.Shard{}},
		{"--shard 0/8 --start-at +30s --users 8 --json", "", "another one on each machine", loadstat.Shard{}},
		{"--shard 0/8 --start-at soon --users 8 --json", "", "give one moment to all shards", loadstat.Shard{}},
		{"--shard 0/8 --start-at 1999-01-01T00:00:00Z --users 8 --json", "", "the time until then", loadstat.Shard{}},
		{"--shard 0/8 --users 8 --json", "", "start-at", loadstat.Shard{}},
		{"--start-at NOW --users 8 --json", "", "shard", loadstat.Shard{}},
		{"--shard 0/8 --start-at NOW --users 8 --json --until-slo-breaks", "", "until-slo-breaks", loadstat.Shard{}},
	} {
		t.Setenv(indexVariable, x.index)
		now := time.Now().Add(time.Minute).Truncate(time.Second)
		var got Sweep
		args := strings.Split(strings.ReplaceAll(x.args, "NOW", now.UTC().Format(time.RFC3339)), " ")
		args = pick.Each(args, func(a *string) string { return strings.Trim(*a, `"`) })
		err := execute(t, Actions{Sweep: func(_ context.Context, o *Sweep) error { got = *o; return nil }},
			append([]string{"sweep"}, args...)...)
		if x.refused != "" {
			testkit.Refuses(t, err, x.refused)
			continue
		}
		testkit.OK(t, err, x.args)
		testkit.That(t, got.Shard == x.shard && got.StartAt.Equal(now) && got.ServerMetrics == "off", "%s: %+v at %v", x.args,
			got.Shard, got.StartAt)
	}
}
