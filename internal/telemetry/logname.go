package telemetry

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"regexp"
)

// identifier finds what may be an identifier in a line of JSON: hex digits,
// with the prefix of what they name. The first alternative is what carries 32
// digits and is no secret.
var identifier = regexp.MustCompile(`"(?:trace_id|merchant_id|merchantId)":"[0-9a-f]{32}"|(?:(?:ch|pr|sw|swp|qt)_)?[0-9a-f]{24,}`)

// bearer is an identifier that is a secret: of a charge, a payment request, a
// swap or a quote; or of a trade, which has no prefix.
var bearer = regexp.MustCompile(`^(?:(ch_|pr_|sw_|swp_|qt_)([0-9a-f]{24})|([0-9a-f]{32}))$`)

// A log name is so many digits of the identifier and so many of its hash.
const shownDigits, nameDigits = 4, 12

// LogName is what logs say instead of an identifier that opens something for
// whoever knows it (a payment page, a trade): its first digits and some of its
// SHA-256. The same identifier always has the same name, and a hash without a
// key is enough, since at least 80 random bits stay unknown. Any other text is
// returned as it is.
func LogName(id string) string {
	match := bearer.FindStringSubmatch(id)
	if match == nil {
		return id
	}
	prefix, digits := match[1], match[2]+match[3]
	sum := sha256.Sum256([]byte(id))
	return prefix + digits[:shownDigits] + "~" + hex.EncodeToString(sum[:])[:nameDigits]
}

// nameWriter writes lines of JSON with log names in the place of identifiers,
// wherever in the line these stand: in the message, an attribute, an error.
type nameWriter struct{ next io.Writer }

// Write takes one whole line, as slog's handlers write it.
func (w nameWriter) Write(line []byte) (int, error) {
	named := identifier.ReplaceAllFunc(line, func(found []byte) []byte {
		if found[0] == '"' {
			return found
		}
		return []byte(LogName(string(found)))
	})
	if _, err := w.next.Write(named); err != nil {
		return 0, err
	}
	return len(line), nil
}
