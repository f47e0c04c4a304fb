package web

// OrEmpty is the text, or empty when there is none.
func OrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
