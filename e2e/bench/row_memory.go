package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
)

const memoryBar = 200

// memory reads what the services hold with many open charges.
func (b *bench) memory(context.Context) error {
	env := b.testbed.Stack.Env()
	for _, part := range []struct{ name, key string }{
		{"merchant API", "PID_MERCHANT_API"}, {"worker", "PID_WORKER"},
	} {
		mib, err := resident(env[part.key])
		if err != nil {
			return err
		}
		b.table.add(row{
			measure: fmt.Sprintf("memory of the %s, %s open", part.name, thousands(b.sizes.open)),
			value:   fmt.Sprintf("%d MiB", mib), bar: fmt.Sprintf("≤ %d MiB", memoryBar), met: mib <= memoryBar,
		})
	}
	return nil
}

// resident is the memory of a process in MiB.
func resident(pid string) (int, error) {
	b, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return 0, fmt.Errorf("memory: %w", err)
	}
	for line := range strings.Lines(string(b)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmRSS:" {
			kib, err := strconv.Atoi(fields[1])
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("process %s has no VmRSS", pid)
}
