package web

// OrEmpty returns the text, or "" for nil.
func OrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
