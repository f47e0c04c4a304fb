package httpapi

import (
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// attention is the name of the parameter that filters a list to the items that the overview
// counts.
const attention = "attention"

// FailuresFor is how long a failed delivery needs attention.
const FailuresFor = 7 * 24 * time.Hour

// AttentionParam describes the parameter attention for a list with items of these kinds.
func AttentionParam(description string, kinds ...string) *huma.Param {
	enum := make([]any, len(kinds))
	for i, kind := range kinds {
		enum[i] = kind
	}
	return &huma.Param{Name: attention, In: "query", Description: description, Schema: &huma.Schema{Type: huma.TypeString, Enum: enum}}
}

// Attention returns the value of the parameter attention, one of these kinds; empty if it is not
// given.
func (q *Query) Attention(kinds ...string) (string, error) {
	kind, given, err := q.Single(attention)
	if err == nil && given && !slices.Contains(kinds, kind) {
		err = BadRequest("%s must be one of: %s", attention, strings.Join(kinds, ", "))
	}
	return kind, err
}
