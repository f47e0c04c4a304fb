package sanctions

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// digitalCurrency is the prefix of the identifier types that are addresses.
const digitalCurrency = "Digital Currency Address - "

// maxText bounds the kept text of one element, in bytes.
const maxText = 4096

// Parse reads sdn.xml or sdn_advanced.xml as a stream, with any XML namespace. It
// returns ErrList if the file is neither, ends too early or contains no address.
func Parse(r io.Reader) (List, error) {
	hash := sha256.New()
	p := parser{seen: map[string]bool{}, features: map[string]string{}}
	tee := io.TeeReader(r, hash)
	if err := p.run(xml.NewDecoder(tee)); err != nil {
		return List{}, fmt.Errorf("%w: %w", ErrList, err)
	}
	if _, err := io.Copy(io.Discard, tee); err != nil {
		return List{}, fmt.Errorf("%w: %w", ErrList, err)
	}
	if len(p.list.Entries) == 0 {
		return List{}, fmt.Errorf("%w: it names no address", ErrList)
	}
	p.list.Digest = hash.Sum(nil)
	return p.list, nil
}

// parser holds the state between two elements.
type parser struct {
	list List
	seen map[string]bool
	// features are the assets by the ID of their feature type, in sdn_advanced.xml.
	features map[string]string
}

func (p *parser) run(d *xml.Decoder) error {
	for root := true; ; {
		// Token, unlike RawToken, detects elements that are never closed.
		token, err := d.Token()
		if errors.Is(err, io.EOF) && !root {
			return nil
		}
		if err != nil {
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if root && start.Name.Local != "sdnList" && start.Name.Local != "Sanctions" {
			return errors.New("the document is something else")
		}
		root = false
		if err := p.element(d, start); err != nil {
			return err
		}
	}
}

// element reads an element that contains an address, an asset or the date of issue:
// 09/20/2024 in sdn.xml, three elements in sdn_advanced.xml.
func (p *parser) element(d *xml.Decoder, start xml.StartElement) error {
	switch start.Name.Local {
	case "id":
		var id struct {
			Type   text `xml:"idType"`
			Number text `xml:"idNumber"`
		}
		err := d.DecodeElement(&id, &start)
		if asset, ok := strings.CutPrefix(string(id.Type), digitalCurrency); ok {
			p.add(asset, id.Number)
		}
		return err
	case "FeatureType":
		var kind text
		err := d.DecodeElement(&kind, &start)
		if asset, ok := strings.CutPrefix(string(kind), digitalCurrency); ok && attribute(start, "ID") != "" {
			p.features[attribute(start, "ID")] = asset
		}
		return err
	case "Feature":
		asset, listed := p.features[attribute(start, "FeatureTypeID")]
		if !listed {
			return nil
		}
		return p.feature(d, asset)
	case "Publish_Date":
		var date text
		err := d.DecodeElement(&date, &start)
		p.published("1/2/2006", date)
		return err
	case "DateOfIssue":
		var issue struct{ Year, Month, Day text }
		err := d.DecodeElement(&issue, &start) //nolint:musttag // the elements are the fields
		p.published("2006-1-2", issue.Year+"-"+issue.Month+"-"+issue.Day)
		return err
	}
	return nil
}

// feature reads the addresses of an asset, at any depth of the element that was begun.
func (p *parser) feature(d *xml.Decoder, asset string) error {
	for depth := 1; depth > 0; {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch start, begins := token.(xml.StartElement); {
		case begins && start.Name.Local == "VersionDetail":
			var address text
			if err := d.DecodeElement(&address, &start); err != nil {
				return err
			}
			p.add(asset, address)
		case begins:
			depth++
		default:
			if _, ends := token.(xml.EndElement); ends {
				depth--
			}
		}
	}
	return nil
}

// text is the text of an element, without surrounding space.
type text string

// UnmarshalText refuses a text that is longer than maxText.
func (t *text) UnmarshalText(b []byte) error {
	if len(b) > maxText {
		return errors.New("an element is too long")
	}
	*t = text(bytes.TrimSpace(b))
	return nil
}

func (p *parser) add(asset string, listed text) {
	address := Normalise(string(listed))
	if address == "" || p.seen[address] {
		return
	}
	p.seen[address] = true
	p.list.Entries = append(p.list.Entries, Entry{Address: address, Asset: strings.TrimSpace(asset)})
}

// published stores the date of issue. Without a readable date, the list has none.
func (p *parser) published(layout string, date text) {
	if at, err := time.Parse(layout, string(date)); err == nil {
		p.list.PublishedAt = at
	}
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// ErrList means that a file is not a usable list. The wrapped text gives the
// reason.
var ErrList = errors.New("not a usable sanctions list")

// List contains the stored part of a published list.
type List struct {
	// Entries are the addresses in the spelling of Normalise, each once.
	Entries []Entry
	// PublishedAt is the day of issue, in UTC; zero if the list has no date.
	PublishedAt time.Time
	// Digest is the SHA-256 of the whole file.
	Digest []byte
}

// Entry is a listed address. It is blocked for every asset, not only for the one
// under which it is listed.
type Entry struct {
	Address string
	// Asset is the list's name of the asset: XBT, ETH.
	Asset string
}

// Count is the number of addresses that a list contains under an asset.
type Count struct {
	Asset     string
	Addresses int
}

// Assets counts the list's addresses by asset, the most frequent asset first.
func (l List) Assets() []Count {
	counts := map[string]int{}
	for _, e := range l.Entries {
		counts[e.Asset]++
	}
	out := make([]Count, 0, len(counts))
	for asset, n := range counts {
		out = append(out, Count{Asset: asset, Addresses: n})
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(b.Addresses-a.Addresses, strings.Compare(a.Asset, b.Asset))
	})
	return out
}
