package pages

import (
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/charge"
)

// maxField is the maximum number of characters of a buyer's value.
const maxField = 500

// detailsForm asks the buyer for the fields that the merchant requires.
type detailsForm struct {
	Action string
	Fields []field
	// Later is the link that postpones the form, or empty.
	Later string
}

// field is one input; Type and Autocomplete help phones and password managers.
type field struct {
	Name, Label, Type, Autocomplete string
	Max                             int
	// Value is the typed value.
	Value   string
	Problem problem
}

// problem is the error text for the input Name; none if Text is empty.
type problem struct{ Name, Text string }

// askDetails shows the form until the buyer's values were sent. Before the payment it is open.
// After the visitor postponed it or a payment was seen, it is behind a link, because an open
// form stops the page from reloading.
func (p *payPage) askDetails(at stage, v View, c choice) {
	if len(v.Fields) == 0 || v.Status != charge.Pending {
		return
	}
	later, open := c, c
	later.details, open.details = "later", "open"
	switch {
	case v.FieldsGiven:
		p.DetailsGiven = true
	case c.details == "open" || (at == stageWaiting && c.details != "later"):
		p.Details = &detailsForm{
			p.Keep("/api/charges/" + v.ID + "/buyer-info"), fieldsOf(p.T, v.Fields, nil), later.link(v.ID),
		}
	default:
		p.DetailsLink = open.link(v.ID)
	}
}

// fieldsOf returns the inputs for the names, with the typed values.
func fieldsOf(t kit.Translator, names []string, typed map[string]string) []field {
	kinds := map[string]field{
		"email":       {Type: "email", Autocomplete: "email"},
		"phone":       {Type: "tel", Autocomplete: "tel"},
		"name":        {Autocomplete: "name"},
		"first_name":  {Autocomplete: "given-name"},
		"last_name":   {Autocomplete: "family-name"},
		"address":     {Autocomplete: "street-address"},
		"city":        {Autocomplete: "address-level2"},
		"zip":         {Autocomplete: "postal-code"},
		"postal_code": {Autocomplete: "postal-code"},
		"country":     {Autocomplete: "country-name"},
		"company":     {Autocomplete: "organization"},
	}
	list := make([]field, len(names))
	for i, name := range names {
		f := kinds[name]
		f.Name, f.Label, f.Max, f.Value = name, fieldLabel(t, name), maxField, typed[name]
		if utf8.RuneCountInString(f.Value) > maxField {
			f.Problem = problem{name, t.Count("fields.too_long", maxField)}
		}
		if f.Type == "" {
			f.Type = "text"
		}
		if f.Autocomplete == "" {
			f.Autocomplete = "on"
		}
		list[i] = f
	}
	return list
}

// fieldLabel returns the text for a well-known field. For other fields it makes the name
// readable: shipping_note becomes "Shipping note".
func fieldLabel(t kit.Translator, name string) string {
	if text := t.Text("field." + name); text != "field."+name {
		return text
	}
	words := strings.TrimSpace(strings.ReplaceAll(name, "_", " "))
	if words == "" {
		return name
	}
	return strings.ToUpper(words[:1]) + words[1:]
}
