package answer

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// decimal is the number 0.digits * 10^point. There are no zeros at either end of
// digits; zero has none at all and no sign. So equal numbers are equal decimals.
//
// Numbers are compared as they are written: a float would make 1e400 infinite,
// 9007199254740993 another integer, and 0.34 more than 0.01 away from 0.33.
type decimal struct {
	negative bool
	digits   string
	point    int64
}

// mostPoint bounds exponents: beyond it one number is as large or small as
// another.
const mostPoint = 1_000_000_000_000

// parseDecimal reads a JSON number.
func parseDecimal(s string) decimal {
	s, negative := strings.CutPrefix(s, "-")
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	d := decimal{negative, strings.TrimRight(digits, "0"), int64(len(digits)-len(fraction)) + power(exponent)}
	if d.digits == "" {
		return decimal{}
	}
	return d
}

// power returns an exponent. It stops at mostPoint, where sums with lengths of texts cannot
// overflow.
func power(s string) int64 {
	s, negative := strings.CutPrefix(strings.TrimPrefix(s, "+"), "-")
	if s = strings.TrimLeft(s, "0"); s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > mostPoint {
		n = mostPoint
	}
	if negative {
		return -n
	}
	return n
}

// text returns a moderate integer in digits.
func (d decimal) text() string {
	if d.digits == "" {
		return "0"
	}
	s := d.digits + strings.Repeat("0", int(d.point)-len(d.digits))
	if d.negative {
		s = "-" + s
	}
	return s
}

func (d decimal) integral() bool { return d.point >= int64(len(d.digits)) }

// compare compares exactly, digit by digit: a float64 would make numbers equal that are not.
func (d decimal) compare(e decimal) int {
	if s := cmp.Compare(d.sign(), e.sign()); s != 0 || d.digits == "" {
		return s
	}
	larger := cmp.Or(cmp.Compare(d.point, e.point), strings.Compare(d.digits, e.digits))
	if d.negative {
		return -larger
	}
	return larger
}

// sign is -1, 0 or 1. There is no -0: zero has no digits.
func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// moderate reports whether a number has a size that arithmetic can be done with.
func (d decimal) moderate() bool {
	const most = 400 // a float has at most 17 digits and an exponent of 308
	return len(d.digits) <= most && -most <= d.point && d.point <= most
}

// plus returns d + hundredths/100, for moderate numbers.
func (d decimal) plus(hundredths int64) decimal {
	places := max(2, int64(len(d.digits))-d.point)
	x, _ := new(big.Int).SetString("0"+d.digits, 10)
	x.Mul(x, tenTo(places-(int64(len(d.digits))-d.point)))
	if d.negative {
		x.Neg(x)
	}
	x.Add(x, new(big.Int).Mul(big.NewInt(hundredths), tenTo(places-2)))
	return parseDecimal(x.String() + "e-" + strconv.FormatInt(places, 10))
}

func tenTo(n int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil) }
