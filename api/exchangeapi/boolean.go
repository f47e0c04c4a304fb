package exchangeapi

// ParseBoolean reads True, true, False, false or the empty text, which means false.
func ParseBoolean(text string) (value, ok bool) {
	switch text {
	case "true", "True":
		return true, true
	case "false", "False", "":
		return false, true
	default:
		return false, false
	}
}
