package secret_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/durapay/durapay/internal/secret"
)

func newCodec(t *testing.T, keyset string) *secret.PayloadCodec {
	t.Helper()
	codec, err := secret.NewPayloadCodec(keyset)
	require.NoError(t, err)
	return codec
}

func TestPayloadsAreEncryptedOnTheWay(t *testing.T) {
	t.Parallel()
	keyset := newKeyset(t)
	data := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), newCodec(t, keyset))

	payloads, err := data.ToPayloads("customer text", 7, nil)
	require.NoError(t, err)
	for _, p := range payloads.GetPayloads() {
		require.Equal(t, "binary/encrypted", string(p.GetMetadata()["encoding"]))
		require.Len(t, p.GetMetadata(), 1, "the type of the content is hidden too")
		require.NotContains(t, string(p.GetData()), "customer")
	}

	require.NoError(t, secret.Rotate(keyset))
	later := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), newCodec(t, keyset))
	var text string
	var number int
	var none *string
	require.NoError(t, later.FromPayloads(payloads, &text, &number, &none))
	require.Equal(t, "customer text", text)
	require.Equal(t, 7, number)
	require.Nil(t, none)
}

// A client that reaches Temporal but has no key can write a payload in plain: the
// services refuse it, and the UI still shows it.
func TestPlainPayloadsAreRefused(t *testing.T) {
	t.Parallel()
	codec := newCodec(t, newKeyset(t))
	plain, err := converter.GetDefaultDataConverter().ToPayload("visible")
	require.NoError(t, err)
	for _, forged := range []*commonpb.Payload{plain, {}, {Metadata: map[string][]byte{"encoding": nil}, Data: []byte("x")}} {
		_, err = codec.Decode([]*commonpb.Payload{forged})
		require.ErrorIs(t, err, secret.ErrPlainPayload)
	}
	data := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec)
	var text string
	require.ErrorIs(t, data.FromPayload(plain, &text), secret.ErrPlainPayload)
	require.Empty(t, text)
	out, err := codec.ForDisplay().Decode([]*commonpb.Payload{plain})
	require.NoError(t, err)
	require.True(t, proto.Equal(plain, out[0]))
}

func TestDecodeRefusesForeignCiphertext(t *testing.T) {
	t.Parallel()
	plain, err := converter.GetDefaultDataConverter().ToPayload("x")
	require.NoError(t, err)
	sealed, err := newCodec(t, newKeyset(t)).Encode([]*commonpb.Payload{plain})
	require.NoError(t, err)
	_, err = newCodec(t, newKeyset(t)).Decode(sealed)
	require.ErrorIs(t, err, secret.ErrUnseal)
}

func TestPayloadCodecNeedsAKeyset(t *testing.T) {
	t.Parallel()
	_, err := secret.NewPayloadCodec(t.TempDir() + "/missing")
	require.ErrorIs(t, err, secret.ErrKeyset)
}
