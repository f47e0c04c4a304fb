package docs_test

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bound matches how long a test waits before it fails: a number of minutes or seconds.
var bound = regexp.MustCompile(`(?:Eventually\(.*, |WithTimeout\(.*, |time\.After\(|(?:patience|maxWait)\s+= )(?:(\d+) ?\* ?)?time\.(Minute|Second)\b(?:, |\)|$)`)

// TestBoundsAreLong finds tests that wait less than eight minutes for what must happen. A
// machine with other work takes longer now and then. A second is no bound but a part of one:
// an attempt that is repeated, or a time in which something must not happen.
func TestBoundsAreLong(t *testing.T) {
	t.Parallel()
	found := 0
	for _, name := range packages(t) {
		files, err := filepath.Glob(filepath.Join("..", name, "*_test.go"))
		require.NoError(t, err)
		for _, file := range files {
			for number, line := range strings.Split(read(t, file), "\n") {
				match := bound.FindStringSubmatch(line)
				if match == nil {
					continue
				}
				found++
				count := 1
				if match[1] != "" {
					count, err = strconv.Atoi(match[1])
					require.NoError(t, err)
				}
				if match[2] == "Minute" && count < 8 || match[2] == "Second" && count > 1 {
					t.Errorf("%s:%d waits for too short a time on a busy machine: %s", file, number+1, strings.TrimSpace(line))
				}
			}
		}
	}
	require.Greater(t, found, 20)
}
