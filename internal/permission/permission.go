package permission

import "slices"

// Permission is what a key may do in its store, by the name that it has in
// BTCPay's Greenfield API, without the store.
type Permission string

// The permissions.
const (
	ViewInvoices                  Permission = "btcpay.store.canviewinvoices"
	CreateInvoice                 Permission = "btcpay.store.cancreateinvoice"
	ModifyInvoices                Permission = "btcpay.store.canmodifyinvoices"
	ViewStoreSettings             Permission = "btcpay.store.canviewstoresettings"
	ModifyStoreSettings           Permission = "btcpay.store.canmodifystoresettings"
	ModifyWebhooks                Permission = "btcpay.store.webhooks.canmodifywebhooks"
	ViewPaymentRequests           Permission = "btcpay.store.canviewpaymentrequests"
	ModifyPaymentRequests         Permission = "btcpay.store.canmodifypaymentrequests"
	ViewReports                   Permission = "btcpay.store.canviewreports"
	ViewPullPayments              Permission = "btcpay.store.canviewpullpayments"
	CreateNonApprovedPullPayments Permission = "btcpay.store.cancreatenonapprovedpullpayments"
	CreatePullPayments            Permission = "btcpay.store.cancreatepullpayments"
	ArchivePullPayments           Permission = "btcpay.store.canarchivepullpayments"
	ManagePullPayments            Permission = "btcpay.store.canmanagepullpayments"
	ViewPayouts                   Permission = "btcpay.store.canviewpayouts"
	ManagePayouts                 Permission = "btcpay.store.canmanagepayouts"
	// MoveMoney is for what pays a merchant's money out, also to a buyer who claims a
	// refund. No application can ask for it, and no other permission contains it.
	MoveMoney Permission = "durapay.store.canmovemoney"
)

// Grantable are the permissions that an application can be given, in the order in
// which people read them.
func Grantable() []Permission {
	return []Permission{
		ViewInvoices, CreateInvoice, ModifyInvoices, ViewPaymentRequests, ModifyPaymentRequests, ViewReports, ModifyWebhooks,
		ViewStoreSettings, ModifyStoreSettings, ViewPullPayments, CreateNonApprovedPullPayments, CreatePullPayments, ArchivePullPayments,
		ManagePullPayments, ViewPayouts, ManagePayouts,
	}
}

// Parse reads the name of a permission that an application can be given, without
// a store.
func Parse(name string) (Permission, bool) {
	p := Permission(name)
	return p, slices.Contains(Grantable(), p)
}

// In is how Greenfield writes a permission in a store.
func (p Permission) In(store string) string { return string(p) + ":" + store }

// contains are the permissions that one brings along, as BTCPay's documents have
// them, but for CreatePullPayments: no other contains it. It makes refunds that need no
// approval, and who grants it has to have read so.
func (p Permission) contains() []Permission {
	switch p {
	case ModifyStoreSettings:
		return []Permission{ManagePullPayments, ModifyInvoices, ViewStoreSettings, ModifyWebhooks, ModifyPaymentRequests, ManagePayouts}
	case ViewStoreSettings:
		return []Permission{ViewInvoices, ViewPaymentRequests, ViewReports, ViewPullPayments, ViewPayouts}
	case ModifyInvoices:
		return []Permission{ViewInvoices, CreateInvoice}
	case ModifyPaymentRequests:
		return []Permission{ViewPaymentRequests}
	case ManagePullPayments:
		return []Permission{CreateNonApprovedPullPayments, ArchivePullPayments, ViewPullPayments}
	case CreatePullPayments:
		return []Permission{CreateNonApprovedPullPayments}
	case ManagePayouts:
		return []Permission{ViewPayouts}
	default:
		return nil
	}
}

// covers reports whether p equals requested or contains it.
func (p Permission) covers(requested Permission) bool {
	return p == requested || slices.ContainsFunc(p.contains(), func(part Permission) bool { return part.covers(requested) })
}

// Set is what a key may do. The zero value is nothing.
type Set struct {
	// granted is in the order in which it was asked for.
	granted    []Permission
	everything bool
}

// All is the set of the contract's own keys: it covers everything.
func All() Set { return Set{everything: true} }

// Of returns a set of permissions, each once.
func Of(granted ...Permission) Set {
	var s Set
	for _, p := range granted {
		if !slices.Contains(s.granted, p) {
			s.granted = append(s.granted, p)
		}
	}
	return s
}

// FromNames is the set that was stored as Names.
func FromNames(names []string) Set {
	granted := make([]Permission, len(names))
	for i, name := range names {
		granted[i] = Permission(name)
	}
	return Of(granted...)
}

// Covers reports whether the set has a permission, or one that contains it. Every
// key has the empty permission.
func (s Set) Covers(requested Permission) bool {
	return s.everything || requested == "" || slices.ContainsFunc(s.granted, func(p Permission) bool { return p.covers(requested) })
}

// Permissions returns the permissions as they were granted, in that order. For All
// it returns ModifyStoreSettings, which contains all other permissions of a store.
func (s Set) Permissions() []Permission {
	if s.everything {
		return []Permission{ModifyStoreSettings}
	}
	return slices.Clone(s.granted)
}

// Names are Permissions as text, never nil.
func (s Set) Names() []string {
	names := make([]string, 0, len(s.granted))
	for _, p := range s.Permissions() {
		names = append(names, string(p))
	}
	return names
}

// In are Permissions as Greenfield writes them in a store, never nil.
func (s Set) In(store string) []string {
	names := make([]string, 0, len(s.granted))
	for _, p := range s.Permissions() {
		names = append(names, p.In(store))
	}
	return names
}
