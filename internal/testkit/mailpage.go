package testkit

import (
	"html/template"
	"regexp"
	"strings"
)

// mailPage shows mails as texts whose links work.
//
//nolint:gochecknoglobals // a constant template
var mailPage = template.Must(template.New("mails").Funcs(template.FuncMap{"linked": linked}).Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mails</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark } pre { white-space: pre-wrap; overflow-wrap: anywhere }</style>
<h1>Mails of the development stack</h1>
<p>Newest first. Programs read <a href="/messages">/messages</a>. Reload the page for new mails.</p>
{{- range .}}
<details>
<summary>{{.Date.Format "15:04:05"}} · {{.To}} · <b>{{.Subject}}</b></summary>
<pre>{{linked .Text}}</pre>
</details>
{{- else}}
<p>No mail was sent yet.</p>
{{- end}}
</html>
`))

var mailLink = regexp.MustCompile(`https?://[^\s<>"]+`)

// linked escapes a text and makes links of the addresses in it.
func linked(text string) template.HTML {
	var page strings.Builder
	from := 0
	for _, at := range mailLink.FindAllStringIndex(text, -1) {
		link := template.HTMLEscapeString(text[at[0]:at[1]])
		page.WriteString(template.HTMLEscapeString(text[from:at[0]]) + `<a href="` + link + `">` + link + `</a>`)
		from = at[1]
	}
	return template.HTML(page.String() + template.HTMLEscapeString(text[from:])) //nolint:gosec // escaped above
}
