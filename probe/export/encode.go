package export

import (
	"encoding/binary"
	"math"
	"strconv"
)

// MarshalJSON puts the number in quotes.
func (n jsonUint64) MarshalJSON() ([]byte, error) {
	return strconv.AppendQuote(nil, strconv.FormatUint(uint64(n), 10)), nil
}

// parse returns a number that attributes wrote.
func parse(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

// binaryMessage is a message of protobuf in the making. The numbers of fields are those
// of the definitions named at exportRequest. Empty scalars are left out, as
// proto3 has it.
type binaryMessage []byte

// Wire types.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
)

func (p *binaryMessage) tag(field, wire int) { *p = binary.AppendUvarint(*p, uint64(field<<3|wire)) }

func (p *binaryMessage) bytes(field int, b []byte) {
	p.tag(field, wireBytes)
	*p = append(binary.AppendUvarint(*p, uint64(len(b))), b...)
}

func (p *binaryMessage) text(field int, s string) {
	if s != "" {
		p.bytes(field, []byte(s))
	}
}

func (p *binaryMessage) varint(field int, v uint64) {
	p.tag(field, wireVarint)
	*p = binary.AppendUvarint(*p, v)
}

func (p *binaryMessage) fixed(field int, v uint64) {
	p.tag(field, wireFixed64)
	*p = binary.LittleEndian.AppendUint64(*p, v)
}

func (p *binaryMessage) double(field int, v float64) { p.fixed(field, math.Float64bits(v)) }

// message writes a message within p.
func (p *binaryMessage) message(field int, f func(*binaryMessage)) {
	var inner binaryMessage
	f(&inner)
	p.bytes(field, inner)
}

// marshal returns r in binary.
func (r *exportRequest) marshal() []byte {
	var p binaryMessage
	for _, rm := range r.ResourceMetrics {
		p.message(1, func(p *binaryMessage) {
			p.message(1, func(p *binaryMessage) { p.attributes(1, rm.Resource.Attributes) })
			for _, sm := range rm.ScopeMetrics {
				p.message(2, func(p *binaryMessage) {
					p.message(1, func(p *binaryMessage) {
						p.text(1, sm.Scope.Name)
						p.text(2, sm.Scope.Version)
					})
					for i := range sm.Metrics {
						p.message(2, sm.Metrics[i].marshal)
					}
				})
			}
		})
	}
	return p
}

func (p *binaryMessage) attributes(field int, all []keyValue) {
	for _, kv := range all {
		p.message(field, func(p *binaryMessage) {
			p.text(1, kv.Key)
			p.message(2, func(p *binaryMessage) {
				if kv.Value.String != nil {
					p.bytes(1, []byte(*kv.Value.String))
				} else if kv.Value.Int != nil {
					p.varint(3, uint64(*kv.Value.Int))
				}
			})
		})
	}
}

func (m *metric) marshal(p *binaryMessage) {
	p.text(1, m.Name)
	p.text(2, m.Description)
	p.text(3, m.Unit)
	switch {
	case m.Gauge != nil:
		p.message(5, func(p *binaryMessage) { p.numbers(m.Gauge.DataPoints) })
	case m.Sum != nil:
		p.message(7, func(p *binaryMessage) {
			p.numbers(m.Sum.DataPoints)
			p.varint(2, uint64(m.Sum.Temporality))
			p.varint(3, 1) // monotonic
		})
	case m.Histogram != nil:
		p.message(9, func(p *binaryMessage) {
			for i := range m.Histogram.DataPoints {
				p.message(1, m.Histogram.DataPoints[i].marshal)
			}
			p.varint(2, uint64(m.Histogram.Temporality))
		})
	case m.ExponentialHistogram != nil:
		p.message(10, func(p *binaryMessage) {
			for i := range m.ExponentialHistogram.DataPoints {
				p.message(1, m.ExponentialHistogram.DataPoints[i].marshal)
			}
			p.varint(2, uint64(m.ExponentialHistogram.Temporality))
		})
	}
}

