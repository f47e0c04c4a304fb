package permission

import "slices"

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
func (s Set) Covers(wanted Permission) bool {
	return s.everything || wanted == "" || slices.ContainsFunc(s.granted, func(p Permission) bool { return p.covers(wanted) })
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
