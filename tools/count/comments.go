package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"strings"
)

// construction is a phrase that needs a second reading. The comment above each one in the
// table shows the plain English.
type construction struct {
	name    string
	pattern *regexp.Regexp
}

// constructions are searched for in comments. A space also matches the end of a line.
var constructions = []construction{ //nolint:gochecknoglobals // a constant table
	// The noun: rows that do not fit.
	{"a sentence that begins with what, whoever, one that", begins(`what|whoever|whatever|whichever|one that|those that|those who`)}, //nolint:dupword // a pattern
	{"what is, as a noun", inside(`what (is|are|was|were|has|have|had|does|did|can|may|must|will|would)( not)?`)},
	{"whoever, inside a sentence", inside(`whoever|whomever|whichever`)},
	// The role: customer, merchant, operator, another worker.
	{"nobody, somebody, others as actors", inside(`nobody|somebody|anybody|everybody|others'?`)},
	// Notifies, receives, signals, requests.
	{"is told, tells of", inside(`(is|are|was|were|be|been|being|gets?|never|not) told|tells?( \w+)? of|told( \w+)? of`)},
	{"hears, is heard", inside(`hears?|hearing|heard`)},
	{"news", inside(`news`)},
	{"wish", inside(`wish(es|ed)?`)},
	{"lives by, is lived", inside(`(live|lives|lived|living) (by|with|through)|(is|was|were) lived`)},
	// Earlier, later, again.
	{"of before, of after", inside(`(of|from|than) (before|after|until now)`)},
	{"anew", inside(`anew`)},
	{"goes on, gone on with", inside(`(go|goes|going|gone|went) on`)},
	// Next to, in addition to, while.
	{"beside", inside(`beside`)},
	// Reports whether.
	{"says that, of a boolean", inside(`(says|say|tells|tell) (that|whether|if)`)},
	// The next run repeats.
	{"is made again", inside(`(is|are|was|were|be|been) (made|asked|tried|begun|sent|started|looked|read|taken|done) (again|once more)`)},
}

// begins matches words at the beginning of a sentence.
func begins(words string) *regexp.Regexp {
	return compile(`(?:\A|[.:;!?]\s+)\b(` + words + `)\b`)
}

// inside matches words anywhere.
func inside(words string) *regexp.Regexp { return compile(`\b(` + words + `)\b`) }

func compile(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + strings.ReplaceAll(pattern, " ", `\s+`))
}

// comment adds a comment: its lines, and those on which a construction begins.
// Directives of the compiler and the linter are no comments.
func (w *weight) comment(set *token.FileSet, group *ast.CommentGroup) {
	var lines []string
	var places []token.Position
	for _, c := range group.List {
		if strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "//nolint") {
			continue
		}
		at := set.Position(c.Pos())
		for line := range strings.SplitSeq(strings.Trim(c.Text, "/*"), "\n") {
			lines, places = append(lines, strings.TrimSpace(line)), append(places, at)
			at.Line++
		}
	}
	text, marked := strings.Join(lines, "\n"), map[int]bool{}
	for i, c := range constructions {
		for _, found := range c.pattern.FindAllStringSubmatchIndex(text, -1) {
			w.kinds[i]++
			marked[strings.Count(text[:found[2]], "\n")] = true
		}
	}
	for i, line := range lines {
		if line != "" {
			w.comments++
		}
		if marked[i] {
			w.unclear = append(w.unclear, fmt.Sprintf("%s:%d: %s", places[i].Filename, places[i].Line, line))
		}
	}
}
