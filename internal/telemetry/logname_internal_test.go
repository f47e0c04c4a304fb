package telemetry

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A line that is left alone is one in which there is nothing to name.
func FuzzLineThatIsLeftAlone(f *testing.F) {
	const trade = "0123456789abcdef0123456789abcdef"
	for _, line := range []string{
		`{"msg":"request","request_id":"432ee557d10ca70e281a240c"}`, `{"trace_id":"` + trade + `"}`, `{"x_id":"` + trade + `"}`,
		`{"x":"\"trace_id":"` + trade + `"}`, `{"merchant_id":"` + trade + `x"}`, `{"error":"ch_432ee557d10ca70e281a240c"}`,
		`%5f` + trade[:24], `ch%5f` + trade[:24], `\\u` + trade, `"request_id":"ch_` + trade[:24] + `"`, `"trace_id":"` + strings.ToUpper(trade) + `"`,
		`\"merchantId":"` + trade + `"`, trade + trade, `"trace_id":"` + trade + `"merchant_id":"` + trade + `"`, `"request_id":"` + trade + `"`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		require.Equal(t, string(namedAll(line)), string(nameIn(line)))
	})
}
