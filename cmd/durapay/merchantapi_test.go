package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDeskLinksToAnAddressAlone(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		"http://127.0.0.1:9090/temporal": "http://127.0.0.1:9090/temporal", "https://ui.example/": "https://ui.example", "none": "", "": "", "javascript:alert(1)": "",
	} {
		require.Equal(t, want, temporalUI(setting))
	}
}
