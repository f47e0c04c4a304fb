module github.com/durapay/durapay

go 1.26.0

require (
	github.com/caarlos0/env/v11 v11.4.2
	github.com/shopspring/decimal v1.6.0
)
