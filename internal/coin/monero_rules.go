package coin

// MoneroRules are the limits of a transaction on Monero's network, from one hard fork on.
type MoneroRules struct {
	// Fork is the version of the network from which the rules apply.
	Fork int
	// Inputs and Outputs are the most that one transaction has.
	Inputs, Outputs int
	// InputWeight is roughly the weight that an input adds to a transaction, and ReferenceWeight
	// the weight of an ordinary payment, both in bytes. Fees are estimated with them.
	InputWeight, ReferenceWeight uint64
}

// Payees returns the maximum number of addresses that one payment pays: one less than
// Outputs, because one output is the change.
func (r MoneroRules) Payees() int { return r.Outputs - 1 }

// moneroRules are the rules by version, the oldest first.
//
//   - 16: the weight of a transaction may be 149,400 (half of 300,000, less 600), which 146
//     inputs of ring size 16 with their proofs reach. Bulletproofs+ have 16 outputs. The
//     reference transaction is the daemon's DYNAMIC_FEE_REFERENCE_TRANSACTION_WEIGHT.
//   - 17 is planned, and no height is fixed: membership proofs of the whole chain for at most
//     128 inputs (FCMP_PLUS_PLUS_MAX_INPUTS). Its other numbers are on the safe side of all
//     drafts: fewer outputs, heavier inputs.
var moneroRules = [...]MoneroRules{ //nolint:gochecknoglobals // a constant table
	{Fork: 16, Inputs: 146, Outputs: 16, InputWeight: 700, ReferenceWeight: 3000},
	{Fork: 17, Inputs: 128, Outputs: 8, InputWeight: 1500, ReferenceWeight: 6000},
}

// MoneroNow returns the rules that were in force at the time of this release. The network
// may accept less by now, so a caller whose inputs do not fit into one transaction tries
// again with fewer.
func MoneroNow() MoneroRules { return moneroRules[0] }

// MoneroRulesOf returns the rules of a version of the network. For an unknown version it
// returns those of the nearest older one, or else the oldest.
func MoneroRulesOf(fork int) MoneroRules {
	rules := moneroRules[0]
	for _, r := range moneroRules[1:] {
		if r.Fork <= fork {
			rules = r
		}
	}
	return rules
}

// MoneroFork is a change of the network that every daemon must follow.
type MoneroFork struct {
	// Version is the version of the network after the fork.
	Version int
	// Height is the height of its first block on the main network; 0 while none is fixed.
	Height uint64
}

// blocksPerDay is the number of blocks that Monero mines in a day: one in two minutes.
const blocksPerDay = 720

// VoteBlocks is the number of most recent blocks in which votes are counted: those of a day.
const VoteBlocks = blocksPerDay

// reportDivisor is the divisor of the share of votes from which an unannounced fork is reported:
// a tenth.
const reportDivisor = 10

// NextFork is the next fork, which the daemon does not know.
type NextFork struct {
	// Version is the version of the network after the fork, Height its first block, and Days the
	// number of days until then. Height and Days are 0 while no height was announced.
	Version int
	Height  uint64
	Days    int
	// Votes is the number of the last VoteBlocks blocks whose miners know the version.
	Votes int
}

// NextMoneroFork returns the next fork that the daemon cannot report itself, because it only
// knows the version knows and older ones: either an announced fork with a height, or a newer
// version for which a tenth of the last blocks vote. ok is false if there is no such fork.
func NextMoneroFork(knows int, height uint64, votes map[int]int, announced []MoneroFork) (next NextFork, ok bool) {
	for _, f := range announced {
		if f.Version > knows && f.Height > 0 {
			return NextFork{Version: f.Version, Height: f.Height, Days: int((f.Height - min(height, f.Height)) / blocksPerDay), Votes: votesAbove(knows, votes)}, true
		}
	}
	if n := votesAbove(knows, votes); n >= VoteBlocks/reportDivisor {
		return NextFork{Version: knows + 1, Votes: n}, true
	}
	return NextFork{}, false
}

func votesAbove(version int, votes map[int]int) (n int) {
	for v, blocks := range votes {
		if v > version {
			n += blocks
		}
	}
	return n
}

// MoneroForks returns the forks that were announced but had not happened at the time of this
// release. A daemon cannot report a fork that is newer than itself.
func MoneroForks() []MoneroFork { return []MoneroFork{{Version: 17}} }
