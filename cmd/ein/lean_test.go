//go:build lean

package main

func init() { lean = true }
