package testkit

// failing is what a test and a property have.
type failing interface {
	Helper()
	Fatal(args ...any)
}

// OK ends the test with err, if there is one.
func OK(t failing, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// Must returns v, or ends the test with err: Must(f())(t).
func Must[T any](v T, err error) func(failing) T {
	return func(t failing) T {
		t.Helper()
		OK(t, err)
		return v
	}
}