// numbers writes the points of a gauge or a sum.
func (p *binaryMessage) numbers(points []numberPoint) {
	for _, n := range points {
		p.message(1, func(p *binaryMessage) {
			if n.Start != 0 {
				p.fixed(2, n.Start)
			}
			p.fixed(3, n.Time)
			if n.Double != nil {
				p.double(4, *n.Double)
			}
			if n.Int != nil {
				p.fixed(6, uint64(*n.Int))
			}
			p.attributes(7, n.Attributes)
		})
	}
}

func (h *histogramPoint) marshal(p *binaryMessage) {
	p.fixed(2, h.Start)
	p.fixed(3, h.Time)
	p.fixed(4, h.Count)
	p.double(5, h.Sum)
	p.message(6, func(p *binaryMessage) {
		for _, n := range h.Counts {
			*p = binary.LittleEndian.AppendUint64(*p, uint64(n))
		}
	})
	p.message(7, func(p *binaryMessage) {
		for _, b := range h.Bounds {
			*p = binary.LittleEndian.AppendUint64(*p, math.Float64bits(b))
		}
	})
	p.exemplars(8, h.Exemplars)
	p.attributes(9, h.Attributes)
	p.double(11, h.Min)
	p.double(12, h.Max)
}

func (h *exponentialPoint) marshal(p *binaryMessage) {
	p.attributes(1, h.Attributes)
	p.fixed(2, h.Start)
	p.fixed(3, h.Time)
	p.fixed(4, h.Count)
	p.double(5, h.Sum)
	p.varint(6, zigzag(h.Scale))
	p.fixed(7, h.ZeroCount)
	p.message(8, func(p *binaryMessage) {
		p.varint(1, zigzag(h.Positive.Offset))
		p.message(2, func(p *binaryMessage) {
			for _, n := range h.Positive.Counts {
				*p = binary.AppendUvarint(*p, uint64(n))
			}
		})
	})
	p.exemplars(11, h.Exemplars)
	p.double(12, h.Min)
	p.double(13, h.Max)
}

func (p *binaryMessage) exemplars(field int, all []otlpSample) {
	for _, x := range all {
		p.message(field, func(p *binaryMessage) {
			p.fixed(2, x.Time)
			p.double(3, x.Value)
			p.attributes(7, x.Filtered)
		})
	}
}

// zigzag is the form of sint32 and sint64.
func zigzag(v int) uint64 { return uint64(int64(v)<<1 ^ int64(v)>>63) }

// rejection is what a collector says of a request that it took in part.
type rejection struct {
	points  int64
	message string
}

// readRejection reads the partial success of a binary answer. ok is false for
// bytes that are no such message.
func readRejection(b []byte) (r rejection, ok bool) {
	ok = fields(b, func(field, wire int, v uint64, inner []byte) bool {
		if field != 1 || wire != wireBytes {
			return true
		}
		return fields(inner, func(field, wire int, v uint64, inner []byte) bool {
			switch {
			case field == 1 && wire == wireVarint:
				r.points = int64(v)
			case field == 2 && wire == wireBytes:
				r.message = string(inner)
			}
			return true
		})
	})
	return r, ok
}

// fields calls f for every field of a message, and reports whether it is one.
func fields(b []byte, f func(field, wire int, v uint64, inner []byte) bool) bool {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29 {
			return false
		}
		b = b[n:]
		var v uint64
		var inner []byte
		switch tag & 7 {
		case wireVarint:
			if v, n = binary.Uvarint(b); n <= 0 {
				return false
			}
			b = b[n:]
		case wireFixed64:
			if len(b) < 8 {
				return false
			}
			v, b = binary.LittleEndian.Uint64(b), b[8:]
		case wireBytes:
			size, n := binary.Uvarint(b)
			if n <= 0 || size > uint64(len(b)-n) {
				return false
			}
			inner, b = b[n:n+int(size)], b[n+int(size):]
		default:
			return false
		}
		if !f(int(tag>>3), int(tag&7), v, inner) {
			return false
		}
	}
	return true
}
