package result_test

import (
	"bytes"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/doctor"
	"tokscope/metrics/testkit"
	"tokscope/probe/result"
)

// TestCheckUpDocument holds a document with every part against its schema.
func TestCheckUpDocument(t *testing.T) {
	s := metrics.Stream{State: metrics.Done, Marks: metrics.NewMarks(), Usage: metrics.NoUsage()}
	f := metrics.Measure(&s, metrics.Options{})
	now := time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC)
	r := &doctor.Report{Started: now, Plan: doctor.Plan{Requests: 2, Tokens: 216}, Checks: []doctor.Check{
		{Code: doctor.Lookup, Grade: doctor.OK, Name: "a.example", Addresses: []string{"192.0.2.1"}, Elapsed: 1500 * time.Microsecond},
		{Code: doctor.TLS, Grade: doctor.Bad, Fault: &metrics.Fault{Kind: metrics.FaultTLS, Message: "m", Next: "n"}, Now: now,
			Peer: &doctor.Peer{Version: "TLS 1.3", Names: []string{"a.example"}, Issuer: "i", NotAfter: now}},
		{Code: doctor.Stream, Grade: doctor.OK, Run: &metrics.Run{Stream: s, Figures: f}, Fronts: []metrics.Front{metrics.FrontNginx}},
		{Code: doctor.Buffers, Grade: doctor.Bad, Run: &metrics.Run{Stream: s, Figures: f}, Suspect: &metrics.Suspicion{Code: metrics.SuspectBuffered, Ratio: 25, Ms: 173,
			Buffering: metrics.Buffering{Kind: metrics.BufferSize, Bursts: 14, Bytes: 8192, BytesLow: 8108, BytesHigh: 8460, Ms: 173, MsLow: 172, MsHigh: 181}}},
	}}
	say := func(of any, _ time.Time) []string {
		if k, ok := of.(*doctor.Check); ok {
			return []string{"found " + string(k.Code), "do"}
		}
		return []string{"all"}
	}
	var b bytes.Buffer
	testkit.OK(t, result.Sentences(say).WriteDocument(&b, result.CheckUpOf(r, "v", say)))
	validate(t, "doctor-v1", b.Bytes())
	var d result.CheckUp
	testkit.OK(t, result.Unmarshal(b.Bytes(), &d))
	if d.Schema != result.DoctorSchema || d.Found != 2 || d.Conclusion != "all" || len(d.Checks) != 4 {
		t.Fatalf("%+v", d)
	}
	if c := d.Checks[0]; c.Text != "found name" || c.Elapsed != 1500*time.Microsecond || c.Addresses[0] != "192.0.2.1" || c.Next[0] != "do" {
		t.Errorf("%+v", c)
	}
	if c := d.Checks[1]; c.Peer == nil || !c.Peer.NotAfter.Equal(now) || c.Fault == nil || c.Fault.Kind != "tls" {
		t.Errorf("%+v", c)
	}
	if c := d.Checks[2]; c.Request == nil || c.Fronts[0] != metrics.FrontNginx {
		t.Errorf("%+v", c)
	}
	if c := d.Checks[3]; c.Request != nil || c.Buffer == nil || c.Buffer.Kind != "size" || c.Buffer.Bytes != 8192 || c.Buffer.Bursts != 14 {
		t.Errorf("%+v", c.Buffer)
	}
}
