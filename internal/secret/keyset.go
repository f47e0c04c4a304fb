package secret

import (
	"bytes"
	"fmt"
	"os"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/hybrid"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	tinkpb "github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// keyring is a keyset from the last read of its file. Associated data of an AEAD are the
// context of a hybrid keyset.
type keyring struct {
	sealer tink.HybridEncrypt
	// opener is nil for the public half of a hybrid keyset.
	opener  tink.HybridDecrypt
	primary uint32
	enabled map[uint32]bool
}

func (k *keyring) knows(ciphertext []byte) bool {
	id, ok := keyID(ciphertext)
	return ok && k.enabled[id]
}

// NewKeysetFile writes a keyset with one fresh AES-256-GCM key to path, as
// cleartext JSON with mode 0600. It never overwrites a file: it returns
// fs.ErrExist instead.
func NewKeysetFile(path string) error { return newKeysetFile(path, aead.AES256GCMKeyTemplate()) }

func newKeysetFile(path string, template *tinkpb.KeyTemplate) error {
	handle, err := keyset.NewHandle(template)
	if err != nil {
		return fmt.Errorf("new keyset: %w", err)
	}
	content, err := encodeKeyset(handle)
	if err != nil {
		return err
	}
	return createFile(path, content)
}

// Rotate adds a fresh key to the keyset file and makes it the primary one. The
// older keys stay, so that everything sealed earlier can still be opened. The
// file is replaced in one step.
func Rotate(keysetFile string) error { return rotate(keysetFile, aead.AES256GCMKeyTemplate()) }

func rotate(keysetFile string, template *tinkpb.KeyTemplate) error {
	return updateKeyset(keysetFile, func(m *keyset.Manager, _ *tinkpb.KeysetInfo) error {
		id, err := m.Add(template)
		if err != nil {
			return err
		}
		return m.SetPrimary(id)
	})
}

// DropOldKeys removes every key but the primary one from the keyset file and
// returns their number. Call it only when no stored ciphertext needs rekeying
// any more, because data that is still sealed under a dropped key is lost.
func DropOldKeys(keysetFile string) (int, error) {
	dropped := 0
	err := updateKeyset(keysetFile, func(m *keyset.Manager, info *tinkpb.KeysetInfo) error {
		for _, k := range info.GetKeyInfo() {
			if k.GetKeyId() == info.GetPrimaryKeyId() {
				continue
			}
			if err := m.Delete(k.GetKeyId()); err != nil {
				return err
			}
			dropped++
		}
		return nil
	})
	return dropped, err
}

// updateKeyset changes the file under a lock, so that two operators who rotate
// at the same time do not lose one of the new keys.
func updateKeyset(path string, change func(*keyset.Manager, *tinkpb.KeysetInfo) error) error {
	unlock, err := lockDir(path)
	if err != nil {
		return err
	}
	defer unlock()
	handle, err := readKeyset(path)
	if err != nil {
		return err
	}
	manager := keyset.NewManagerFromHandle(handle)
	if err := change(manager, handle.KeysetInfo()); err != nil {
		return fmt.Errorf("change keyset: %w", err)
	}
	if handle, err = manager.Handle(); err != nil {
		return fmt.Errorf("change keyset: %w", err)
	}
	content, err := encodeKeyset(handle)
	if err != nil {
		return err
	}
	return publish(path, content, os.Rename)
}

func openKeyring(path string) (*keyring, error) {
	handle, err := readKeyset(path)
	if err != nil {
		return nil, err
	}
	info := handle.KeysetInfo()
	ring := &keyring{primary: info.GetPrimaryKeyId(), enabled: map[uint32]bool{}}
	for _, k := range info.GetKeyInfo() {
		if k.GetOutputPrefixType() != tinkpb.OutputPrefixType_TINK {
			return nil, fmt.Errorf("%w %s: a key has no Tink prefix", ErrKeyset, path)
		}
		ring.enabled[k.GetKeyId()] = k.GetStatus() == tinkpb.KeyStatusType_ENABLED
	}
	if ring.sealer, ring.opener, err = primitives(handle); err != nil {
		return nil, fmt.Errorf("%w %s: neither an AEAD nor a hybrid keyset", ErrKeyset, path)
	}
	return ring, nil
}

// primitives returns what seals and what opens with a keyset: an AEAD does both, the private
// half of a hybrid keyset does both, its public half only seals.
func primitives(handle *keyset.Handle) (tink.HybridEncrypt, tink.HybridDecrypt, error) {
	if both, err := aead.New(handle); err == nil {
		return both, both, nil
	}
	if sealer, err := hybrid.NewHybridEncrypt(handle); err == nil {
		return sealer, nil, nil
	}
	opener, err := hybrid.NewHybridDecrypt(handle)
	if err != nil {
		return nil, nil, err
	}
	public, err := handle.Public()
	if err != nil {
		return nil, nil, err
	}
	sealer, err := hybrid.NewHybridEncrypt(public)
	return sealer, opener, err
}

// readKeyset hides the parser's error, because it may quote from the file.
func readKeyset(path string) (*keyset.Handle, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyset, err)
	}
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(content)))
	if err != nil {
		return nil, fmt.Errorf("%w %s: not a keyset in JSON", ErrKeyset, path)
	}
	return handle, nil
}

func encodeKeyset(handle *keyset.Handle) ([]byte, error) {
	var buf bytes.Buffer
	if err := insecurecleartextkeyset.Write(handle, keyset.NewJSONWriter(&buf)); err != nil {
		return nil, fmt.Errorf("write keyset: %w", err)
	}
	return append(buf.Bytes(), '\n'), nil
}
