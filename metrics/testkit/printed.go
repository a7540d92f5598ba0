package testkit

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
)

// Printed returns v printed in every way of the standard library.
func Printed(v any) string {
	var b bytes.Buffer
	for _, verb := range "vTtbcdoOqxXUeEfFgGsp" {
		for _, flag := range []string{"", "+", "#", "-", " ", "0", "40", ".3", "+#"} {
			fmt.Fprintf(&b, "%"+flag+string(verb)+"\n", v)
		}
	}
	fmt.Fprintln(&b, v, []any{v}, map[string]any{"k": v}, errors.New(fmt.Sprint(v)))
	j, err := json.Marshal(v)
	fmt.Fprintln(&b, string(j), err)
	x, err := xml.Marshal(v)
	fmt.Fprintln(&b, string(x), err)
	for _, h := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		slog.New(h).Info("m", "v", v, "in", []any{v}, "map", map[string]any{"k": v})
	}
	return b.String()
}
