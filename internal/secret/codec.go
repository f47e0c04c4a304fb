package secret

import (
	"errors"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

// payloadEncoding marks a payload that this codec encrypted.
const payloadEncoding = "binary/encrypted"

// payloadPlace binds a ciphertext to its use: the ciphertext of a column is
// never accepted as a payload, even if both were sealed under one keyset.
const payloadPlace = "temporal:payload:v1"

// ErrPlainPayload means that a payload was not encrypted: its sender has access
// to Temporal but not the key.
var ErrPlainPayload = errors.New("payload is not encrypted")

// PayloadCodec encrypts the payloads that workflows exchange with Temporal.
type PayloadCodec struct {
	keys *keyfile
	// plain accepts payloads that are not encrypted.
	plain bool
}

// NewPayloadCodec returns a codec that encrypts every payload with the primary
// key of the keyset file and decrypts with any of its keys. It refuses payloads
// that were not encrypted, because only owners of the key may send data to a
// workflow. NewPayloadCodec returns ErrKeyset if the file is missing or
// malformed.
func NewPayloadCodec(keysetFile string) (*PayloadCodec, error) {
	keys, err := openKeyfile(keysetFile)
	if err != nil {
		return nil, err
	}
	return &PayloadCodec{keys: keys}, nil
}

// ForDisplay returns the same codec for showing payloads to people. Its Decode
// passes plain payloads through unchanged.
func (c *PayloadCodec) ForDisplay() *PayloadCodec { return &PayloadCodec{keys: c.keys, plain: true} }

// Encode encrypts payloads including their metadata.
func (c *PayloadCodec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	return mapPayloads(payloads, c.encode)
}

// Decode decrypts payloads. It returns ErrUnseal for a payload that is damaged
// or under an unknown key, and ErrPlainPayload for one that was never
// encrypted.
func (c *PayloadCodec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	return mapPayloads(payloads, c.decode)
}

func (c *PayloadCodec) encode(p *commonpb.Payload) (*commonpb.Payload, error) {
	plain, err := proto.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	sealed, err := c.keys.seal(plain, []byte(payloadPlace))
	if err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	return &commonpb.Payload{
		Metadata: map[string][]byte{converter.MetadataEncoding: []byte(payloadEncoding)},
		Data:     sealed,
	}, nil
}

func (c *PayloadCodec) decode(p *commonpb.Payload) (*commonpb.Payload, error) {
	if string(p.GetMetadata()[converter.MetadataEncoding]) != payloadEncoding {
		if c.plain {
			return p, nil
		}
		return nil, ErrPlainPayload
	}
	plain, err := c.keys.unseal(p.GetData(), []byte(payloadPlace))
	if err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	out := &commonpb.Payload{}
	if err := proto.Unmarshal(plain, out); err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	return out, nil
}

func mapPayloads(
	in []*commonpb.Payload, f func(*commonpb.Payload) (*commonpb.Payload, error),
) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(in))
	for i, p := range in {
		var err error
		if out[i], err = f(p); err != nil {
			return in, err
		}
	}
	return out, nil
}
