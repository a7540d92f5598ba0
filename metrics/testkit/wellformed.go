package testkit

import (
	"fmt"
	"math"
	"reflect"
)

// WellFormed walks the exported fields of v and fails on NaN and infinities, and on
// a metrics.Value that is unknown without a reason. path names v in the message.
func WellFormed(t interface{ Fatalf(string, ...any) }, path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Float64, reflect.Float32:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			t.Fatalf("%s = %v", path, f)
		}
	case reflect.Struct:
		if v.Type().Name() == "Value" && !v.FieldByName("OK").Bool() && v.FieldByName("Why").IsZero() {
			t.Fatalf("%s is unknown without a reason", path)
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				WellFormed(t, path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			WellFormed(t, fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			WellFormed(t, path, v.Elem())
		}
	}
}
