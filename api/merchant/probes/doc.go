// Package probes answers whether the service is up, and whether it can work.
package probes
