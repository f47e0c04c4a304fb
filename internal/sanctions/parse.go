package sanctions

import (
	"crypto/sha256"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
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
