package main

import (
	"os"
	"runtime/debug"
)

const (
	// memoryLimit is the memory of the process, in bytes, from which the garbage collector
	// runs more often. Hashing a password leaves megabytes of garbage. GOMEMLIMIT overrides
	// it.
	memoryLimit = 200 << 20
	// heapGrowth is the growth of an API's heap between two collections, in percent of the
	// memory in use. Little memory is in use, so within the limit, memory is cheaper than a
	// sixth of the processor time. GOGC overrides it.
	heapGrowth = 400
)

// useMemory makes an API's process use more memory to save processor time.
func useMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}
