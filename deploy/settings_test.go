package deploy_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/caarlos0/env/v11"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

// TestSettingsAreDocumented checks that docs/operations.md has a row for each setting, in the
// order of the code, with its default.
func TestSettingsAreDocumented(t *testing.T) {
	t.Parallel()
	fields, err := env.GetFieldParams(&config.Config{})
	require.NoError(t, err)
	var want []string
	for _, f := range fields {
		standard := "none"
		switch {
		case f.Required:
			standard = "required"
		case f.HasDefaultValue && f.DefaultValue != "":
			standard = "`" + f.DefaultValue + "`"
		}
		want = append(want, fmt.Sprintf("| `%s` | %s |", f.Key, standard))
	}
	text := read(t, "../docs/operations.md")
	got := regexp.MustCompile("(?m)^\\| `[A-Z0-9_]+` \\| (?:none|required|`[^`]+`) \\|").FindAllString(text, -1)
	require.Equal(t, want, got)
}

// TestMakeTargetsExist checks that the Makefile has the targets that the documents name.
func TestMakeTargetsExist(t *testing.T) {
	t.Parallel()
	makefile := read(t, "../Makefile")
	for _, file := range []string{"../README.md", "../docs/operations.md"} {
		for _, target := range regexp.MustCompile("`make ([a-z-]+)").FindAllStringSubmatch(read(t, file), -1) {
			require.Regexp(t, `(?m)^`+target[1]+`:`, makefile, file)
		}
	}
}

// TestKnownHolesAreLookedFor checks that the check of dependencies is part of make check,
// fails with a known vulnerability, and reports clearly if the list is not available.
func TestKnownHolesAreLookedFor(t *testing.T) {
	t.Parallel()
	require.Regexp(t, `(?m)^check:.* check-holes `, read(t, "../Makefile"))
	dir := t.TempDir()
	tool := dir + "/govulncheck"
	for said, want := range map[string]string{
		"exit 0":                               "No known hole",
		"echo 'your code is affected'; exit 3": "renew them",
		"echo 'fetching vulnerabilities: Get https://x: dial tcp: no such host'; exit 1": "NOT checked",
		"echo 'syntax error'; exit 1": "syntax error",
	} {
		require.NoError(t, os.WriteFile(tool, []byte("#!/bin/sh\n"+said+"\n"), 0o700))
		out, err := script(t.Context(), "../tools/vuln/check.sh", nil, tool).CombinedOutput()
		require.Contains(t, string(out), want)
		require.Equal(t, want == "No known hole" || want == "NOT checked", err == nil, said)
	}
}
