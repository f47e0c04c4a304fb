package opdesk

import (
	"encoding/json"
	"time"
)

// number is a number of the API, digit for digit; empty for null.
type number = json.Number

// moment shows a time of the API to the second, or a dash if it is missing.
func moment(at *string) string {
	if at == nil {
		return "–"
	}
	t, err := time.Parse(time.RFC3339, *at)
	if err != nil {
		return *at
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// orDash shows a text, or a dash if it is missing.
func orDash(text *string) string {
	if text == nil || *text == "" {
		return "–"
	}
	return *text
}

// xmr shows an amount in XMR.
func xmr(n number) string { return n.String() + " XMR" }

// orConfigured shows a merchant's own value, if there is one.
func orConfigured(n *number) string {
	if n == nil {
		return "as configured"
	}
	return n.String()
}

// plain returns a cell with a text; code returns one with an identifier.
func plain(text string) cell { return cell{Text: text} }

func code(text string) cell { return cell{Text: text, Code: text != "–"} }

// merchantCell returns a cell with a link to the merchant's page.
func merchantCell(id *string) cell {
	if id == nil {
		return plain("–")
	}
	return cell{Text: *id, Code: true, Links: []link{{Href: Root + "/merchants/" + *id, Text: "Merchant"}}}
}

// resolveForm returns a form that records what the operator did about a row of a list.
func resolveForm(list string, id number, button string) *form {
	return noteForm(Root+"/"+list+"/"+id.String()+"/resolve", id.String(), button)
}

// noteForm returns a form with one field, for a note about the row with an identifier.
func noteForm(action, id, button string) *form {
	return &form{
		Action: action, Button: button,
		Fields: []field{{
			ID: "note-" + id, Name: "note", Label: "What was done", Type: "text", Autocomplete: "off", Max: 500, Required: true,
		}},
	}
}
