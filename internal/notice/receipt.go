package notice

import (
	"embed"
	"encoding/json"
	"path"
	"strings"
	"time"
)

//go:embed texts
var receiptFiles embed.FS

// ReceiptPrefix begins the ID of a receipt's mail. The rest is that of the charge.
const ReceiptPrefix = "rm_"

// chargePrefix begins the ID of a charge.
const chargePrefix = "ch_"

// ReceiptID returns the ID of the mail with a charge's receipt.
func ReceiptID(chargeID string) string {
	return ReceiptPrefix + strings.TrimPrefix(chargeID, chargePrefix)
}

// ChargeOfReceipt returns the charge that a receipt's mail is about.
func ChargeOfReceipt(mailID string) string {
	return chargePrefix + strings.TrimPrefix(mailID, ReceiptPrefix)
}

// receiptTexts are the texts of a receipt in one language. {1} in Subject stands for the shop.
type receiptTexts struct {
	Language  string `json:"-"`
	Direction string `json:"direction"`
	Subject   string `json:"subject"`
	Unnamed   string `json:"unnamed"`
	Intro     string `json:"intro"`
	Item      string `json:"item"`
	Price     string `json:"price"`
	Received  string `json:"received"`
	At        string `json:"at"`
	Reference string `json:"reference"`
	Link      string `json:"link"`
	Contact   string `json:"contact"`
	Why       string `json:"why"`
}

// fallbackLanguage is that of receipts for buyers whose language is unknown.
const fallbackLanguage = "en"

// ReceiptLanguage returns a language that receipts exist in: the one that a buyer reads, or English.
func ReceiptLanguage(code string) string {
	if code == "" || strings.ContainsAny(code, "/\\") {
		return fallbackLanguage
	}
	if _, err := receiptFiles.ReadFile("texts/" + code + ".json"); err != nil {
		return fallbackLanguage
	}
	return code
}

func loadReceipts() (map[string]receiptTexts, error) {
	files, err := receiptFiles.ReadDir("texts")
	if err != nil {
		return nil, err
	}
	all := make(map[string]receiptTexts, len(files))
	for _, f := range files {
		raw, err := receiptFiles.ReadFile("texts/" + f.Name())
		if err != nil {
			return nil, err
		}
		texts := receiptTexts{Language: strings.TrimSuffix(f.Name(), path.Ext(f.Name()))}
		if err := json.Unmarshal(raw, &texts); err != nil {
			return nil, err
		}
		all[texts.Language] = texts
	}
	return all, nil
}

// Receipt tells a buyer that a payment is complete.
type Receipt struct {
	// ID becomes the message's.
	ID, To string
	// Language is one of ReceiptLanguage.
	Language string
	// Shop, Item and Contact may be empty. Contact may have several lines.
	Shop, Item, Contact string
	// Price and Received have their units.
	Price, Received string
	ConfirmedAt     time.Time
	// Reference identifies the charge, and Link opens its receipt.
	Reference, Link string
}

// Receipt is the mail with a receipt.
func (t *Templates) Receipt(r Receipt) (Message, error) {
	texts, known := t.receipts[r.Language]
	if !known {
		texts = t.receipts[fallbackLanguage]
	}
	subject := texts.Unnamed
	if r.Shop != "" {
		subject = strings.ReplaceAll(texts.Subject, "{1}", r.Shop)
	}
	r.Item = inALine(r.Item)
	data := struct {
		Receipt
		T           receiptTexts
		Subject, At string
	}{r, texts, subject, minute(r.ConfirmedAt)}
	return t.render(Message{ID: r.ID, To: r.To, Subject: subject}, "receipt", data)
}
