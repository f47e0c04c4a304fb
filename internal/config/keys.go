package config

import "errors"

// check refuses settings that leave a key file unnamed.
func (k Keys) check() error {
	if k.KeysDir == "" && (k.KeysetFile == "" || k.BlindIndexFile == "" || k.PayloadKeysetFile == "") {
		return errors.New("KEYS_DIR must be set, or KEYSET_FILE, BLIND_INDEX_FILE and PAYLOAD_KEYSET_FILE")
	}
	return nil
}
