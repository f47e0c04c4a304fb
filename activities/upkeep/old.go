package upkeep

import (
	"fmt"
	"strconv"
	"time"
)

// oldRow is a row that a walk passes.
type oldRow[ID string | int64] struct {
	At        time.Time
	ID        ID
	Removable bool
}

// removeOld removes the removable rows of a batch. It returns how many rows there were
// and the position of the last one.
func removeOld[Row any, ID string | int64](rows []Row, of func(Row) oldRow[ID], remove func([]ID) error) (int, Position, error) {
	var ids []ID
	var last Position
	for _, r := range rows {
		old := of(r)
		if old.Removable {
			ids = append(ids, old.ID)
		}
		last = positionOf(old.At, old.ID)
	}
	if len(ids) == 0 {
		return len(rows), last, nil
	}
	return len(rows), last, remove(ids)
}

// number returns the ID of a row that has a number; 0 at the beginning.
func (p Position) number() int64 {
	n, err := strconv.ParseInt(p.ID, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func positionOf[ID string | int64](at time.Time, id ID) Position {
	return Position{At: at, ID: fmt.Sprint(id)}
}
