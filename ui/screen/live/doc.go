// Package live draws the Live screen: one stream under the microscope.
package live
