package testkit

import (
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"
	"time"
)

// parse reads a mail with its text and HTML parts, decoded.
func parse(r io.Reader) (Mail, error) {
	raw, err := mail.ReadMessage(r)
	if err != nil {
		return Mail{}, fmt.Errorf("headers: %w", err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(raw.Header.Get("Subject"))
	if err != nil {
		return Mail{}, fmt.Errorf("subject: %w", err)
	}
	m := Mail{Subject: subject, Date: time.Now().UTC()}
	if at, err := raw.Header.Date(); err == nil {
		m.Date = at.UTC()
	}
	return m, m.read(textproto.MIMEHeader(raw.Header), raw.Body)
}

// read adds a part and its nested parts to the message.
func (m *Mail) read(header textproto.MIMEHeader, body io.Reader) error {
	media, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		media = "text/plain"
	}
	if strings.HasPrefix(media, "multipart/") {
		return m.readParts(multipart.NewReader(body, params["boundary"]))
	}
	content, err := io.ReadAll(decoded(header.Get("Content-Transfer-Encoding"), body))
	if err != nil {
		return fmt.Errorf("part: %w", err)
	}
	text := strings.ReplaceAll(string(content), "\r\n", "\n")
	switch media {
	case "text/plain":
		m.Text += text
	case "text/html":
		m.HTML += text
	}
	return nil
}

func (m *Mail) readParts(parts *multipart.Reader) error {
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("part: %w", err)
		}
		if err := m.read(part.Header, part); err != nil {
			return err
		}
	}
}

func decoded(encoding string, body io.Reader) io.Reader {
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		return quotedprintable.NewReader(body)
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, body)
	default:
		return body
	}
}
