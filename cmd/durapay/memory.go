package main

import (
	"os"
	"runtime/debug"
)

const (
	// memoryLimit is the memory of the process, in bytes, from which the
	// collector works harder. Hashing a password leaves megabytes behind.
	// GOMEMLIMIT replaces it.
	memoryLimit = 200 << 20
	// heapGrowth is by how much an API's heap grows between two collections,
	// in percent of what is in use. Little is in use: within the limit, memory
	// is cheaper than a sixth of the processor's time. GOGC replaces it.
	heapGrowth = 400
)

// useMemory sets how an API's process trades memory for time.
func useMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}
