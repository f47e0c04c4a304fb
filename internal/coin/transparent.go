package coin

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/btcsuite/btcd/btcutil/bech32"
)

// Errors of the checks, each an ErrAddress.
var (
	errForm     = fmt.Errorf("%w: wrong form", ErrAddress)
	errChecksum = fmt.Errorf("%w: checksum does not match", ErrAddress)
	errNetwork  = fmt.Errorf("%w: it belongs to another network", ErrAddress)
	errCurve    = fmt.Errorf("%w: a key is not on the curve", ErrAddress)
)

const (
	hashLen       = 20
	scriptHashLen = 32
	publicKeyLen  = 33
	maxSegwitText = 90 // characters (BIP 173)
)

// forms are the ways in which a coin derived from Bitcoin writes addresses.
type forms struct {
	// versions are the first bytes of base58 addresses: key hash, script hash.
	versions []byte
	// segwit and mweb are the prefixes before the 1; empty if the coin has no such
	// address.
	segwit, mweb string
}

// transparentForms returns the parameters of the chains (chainparams.cpp of Bitcoin,
// Litecoin and Dogecoin Core). Litecoin's first script version 0x05 is left out: such
// an address begins with 3 and is also one of Bitcoin, and every wallet has written
// it with 0x32 since 2017. On private chains all three share the key hash version
// 0x6f.
func transparentForms(f family, net Net) forms {
	if net == Regtest {
		switch f {
		case familyBitcoin:
			return forms{versions: []byte{0x6f, 0xc4}, segwit: "bcrt"}
		case familyLitecoin:
			return forms{versions: []byte{0x6f, 0x3a}, segwit: "rltc", mweb: "tmweb"}
		default:
			return forms{versions: []byte{0x6f, 0xc4}}
		}
	}
	switch f {
	case familyBitcoin:
		return forms{versions: []byte{0x00, 0x05}, segwit: "bc"}
	case familyLitecoin:
		return forms{versions: []byte{0x30, 0x32}, segwit: "ltc", mweb: "ltcmweb"}
	default:
		return forms{versions: []byte{0x1e, 0x16}}
	}
}

func checkTransparent(address string, f forms) error {
	prefix := strings.ToLower(address[:strings.LastIndexByte(address, '1')+1])
	switch {
	case f.segwit != "" && prefix == f.segwit+"1":
		return checkSegwit(address)
	case f.mweb != "" && prefix == f.mweb+"1":
		return checkMWEB(address)
	default:
		return checkBase58(address, f.versions)
	}
}

func checkBase58(address string, versions []byte) error {
	payload, version, err := base58.CheckDecode(address)
	switch {
	case errors.Is(err, base58.ErrChecksum):
		return errChecksum
	case err != nil || len(payload) != hashLen:
		return errForm
	case !slices.Contains(versions, version):
		return errNetwork
	case allZero(payload):
		return errNull
	}
	return nil
}

// checkSegwit accepts key hashes and script hashes (version 0, BIP 173) and Taproot
// keys (version 1, BIP 350). Later versions have no rules yet, so anyone could take
// coins that are sent to them.
func checkSegwit(address string) error {
	if len(address) > maxSegwitText {
		return errForm
	}
	_, data, checksum, err := bech32.DecodeGeneric(address)
	if err != nil {
		return errChecksum
	}
	program, err := witness(data)
	if err != nil {
		return err
	}
	switch version := data[0]; {
	case version == 0 && checksum == bech32.Version0 && (len(program) == hashLen || len(program) == scriptHashLen):
	case version == 1 && checksum == bech32.VersionM && len(program) == scriptHashLen:
	default:
		return fmt.Errorf("%w: unknown witness version", ErrAddress)
	}
	if allZero(program) {
		return errNull
	}
	return nil
}

// checkMWEB accepts a stealth address of Litecoin's extension blocks: version 0, a
// scan key and a spend key.
func checkMWEB(address string) error {
	_, data, err := bech32.DecodeNoLimit(address)
	if err != nil {
		return errChecksum
	}
	keys, err := witness(data)
	if err != nil {
		return err
	}
	if data[0] != 0 || len(keys) != 2*publicKeyLen {
		return errForm
	}
	for key := range slices.Chunk(keys, publicKeyLen) {
		if _, err := btcec.ParsePubKey(key); err != nil {
			return errCurve
		}
	}
	return nil
}

// witness returns the program after the version.
func witness(data []byte) ([]byte, error) {
	if len(data) == 0 {
		return nil, errForm
	}
	program, err := bech32.ConvertBits(data[1:], 5, 8, false)
	if err != nil {
		return nil, errForm
	}
	return program, nil
}
