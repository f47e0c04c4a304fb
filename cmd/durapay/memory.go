package main

import (
	"os"
	"runtime/debug"
)

const (
	// memoryLimit is when the collector begins to work harder, in bytes: hashing
	// passwords leaves megabytes behind each time. GOMEMLIMIT replaces it.
	memoryLimit = 200 << 20
	// heapGrowth is by how much an API's heap grows between two collections, in
	// percent of what is in use, which is little: within the limit, memory is
	// cheaper than a sixth of the processor's time. GOGC replaces it.
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
