package main

import (
	"os"
	"runtime/debug"
	"strings"
)

// cpuModel is the name of the processor, with the numbers that tell generations
// apart where the name does not.
func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	field := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok {
			if key = strings.TrimSpace(key); field[key] == "" {
				field[key] = strings.TrimSpace(value)
			}
		}
	}
	return field["model name"] + " (family " + field["cpu family"] + ", model " + field["model"] + ")"
}

// loadAverage is the load of the last minute.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// goamd64 is the instruction set this program was compiled for.
func goamd64() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOAMD64" {
				return s.Value
			}
		}
	}
	return "none"
}
