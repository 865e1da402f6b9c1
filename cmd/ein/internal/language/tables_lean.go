//go:build lean

package language

import "ein/bind"

var tables bind.Tables
