package deploy_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/caarlos0/env/v11"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

// docs/operations.md has a row for each setting, in the order of the code, with
// its default.
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

// The README names targets that the Makefile has.
func TestMakeTargetsExist(t *testing.T) {
	t.Parallel()
	makefile := read(t, "../Makefile")
	for _, file := range []string{"../README.md", "../docs/operations.md"} {
		for _, target := range regexp.MustCompile("`make ([a-z]+)").FindAllStringSubmatch(read(t, file), -1) {
			require.Regexp(t, `(?m)^`+target[1]+`:`, makefile, file)
		}
	}
}
