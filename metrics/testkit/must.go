package testkit

// T is what tests, benchmarks and properties have.
type T interface {
	Helper()
	Fatal(args ...any)
}

// OK ends the test with err, if there is one.
func OK(t T, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// Must returns v, or ends the test with err: Must(f())(t).
func Must[V any](v V, err error) func(T) V {
	return func(t T) V {
		t.Helper()
		OK(t, err)
		return v
	}
}
