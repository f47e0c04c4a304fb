package pages

import (
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/charge"
)

// maxField is the number of characters that a buyer's value may have.
const maxField = 500

// detailsForm asks the buyer for the fields that the merchant wants.
type detailsForm struct {
	Action string
	Fields []field
	// Later is the link that puts the form off, or empty.
	Later string
}

// field is one input; Type and Autocomplete help phones and password managers.
type field struct {
	Name, Label, Type, Autocomplete string
	Max                             int
	// Value is what the visitor has typed.
	Value   string
	Problem problem
}

// problem says what is wrong with the input of a name; nothing if Text is
// empty.
type problem struct{ Name, Text string }

// askDetails shows the form while the charge takes values and none were sent:
// open before the payment, behind a link once the visitor put it off or money
// was seen, since an open form keeps the page from reloading.
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

// fieldsOf are the inputs for the names, with what was typed into them before.
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

// fieldLabel is the text for a well-known field, else its name made readable:
// shipping_note becomes "Shipping note".
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
