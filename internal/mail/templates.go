package mail

import (
	"bytes"
	"embed"
	"fmt"
	htmltemplate "html/template"
	"text/template"
)

//go:embed templates
var templateFiles embed.FS

// Templates turns what a mail says into messages.
type Templates struct {
	text *template.Template
	html *htmltemplate.Template
}

// NewTemplates panics on a template that does not parse: they are embedded.
func NewTemplates() *Templates {
	return &Templates{
		text: template.Must(template.ParseFS(templateFiles, "templates/*.txt")),
		html: htmltemplate.Must(htmltemplate.ParseFS(templateFiles, "templates/*.html")),
	}
}

// Verification asks the owner of an address to confirm it.
type Verification struct {
	// ID becomes the message's.
	ID, To string
	// Link opens the page with the button that confirms; Hours is how long it is valid.
	Link  string
	Hours int
}

// Verification is the mail with the link.
func (t *Templates) Verification(v Verification) (Message, error) {
	return t.render(Message{ID: v.ID, To: v.To, Subject: "Confirm your email address"}, "verification", v)
}

// render fills a template in its two forms.
func (t *Templates) render(m Message, name string, data any) (Message, error) {
	var text, html bytes.Buffer
	if err := t.text.ExecuteTemplate(&text, name+".txt", data); err != nil {
		return Message{}, fmt.Errorf("mail: %w", err)
	}
	if err := t.html.ExecuteTemplate(&html, name+".html", data); err != nil {
		return Message{}, fmt.Errorf("mail: %w", err)
	}
	m.Text, m.HTML = text.String(), html.String()
	return m, nil
}
