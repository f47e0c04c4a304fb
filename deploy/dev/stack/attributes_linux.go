package stack

import "syscall"

// attributes detaches a process from the caller's session. The kernel sends a bound process
// SIGKILL when the caller dies.
func attributes(user *syscall.Credential, bound bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true, Credential: user}
	if bound {
		a.Pdeathsig = syscall.SIGKILL
	}
	return a
}
