package desk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryRefusalHasItsText also checks that a pattern matches only the API's whole text.
func TestEveryRefusalHasItsText(t *testing.T) {
	t.Parallel()
	for _, r := range refusals {
		text := Catalogues()[0].Texts[r.Text]
		require.NotEmpty(t, text, r.Text)
		require.False(t, r.pattern.MatchString("not of the API"), r.Text)
		require.GreaterOrEqual(t, r.pattern.NumSubexp(), strings.Count(text, "{"), r.Text)
	}
}

// TestEveryErrorOfTheAPIIsInTheReadersLanguage reads the texts of errors in the code that answers the
// desk: of status 400 and of the others that a person can meet. Each needs an entry in refusals.json.
func TestEveryErrorOfTheAPIIsInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	texts := map[string]bool{}
	for _, folder := range []string{
		"../httpapi", "../operation", "../access", "../service", "../merchant/accounts", "../merchant/charges", "../merchant/funds", "../merchant/webhooks",
		"../../internal/account", "../../internal/charge", "../../internal/refund", "../../internal/chargestore", "../../internal/payout", "../../activities/payouts",
		"../../activities/swaps", "../../workflows",
	} {
		readErrors(t, folder, texts)
	}
	require.Greater(t, len(texts), 150)
	var missing []string
	for text := range texts {
		if id, _ := refusalOf(text); id == otherRefusal {
			missing = append(missing, text)
		}
	}
	require.Empty(t, missing, "errors without an entry in refusals.json")
}

// verbs are those of formats; a sample takes their place.
var verbs = regexp.MustCompile(`%[sdvq]`)

// readErrors adds the texts of errors in the Go files of a folder. A format gets samples for its verbs. A text
// that is only another error's is read where that one is made.
func readErrors(t *testing.T, folder string, texts map[string]bool) {
	t.Helper()
	files, err := filepath.Glob(folder + "/*.go")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		ast.Inspect(tree, func(n ast.Node) bool {
			if call, is := n.(*ast.CallExpr); is {
				if text, is := textOf(call); is && text != "%s" {
					texts[strings.TrimSpace(verbs.ReplaceAllString(text, "7"))] = true
				}
			}
			return true
		})
	}
}

// textOf returns the text of an error that a client sees, if the call makes one.
func textOf(call *ast.CallExpr) (string, bool) {
	name, at := "", 0
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
		if of, is := f.X.(*ast.Ident); is && of.Name == "refusals" && name == "New" && !ofOperators(call.Args[0]) {
			name, at = "refusal", 1
		}
	}
	if len(call.Args) <= at {
		return "", false
	}
	argument, rest := call.Args[at], ""
	for sum, is := argument.(*ast.BinaryExpr); is; sum, is = argument.(*ast.BinaryExpr) {
		argument, rest = sum.X, "7" // a text of the moment follows
	}
	literal, is := argument.(*ast.BasicLit)
	if !is || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return "", false
	}
	text += rest
	switch name {
	case "BadRequest", "Forbidden", "Unauthorized", "refusal":
		return text, true
	case "NotFound":
		return text + " not found", true
	default:
		return "", false
	}
}

// ofOperators reports whether a code is one of the refusals of what operators alone ask for.
func ofOperators(code ast.Expr) bool {
	selected, is := code.(*ast.SelectorExpr)
	return is && (selected.Sel.Name == "Release" || selected.Sel.Name == "TradePayment")
}
