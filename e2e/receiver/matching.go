package receiver

// Of accepts deliveries of one event about one resource.
func Of(event, id string) func(Request) bool {
	return func(q Request) bool { return q.Event.Name == event && q.Event.ID == id }
}

// At accepts whatever arrives at a path.
func At(path string) func(Request) bool {
	return func(q Request) bool { return q.Path == path }
}

// All accepts what every one of the predicates accepts.
func All(accept ...func(Request) bool) func(Request) bool {
	return func(q Request) bool {
		for _, a := range accept {
			if !a(q) {
				return false
			}
		}
		return true
	}
}
