package secret

import (
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

// payloadEncoding marks a payload that this codec encrypted.
const payloadEncoding = "binary/encrypted"

// payloadPlace binds a ciphertext to its use: a column's ciphertext is never
// taken for a payload, even if both were under one keyset.
const payloadPlace = "temporal:payload:v1"

// payloadCodec encrypts what workflows exchange with the engine.
type payloadCodec struct{ box *Box }

// NewPayloadCodec returns a codec that encrypts every payload with the primary
// key of the keyset file and decrypts with any of its keys. Payloads that were
// not encrypted by it pass through decoding unchanged.
func NewPayloadCodec(keysetFile string) (converter.PayloadCodec, error) {
	box, err := Open(keysetFile)
	if err != nil {
		return nil, err
	}
	return &payloadCodec{box}, nil
}

// Encode encrypts payloads, metadata included.
func (c *payloadCodec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	return mapPayloads(payloads, c.encode)
}

// Decode restores payloads; ErrUnseal for one that is damaged or under an
// unknown key.
func (c *payloadCodec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	return mapPayloads(payloads, c.decode)
}

func (c *payloadCodec) encode(p *commonpb.Payload) (*commonpb.Payload, error) {
	plain, err := proto.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	sealed, err := c.box.seal(plain, []byte(payloadPlace))
	if err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	return &commonpb.Payload{
		Metadata: map[string][]byte{converter.MetadataEncoding: []byte(payloadEncoding)},
		Data:     sealed,
	}, nil
}

func (c *payloadCodec) decode(p *commonpb.Payload) (*commonpb.Payload, error) {
	if string(p.GetMetadata()[converter.MetadataEncoding]) != payloadEncoding {
		return p, nil
	}
	plain, err := c.box.unseal(p.GetData(), []byte(payloadPlace))
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
