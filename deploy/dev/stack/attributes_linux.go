package stack

import "syscall"

// attributes detaches a process from the caller's session. A bound one gets
// SIGKILL from the kernel when the caller dies.
func attributes(user *syscall.Credential, bound bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true, Credential: user}
	if bound {
		a.Pdeathsig = syscall.SIGKILL
	}
	return a
}
