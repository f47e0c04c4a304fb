// Package clients has the programs that call Durapay from outside: a merchant's software, a shop's
// plugin, and a partner of the swap exchange. They know the written contract alone and use HTTP.
// Their types are not those of the service, so a field that the service renames is missing here.
package clients
