package coin

// MoneroRules are what Monero's network takes of a transaction, from a hard fork on.
type MoneroRules struct {
	// Fork is the version of the network with which they begin.
	Fork int
	// Inputs and Outputs are the most that one transaction has.
	Inputs, Outputs int
	// InputWeight is about what an input adds to the weight of a transaction, and
	// ReferenceWeight that of an ordinary payment, in bytes: fees are estimated with them.
	InputWeight, ReferenceWeight uint64
}

// Payees is how many addresses one payment has at most: one output is change.
func (r MoneroRules) Payees() int { return r.Outputs - 1 }

// moneroRules are by version, the oldest first.
//
//   - 16: the weight of a transaction may be 149,400 (half of 300,000, less 600), which 146
//     inputs of ring size 16 with their proofs reach; bulletproofs+ have 16 outputs; the
//     reference transaction is the daemon's DYNAMIC_FEE_REFERENCE_TRANSACTION_WEIGHT.
//   - 17 is planned, and no height is fixed: membership proofs of the whole chain for at most
//     128 inputs (FCMP_PLUS_PLUS_MAX_INPUTS). Its other numbers are on the safe side of all
//     drafts: fewer outputs, heavier inputs.
var moneroRules = [...]MoneroRules{ //nolint:gochecknoglobals // a constant table
	{Fork: 16, Inputs: 146, Outputs: 16, InputWeight: 700, ReferenceWeight: 3000},
	{Fork: 17, Inputs: 128, Outputs: 8, InputWeight: 1500, ReferenceWeight: 6000},
}

// MoneroNow are the rules in force when this was released. What is chosen by them and does
// not fit is chosen anew by less.
func MoneroNow() MoneroRules { return moneroRules[0] }

// MoneroRulesOf are those of a version of the network, for one that is not known those of
// the nearest older one, or the oldest.
func MoneroRulesOf(fork int) MoneroRules {
	rules := moneroRules[0]
	for _, r := range moneroRules[1:] {
		if r.Fork <= fork {
			rules = r
		}
	}
	return rules
}

// MoneroFork is a change of the network that all who take part must follow.
type MoneroFork struct {
	// Version is that of the network afterwards.
	Version int
	// Height is the first block of it on the main network; 0 while none is fixed.
	Height uint64
}

// blocksPerDay is how many blocks Monero has a day: one in two minutes.
const blocksPerDay = 720

// VoteBlocks is in how many of the last blocks the votes are counted: those of a day.
const VoteBlocks = blocksPerDay

// tellVotes is the share of votes from which an unannounced fork is told: the divisor.
const tellVotes = 10

// ForkNews is the next fork that a daemon does not know.
type ForkNews struct {
	// Version is that of the network afterwards, Height the first block of it, Days how many
	// are left; Height is 0 where nobody has told when it comes.
	Version int
	Height  uint64
	Days    int
	// Votes is how many of the last VoteBlocks blocks are of makers who know the version.
	Votes int
}

// MoneroForkNews is what a daemon that knows one version, and all before, cannot tell: an
// announced fork with a height, or the votes of a tenth of the last blocks for a newer
// version. ok is false where there is nothing to tell.
func MoneroForkNews(knows int, height uint64, votes map[int]int, announced []MoneroFork) (news ForkNews, ok bool) {
	for _, f := range announced {
		if f.Version > knows && f.Height > 0 {
			return ForkNews{Version: f.Version, Height: f.Height, Days: int((f.Height - min(height, f.Height)) / blocksPerDay), Votes: votesAbove(knows, votes)}, true
		}
	}
	if n := votesAbove(knows, votes); n >= VoteBlocks/tellVotes {
		return ForkNews{Version: knows + 1, Votes: n}, true
	}
	return ForkNews{}, false
}

func votesAbove(version int, votes map[int]int) (n int) {
	for v, blocks := range votes {
		if v > version {
			n += blocks
		}
	}
	return n
}

// MoneroForks are those that were announced when this was released and had not come. A
// daemon cannot tell of one that is newer than itself.
func MoneroForks() []MoneroFork { return []MoneroFork{{Version: 17}} }
