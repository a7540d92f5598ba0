package slo

import (
	"fmt"
	"math"
	"reflect"

	"tokscope/metrics"
)

// wellFormed walks v and fails on NaN and infinities, and on an unknown Value
// without a reason.
func wellFormed(t interface{ Fatalf(string, ...any) }, path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Float64, reflect.Float32:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			t.Fatalf("%s = %v", path, f)
		}
	case reflect.Struct:
		if value, ok := v.Interface().(metrics.Value); ok && !value.OK && value.Why == 0 {
			t.Fatalf("%s is unknown without a reason", path)
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				wellFormed(t, path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			wellFormed(t, fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			wellFormed(t, path, v.Elem())
		}
	}
}
