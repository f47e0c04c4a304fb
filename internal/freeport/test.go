package freeport

import "sync"

// Test is what a test gives of itself (testing.TB does).
type Test interface {
	Helper()
	Fatal(args ...any)
}

// own holds the blocks of this process, the current one last. They are released only
// when the process ends, because a server that uses a port may restart at any time.
var own struct { //nolint:gochecknoglobals // ports are the machine's
	sync.Mutex

	blocks []*Block
}

// For is a port for a test, of which nothing else on the machine gets hold
// while the test's process runs.
func For(t Test) int {
	t.Helper()
	port, err := forProcess()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func forProcess() (int, error) {
	own.Lock()
	defer own.Unlock()
	if n := len(own.blocks); n > 0 {
		if port, err := own.blocks[n-1].Port(); err == nil {
			return port, nil
		}
	}
	block, err := Reserve()
	if err != nil {
		return 0, err
	}
	own.blocks = append(own.blocks, block)
	return block.Port()
}
