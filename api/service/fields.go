package service

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/charge"
)

// FieldNames are names of buyer fields, sent as a list or as one text with commas.
type FieldNames []string

// UnmarshalJSON reads either form.
func (f *FieldNames) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*f = charge.SplitFields(text)
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(f))
}

// Schema describes both forms.
func (FieldNames) Schema(huma.Registry) *huma.Schema {
	most := charge.MaxFields
	return &huma.Schema{
		Description: "Buyer fields that the page asks for: at most 10 names of at most 50 characters out of a-z, 0-9 and _; " +
			"a list, or one text with commas",
		OneOf: []*huma.Schema{
			{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}, MaxItems: &most},
			{Type: huma.TypeString},
		},
	}
}
