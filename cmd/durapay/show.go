package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf16"
)

// show prints an answer: as JSON for machines, and as lines and tables for people.
func (a *adminCmd) show(v any) error {
	if a.JSON {
		var text bytes.Buffer
		out := json.NewEncoder(&text)
		out.SetEscapeHTML(false)
		out.SetIndent("", "  ")
		if err := out.Encode(v); err != nil {
			return err
		}
		_, err := os.Stdout.WriteString(escaped(text.String()))
		return err
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	read := json.NewDecoder(bytes.NewReader(raw))
	read.UseNumber()
	answer, err := readShown(read)
	if err != nil {
		return err
	}
	return answer.print(os.Stdout, "")
}

// shown is a value of an answer: a text, an object with its fields in order, or a list.
type shown struct {
	text   string
	fields []shownField
	items  []shown
	// kind is object, list or text.
	kind byte
}

type shownField struct {
	name  string
	value shown
}

const (
	object = '{'
	list   = '['
	text   = 't'
)

// none stands for a value that is missing.
const none = "–"

// readShown reads one value of JSON.
func readShown(read *json.Decoder) (shown, error) {
	token, err := read.Token()
	if err != nil {
		return shown{}, err
	}
	open, is := token.(json.Delim)
	if !is {
		return shown{kind: text, text: textOfToken(token)}, nil
	}
	v := shown{kind: byte(open)}
	for read.More() {
		var name string
		if v.kind == object {
			if err := readName(read, &name); err != nil {
				return v, err
			}
		}
		value, err := readShown(read)
		if err != nil {
			return v, err
		}
		if v.kind == object {
			v.fields = append(v.fields, shownField{name, value})
			continue
		}
		v.items = append(v.items, value)
	}
	_, err = read.Token()
	return v, err
}

func readName(read *json.Decoder, into *string) error {
	token, err := read.Token()
	if err != nil {
		return err
	}
	*into = fmt.Sprint(token)
	return nil
}

func textOfToken(token any) string {
	switch v := token.(type) {
	case nil:
		return none
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case string:
		return textForPeople(v)
	default:
		return fmt.Sprint(v)
	}
}

// textForPeople shows times to the second, and keeps each text on its line. Characters that a terminal
// would act on become spaces.
func textForPeople(s string) string {
	if at, err := time.Parse(time.RFC3339, s); err == nil {
		return at.UTC().Format("2006-01-02 15:04:05")
	}
	if s == "" {
		return none
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

// escaped returns a text of JSON with characters that a terminal would act on as their escapes, which mean
// the same.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == '\n' || unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// print writes a value under a title, which is empty at the top.
func (v shown) print(out io.Writer, title string) error {
	switch v.kind {
	case list:
		return v.printList(out, title)
	case object:
		return v.printObject(out, title)
	default:
		_, err := fmt.Fprintln(out, v.text)
		return err
	}
}

// printObject writes texts as lines, and then each list as a table.
func (v shown) printObject(out io.Writer, title string) error {
	lines := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if title != "" {
		fmt.Fprintf(lines, "\n%s\n", title)
	}
	for _, f := range v.fields {
		if f.value.isPlain() && f.name != "next_cursor" {
			fmt.Fprintf(lines, "%s\t%s\n", named(f.name), f.value.line())
		}
	}
	if err := lines.Flush(); err != nil {
		return err
	}
	for _, f := range v.fields {
		switch {
		case f.name == "next_cursor" && f.value.text != none:
			fmt.Fprintf(out, "\nmore: --cursor=%s\n", f.value.text)
		case !f.value.isPlain():
			heading := named(f.name)
			if title == "" && v.isPage() {
				heading = ""
			}
			if err := f.value.print(out, heading); err != nil {
				return err
			}
		}
	}
	return nil
}

// isPage reports whether an answer is one list and its cursor.
func (v shown) isPage() bool {
	lists := 0
	for _, f := range v.fields {
		switch {
		case !f.value.isPlain():
			lists++
		case f.name != "next_cursor":
			return false
		}
	}
	return lists == 1
}

// isPlain reports whether a value fits on a line: a text, or a list of texts.
func (v shown) isPlain() bool {
	return v.kind == text || v.kind == list && len(v.items) > 0 && !slices.ContainsFunc(v.items, func(i shown) bool { return i.kind != text })
}

// line returns a plain value, and other values in short.
func (v shown) line() string {
	switch v.kind {
	case text:
		return v.text
	case list:
		parts := make([]string, len(v.items))
		for i, item := range v.items {
			parts[i] = item.line()
		}
		if len(parts) == 0 {
			return none
		}
		return strings.Join(parts, ", ")
	default:
		parts := make([]string, len(v.fields))
		for i, f := range v.fields {
			parts[i] = f.name + " " + f.value.line()
		}
		return strings.Join(parts, ", ")
	}
}

// printList writes a table. Columns without any value are left out. Rows that have lists of their
// own are written one below the other.
func (v shown) printList(out io.Writer, title string) error {
	if title != "" {
		fmt.Fprintf(out, "\n%s\n", title)
	}
	if len(v.items) == 0 {
		_, err := fmt.Fprintln(out, "none")
		return err
	}
	if slices.ContainsFunc(v.items, shown.isDeep) {
		for i, item := range v.items {
			if err := item.print(out, strings.TrimSpace(fmt.Sprintf("%s %d", title, i+1))); err != nil {
				return err
			}
		}
		return nil
	}
	columns := v.columns()
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	heads := make([]string, len(columns))
	for i, c := range columns {
		heads[i] = strings.ToUpper(named(c))
	}
	fmt.Fprintln(table, strings.Join(heads, "\t"))
	for _, item := range v.items {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = item.field(c).line()
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	return table.Flush()
}

// isDeep reports whether an object has objects below it.
func (v shown) isDeep() bool {
	return slices.ContainsFunc(v.fields, func(f shownField) bool {
		return !f.value.isPlain() && (f.value.kind == object || len(f.value.items) > 0)
	})
}

// columns returns the names of fields that at least one row has a value for.
func (v shown) columns() []string {
	var names []string
	for _, item := range v.items {
		for i, f := range item.fields {
			if f.value.line() != none && !slices.Contains(names, f.name) && (i == 0 || !hiddenInTables(f.name)) {
				names = append(names, f.name)
			}
		}
	}
	return names
}

// hiddenInTables reports whether a table leaves a field out, because the command show has it
// and a row would be too long.
func hiddenInTables(name string) bool {
	return slices.Contains([]string{
		"wallet_id", "currency", "confirmations_required", "expires_at", "built_at", "outputs", "address", "fee_rate", "network_fee_xmr", "height",
		"deposit_address", "refund_address", "reserved", "rate", "next_attempt_at", "webhook_id", "subaddress_index",
	}, name)
}

// field returns a field of an object, or the text of none.
func (v shown) field(name string) shown {
	for _, f := range v.fields {
		if f.name == name {
			return f.value
		}
	}
	return shown{kind: text, text: none}
}

// named returns a field's name for people.
func named(name string) string { return strings.ReplaceAll(name, "_", " ") }
