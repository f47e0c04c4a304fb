package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// standardPrefix may stand before a secret of Standard Webhooks.
const standardPrefix = "whsec_"

// StandardSignature are the headers of Standard Webhooks 1.0.0
// (https://github.com/standard-webhooks/standard-webhooks), so that its libraries
// verify a delivery. They take a secret as base64. The 64 hex digits of ours are
// base64 too: a merchant gives the library whsec_ and the secret. (Some libraries take
// a secret without that prefix for raw text.) A secret that is no base64 gets no headers.
//
// id is the same for every attempt of a delivery; at is the attempt's own time, in
// whole seconds.
func StandardSignature(secret, id string, at time.Time, body []byte) map[string]string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, standardPrefix))
	if err != nil {
		return nil
	}
	seconds := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + seconds + "."))
	mac.Write(body)
	return map[string]string{
		"Webhook-Id": id, "Webhook-Timestamp": seconds, "Webhook-Signature": "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)),
	}
}
