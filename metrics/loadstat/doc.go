// Package loadstat describes a load: its points, when one is steady, and the
// knee of its curve. It also finds the largest point that meets every
// objective, and how TTFT depends on prompt length. It is pure, like package
// metrics.
package loadstat
