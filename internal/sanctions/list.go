package sanctions

import (
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
		return List{}, err
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
	text strings.Builder
	// wanted reports whether the text of the current element is kept.
	wanted bool

	// For sdn.xml: the current identifier.
	idType, idNumber string
	// For sdn_advanced.xml: the assets by the ID of their feature type, the current
	// type, the current feature, and the parts of the date.
	features             map[string]string
	featureType, feature string
	inIssue              bool
	issue                [3]string
}

func (p *parser) run(d *xml.Decoder) error {
	root := false
	for {
		// Token, unlike RawToken, detects elements that are never closed.
		token, err := d.Token()
		if errors.Is(err, io.EOF) && root {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrList, err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if !root && t.Name.Local != "sdnList" && t.Name.Local != "Sanctions" {
				return fmt.Errorf("%w: the document is something else", ErrList)
			}
			root = true
			p.open(t)
		case xml.CharData:
			if err := p.chars(t); err != nil {
				return err
			}
		case xml.EndElement:
			p.close(t.Name.Local)
		}
	}
}

func (p *parser) open(t xml.StartElement) {
	p.text.Reset()
	p.wanted = false
	switch t.Name.Local {
	case "id":
		p.idType, p.idNumber = "", ""
	case "FeatureType":
		p.featureType, p.wanted = attribute(t, "ID"), true
	case "Feature":
		p.feature = attribute(t, "FeatureTypeID")
	case "DateOfIssue":
		p.inIssue = true
	case "Year", "Month", "Day":
		p.wanted = p.inIssue
	case "VersionDetail":
		_, p.wanted = p.features[p.feature]
	case "idType", "idNumber", "Publish_Date":
		p.wanted = true
	}
}

func (p *parser) chars(data xml.CharData) error {
	if !p.wanted {
		return nil
	}
	if p.text.Len()+len(data) > maxText {
		return fmt.Errorf("%w: an element is too long", ErrList)
	}
	p.text.Write(data)
	return nil
}

func (p *parser) close(name string) {
	text := strings.TrimSpace(p.text.String())
	switch name {
	case "idType":
		p.idType = text
	case "idNumber":
		p.idNumber = text
	case "id":
		if asset, ok := strings.CutPrefix(p.idType, digitalCurrency); ok {
			p.add(asset, p.idNumber)
		}
		p.idType, p.idNumber = "", ""
	case "FeatureType":
		if asset, ok := strings.CutPrefix(text, digitalCurrency); ok && p.featureType != "" {
			p.features[p.featureType] = asset
		}
	case "VersionDetail":
		if asset, ok := p.features[p.feature]; ok {
			p.add(asset, text)
		}
	case "Feature":
		p.feature = ""
	default:
		p.closeDate(name, text)
	}
	p.text.Reset()
	p.wanted = false
}

func (p *parser) add(asset, address string) {
	address = Normalise(address)
	if address == "" || p.seen[address] {
		return
	}
	p.seen[address] = true
	p.list.Entries = append(p.list.Entries, Entry{Address: address, Asset: strings.TrimSpace(asset)})
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

// closeDate reads the date of issue: 09/20/2024 in sdn.xml, three elements in
// sdn_advanced.xml. Without a readable date, the list has none.
func (p *parser) closeDate(name, text string) {
	switch name {
	case "Publish_Date":
		p.published("1/2/2006", text)
	case "Year", "Month", "Day":
		if p.inIssue {
			p.issue[map[string]int{"Year": 0, "Month": 1, "Day": 2}[name]] = text
		}
	case "DateOfIssue":
		p.inIssue = false
		p.published("2006-1-2", strings.Join(p.issue[:], "-"))
	}
}

func (p *parser) published(layout, text string) {
	if at, err := time.Parse(layout, text); err == nil {
		p.list.PublishedAt = at
	}
}
