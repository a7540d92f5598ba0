package cli

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tokscope/metrics/loadstat"
)

// withoutShard are the flags whose steps end by themselves, or that concern the whole
// load.
var withoutShard = []string{"ramp", "depth", "requests", "until-slo-breaks", "resume", "handover", "session",
	"server-metrics"}

// shardFlags adds the flags of one of several machines.
func (o *Sweep) shardFlags(cmd *cobra.Command, l *sweepLists) {
	fs := cmd.Flags()
	fs.StringVar(&l.shard, "shard", "",
		"send one part of the load, I/N with I from 0; N alone takes I from JOB_COMPLETION_INDEX. See tokscope merge")
	fs.StringVar(&l.startAt, "start-at", "",
		"when all shards begin, such as 2026-11-29T14:05:00Z")
	exclude(cmd, "shard", withoutShard...)
	cmd.MarkFlagsRequiredTogether("shard", "start-at")
}

// indexVariable has the index of a pod in an Indexed Job of Kubernetes, from 0.
const indexVariable = "JOB_COMPLETION_INDEX"

// mostShards bounds the machines of a load.
const mostShards = 1024

// readShard parses --shard and --start-at. What is not certain is refused: two programs
// with one index would send a part twice.
func (o *Sweep) readShard(l *sweepLists, now time.Time, env func(string) string) (err error) {
	if l.shard == "" && l.startAt == "" && !o.Given("shard") {
		return nil
	}
	index, of, both := strings.Cut(l.shard, "/")
	if !both {
		index, of = env(indexVariable), index
	}
	i, bad := strconv.Atoi(index)
	n, worse := strconv.Atoi(of)
	if bad != nil || worse != nil || n < 1 || n > mostShards || i < 0 || i >= n {
		return Usage("--shard %q: give I/N, from 0/8 to 7/8 for eight machines; N alone needs "+indexVariable+", which is %q",
			l.shard, env(indexVariable))
	}
	if !o.JSON {
		return Usage("--shard %q: the shards are parts for tokscope merge, which reads their documents: add --json", l.shard)
	}
	o.ServerMetrics = "off" // its counts are those of all shards
	o.Shard = loadstat.Shard{Index: i, Of: n}
	if o.StartAt, err = time.Parse(time.RFC3339, l.startAt); err != nil {
		return Usage("--start-at %q: give one moment to all shards, such as %s; a wait or a time of the day is another one "+
			"on each machine", l.startAt, now.Add(time.Minute).UTC().Format(time.RFC3339))
	}
	return within("--start-at: the time until then", o.StartAt.Sub(now), -24*time.Hour, 24*time.Hour)
}

// checkShard refuses steps that cannot be divided.
func (o *Sweep) checkShard() error {
	if !o.Shard.Parted() {
		return nil
	}
	if least := slices.Min(append(o.Users, loadstat.MaxUsers*o.Shard.Of)); least < o.Shard.Of {
		return Usage("--users: a step has %d users, fewer than %d shards: give each step at least one user a shard",
			least, o.Shard.Of)
	}
	if o.Duration%time.Second != 0 || o.Duration < 3*time.Second {
		return Usage("--duration %v: with --shard it is whole seconds, 3s at least", o.Duration)
	}
	return nil
}
