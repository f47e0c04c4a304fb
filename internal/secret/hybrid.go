package secret

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tink-crypto/tink-go/v2/hybrid"
	"github.com/tink-crypto/tink-go/v2/keyset"
	tinkpb "github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
	"google.golang.org/protobuf/proto"
)

// ErrSealingHalf means that an interrupted rotation left the sealing half of ViewKeys behind
// its keyset. The file is renewed; the merchant API has to read it before old keys are dropped.
var ErrSealingHalf = errors.New("the sealing half of view keys was behind and is renewed now: restart merchant-api, then repeat the command")

// hybridTemplate is of a key pair whose public half seals and whose private half opens.
func hybridTemplate() *tinkpb.KeyTemplate {
	return hybrid.DHKEM_X25519_HKDF_SHA256_HKDF_SHA256_AES_256_GCM_Key_Template()
}

// newHybridFile is NewKeysetFile for a hybrid keyset.
func newHybridFile(path string) error { return newKeysetFile(path, hybridTemplate()) }

// rotateHybrid is Rotate for a hybrid keyset.
func rotateHybrid(path string) error { return rotate(path, hybridTemplate()) }

// renewSealingHalf writes the public half of ViewKeys to the folder of ViewKeysSeal, if that
// has not the same keys, and reports whether it replaced another one.
func renewSealingHalf(dir string) (replaced bool, err error) {
	whole, err := readKeyset(ViewKeys.KeysetFile(dir))
	if err != nil {
		return false, err
	}
	public, err := whole.Public()
	if err != nil {
		return false, fmt.Errorf("%w %s: not a hybrid keyset", ErrKeyset, ViewKeys.KeysetFile(dir))
	}
	path := ViewKeysSeal.KeysetFile(dir)
	old, err := readKeyset(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return false, err
	}
	if !missing && proto.Equal(old.KeysetInfo(), public.KeysetInfo()) {
		return false, nil
	}
	var content bytes.Buffer
	if err := public.WriteWithNoSecrets(keyset.NewJSONWriter(&content)); err != nil {
		return false, fmt.Errorf("write keyset: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, err
	}
	return !missing, publish(path, append(content.Bytes(), '\n'), os.Rename)
}
