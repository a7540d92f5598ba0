// Package testkit supports tests of all areas. Only tests import it. It imports
// nothing of ours, so that tests of metrics can.
package testkit
