package peer

import (
	"encoding/binary"
	"fmt"
)

// section is the content of a message: names and their values, in Monero's portable storage
// format (docs/PORTABLE_STORAGE.md there). A value is a uint64, uint32, uint8, bool, []byte,
// [][]byte or section.
type section []entry

type entry struct {
	name  string
	value any
}

// storageBegin is the signature and version of the format.
const storageBegin = "\x01\x11\x01\x01\x01\x01\x02\x01\x01"

// The types of values.
const (
	typeUint64 byte = 5
	typeUint32 byte = 6
	typeUint8  byte = 8
	typeBytes  byte = 10
	typeBool   byte = 11
	typeObject byte = 12
	typeArray  byte = 0x80
)

// message returns the encoding of a whole section.
func (s section) message() []byte { return s.append([]byte(storageBegin)) }

func (s section) append(to []byte) []byte {
	to = appendSize(to, len(s))
	for _, e := range s {
		to = append(to, byte(len(e.name)))
		to = append(to, e.name...)
		to = appendValue(to, e.value)
	}
	return to
}

func appendValue(to []byte, value any) []byte {
	switch v := value.(type) {
	case uint64:
		return binary.LittleEndian.AppendUint64(append(to, typeUint64), v)
	case uint32:
		return binary.LittleEndian.AppendUint32(append(to, typeUint32), v)
	case uint8:
		return append(to, typeUint8, v)
	case bool:
		return append(to, typeBool, flag(v))
	case []byte:
		return appendBytes(append(to, typeBytes), v)
	case [][]byte:
		to = appendSize(append(to, typeBytes|typeArray), len(v))
		for _, each := range v {
			to = appendBytes(to, each)
		}
		return to
	case section:
		return v.append(append(to, typeObject))
	default:
		panic(fmt.Sprintf("peer: there is no type for a %T", value))
	}
}

func appendBytes(to, value []byte) []byte {
	return append(appendSize(to, len(value)), value...)
}

// appendSize writes a count in four bytes, which hold any count up to 2^30. The lowest two
// bits give the number of bytes.
func appendSize(to []byte, n int) []byte {
	return binary.LittleEndian.AppendUint32(to, uint32(n)<<2|2)
}

func flag(is bool) byte {
	if is {
		return 1
	}
	return 0
}
