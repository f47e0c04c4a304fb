package durapay_test

import (
	"testing"

	"github.com/durapay/durapay/internal/provider/providertest"
)

func FuzzAnswers(f *testing.F) { providertest.Fuzz(f, shape()) }
