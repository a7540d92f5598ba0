package loadgen

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/config"
	"tokscope/probe/endpoint"
)

// priced returns a target with a price in the configuration.
func priced(t *testing.T) endpoint.Target {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	const text = "[profile.paid]\nurl = \"https://api.example.com/v1\"\nmodel = \"m\"\nauth = \"none\"\nprice_in = " +
		"1\nprice_out = 10\ncurrency = \"EUR\"\n"
	testkit.OK(t, os.WriteFile(path, []byte(text), 0o600))
	c := testkit.Must(config.Load(path))(t)
	target := testkit.Must((&endpoint.Resolver{Profiles: c.Profiles,
		Env: func(string) string { return "" }}).Resolve("paid"))(t)
	return target
}

// The price of the configuration is in the question of a load and of a sweep,
// and in the budget of a running load; flags win over it.
func TestPriceOfTheConfiguration(t *testing.T) {
	target := priced(t)
	if p := target.Price(); p != (metrics.Price{In: 1, Out: 10, Currency: "EUR"}) ||
		p.Or(0, 3) != (metrics.Price{In: 1, Out: 3, Currency: "EUR"}) ||
		p.Or(2, 0) != (metrics.Price{In: 2, Out: 10, Currency: "EUR"}) {
		t.Errorf("%+v", p)
	}
	c := Config{Target: target, Work: metrics.Workload{InputTokens: 1000, MaxTokens: 170}, Seed: 3}
	// 64 users for a minute, an answer takes 0.3 + 1.7 s: 1920 requests of 1000 + 170 tokens.
	if q, needed := NeedsConsent(target, Estimate(c, Step{Users: 64}, nil)); !needed || q.Forecast.For != 0 ||
		math.Round(q.Forecast.Tokens()) != 1920*1170 || math.Round(100*q.Forecast.Cost.V) != 518 ||
		q.Forecast.Currency != "EUR" {
		t.Errorf("asks %+v", q)
	}
	steps := stepsOf(loadstat.SweepPlan{Duration: 20 * time.Second, Users: []int{1, 8}}) // 90 requests
	if q, needed := NeedsConsent(target, EstimateSteps(c, steps)); !needed || math.Round(1000*q.Forecast.Cost.V) != 243 ||
		q.Forecast.Currency != "EUR" {
		t.Errorf("a sweep asks %+v", q)
	}
	c.Price = metrics.Price{In: 100, Currency: "USD"}
	if q, _ := NeedsConsent(target, EstimateSteps(c, steps)); math.Round(100*q.Forecast.Cost.V) != 900 ||
		q.Forecast.Currency != "USD" {
		t.Errorf("with a price of its own a sweep asks %+v", q)
	}
	c.Price = metrics.Price{}
	synctest.Test(t, func(t *testing.T) {
		f := newFake(100*time.Millisecond, 10*time.Millisecond)
		f.prompt = true
		l := start(context.Background(), c, f.deps())
		time.Sleep(19 * time.Second)
		l.Drain()
		l.Wait()
		b := l.View().Budget
		if want := float64(l.View().Done) * (1000*1 + 170*10) / 1e6; l.View().Done != 11 || !b.Cost.OK ||
			b.Cost.V < want*0.9999 || b.Cost.V > want*1.0001 || b.Currency != "EUR" {
			t.Errorf("%d requests cost %+v %s, want %v", l.View().Done, b.Cost, b.Currency, want)
		}
	})
}

// The countdown to the cap predicts the load's end within a fifth.
func TestCountdownToTheCap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(100*time.Millisecond, 10*time.Millisecond)
		f.prompt = true
		began := time.Now()
		l := start(context.Background(), Config{Work: metrics.Workload{InputTokens: 100, MaxTokens: 50},
			Shape: Shape{Drive: loadstat.Drive{Users: 8}}, Seed: 3, MaxTokens: 60_000}, f.deps())
		time.Sleep(10 * time.Second)
		countdown := l.View().Budget
		at := time.Now()
		l.Wait()
		if left := time.Since(at); countdown.MaxTokens != 60_000 || countdown.Left < left*4/5 || countdown.Left > left*6/5 {
			t.Errorf("after %v the countdown said %v, it took %v", at.Sub(began), countdown.Left, left)
		}
	})
}
