package corpus

import (
	"fmt"
	"strings"

	"ein/internal/lists"
)

// AbuseCase is a text meant to break an implementation: by size, by depth, by
// odd characters, by values at the edge. Whatever else a case wants, every
// implementation must answer it in bounded time and memory and never panic.
type AbuseCase struct {
	Name   string
	Source func() string
	// WantClass is ok or the class of the error (syntax, static, limit,
	// runtime); alternatives are separated by |. It is empty where any answer
	// will do as long as there is one.
	WantClass string
	// Heavy marks a program that is right but too much for an engine that takes
	// the definition literally.
	Heavy bool
}

const (
	million = 1_000_000
	tenMB   = 10 << 20
)

// Abuse returns the abuse corpus for program text.
func Abuse() []AbuseCase {
	var cases []AbuseCase
	add := func(name, class string, source func() string) {
		cases = append(cases, AbuseCase{Name: name, Source: source, WantClass: class})
	}
	text := func(name, class, source string) { add(name, class, func() string { return source }) }
	heavy := func(name, class string, source func() string) {
		add(name, class, source)
		cases[len(cases)-1].Heavy = true
	}

	// Depth and length.
	for _, c := range []string{"(", "[", "{", "([{"} {
		add("open_"+c, "syntax|limit", func() string { return "A = " + strings.Repeat(c, million/len(c)) })
	}
	add("open_and_closed", "limit", func() string {
		return "A = " + strings.Repeat("(", million) + "1" + strings.Repeat(")", million)
	})
	add("nested_lists", "static|limit", func() string {
		return "A = " + strings.Repeat("[", million) + "1" + strings.Repeat("]", million)
	})
	add("mismatched", "syntax|limit", func() string { return "A = " + strings.Repeat("(]", million/2) })
	add("closing_only", "syntax|limit", func() string { return "A = 1" + strings.Repeat(")", million) })
	add("unary_minus", "limit", func() string { return "A = " + strings.Repeat("- ", million) + "1" })
	add("unary_minus_tight", "syntax|limit", func() string { return "A = 0 " + strings.Repeat("-", million) + "1" })
	add("sum_of_ones", "ok|limit", func() string { return "A = 1" + strings.Repeat("+1", million) })
	add("product_of_names", "ok|limit", func() string { return "x = 1\nA = x" + strings.Repeat(" x", million) })
	add("product_of_stars", "ok|limit", func() string { return "A = 1" + strings.Repeat("*1", million) })
	add("comparisons", "ok|limit", func() string { return "A = 1" + strings.Repeat("<1", million) })
	add("nested_calls", "limit", func() string {
		return "A = " + strings.Repeat("abs(", million) + "1" + strings.Repeat(")", million)
	})
	add("nested_calls_of_two", "limit", func() string {
		return "A = " + strings.Repeat("max(1,", million/2) + "1" + strings.Repeat(")", million/2)
	})
	add("postfix_indices", "static|syntax|limit", func() string { return "A = ones(2)" + strings.Repeat("[0]", million/4) })
	add("statements", "ok|limit", func() string { return strings.Repeat("A = 1\n", million) })
	add("statements_by_semicolon", "ok|limit", func() string { return strings.Repeat("A=1;", million) })
	add("empty_lines", "", func() string { return strings.Repeat("\n", 4*million) + "A = 1\n" })
	add("only_newlines", "static|syntax", func() string { return strings.Repeat("\n", 4*million) })
	add("only_semicolons", "", func() string { return strings.Repeat(";", million) + "A = 1" })
	add("spaces", "ok|limit", func() string { return "A = " + strings.Repeat(" ", tenMB) + "1" })
	add("long_identifier", "ok|limit|syntax|static", func() string { return strings.Repeat("a", tenMB) + " = 1" })
	add("long_number", "ok|limit|syntax|static|runtime", func() string { return "A = " + strings.Repeat("1", tenMB) })
	add("long_fraction", "ok|limit|syntax", func() string { return "A = 0." + strings.Repeat("1", tenMB) })
	add("long_exponent", "limit|syntax|static|runtime", func() string { return "A = 1e" + strings.Repeat("9", tenMB) })
	add("long_comment", "ok|limit", func() string { return "A = 1 // " + strings.Repeat("x", tenMB) })
	add("long_string", "limit|syntax|static", func() string { return `A = edges([["` + strings.Repeat("x", tenMB) + `","b"]])` + "\nB = C" })
	add("unclosed_string", "syntax|limit", func() string { return `A = edges([["` + strings.Repeat("x", tenMB) })
	add("many_comments", "", func() string { return strings.Repeat("#\n", million) + "A = 1" })
	add("long_list", "ok|limit", func() string { return "A = [0" + strings.Repeat(",1", million) + "]\n:print sum(A)" })
	add("long_edge_list", "ok|limit", func() string { return "A = edges([[0,1]" + strings.Repeat(",[1,0]", million/4) + "], 2)" })
	add("many_arguments", "static|limit", func() string { return "A = max(1" + strings.Repeat(",1", million) + ")" })
	add("many_indices", "static|limit", func() string { return "A = eye(2)[i" + strings.Repeat(",i", million) + "]" })
	add("choices_by_question_marks", "syntax|limit", func() string {
		return "A[i" + strings.Repeat(",i", million/8) + "] = " + strings.Repeat("x ? a : ", million/8) + "b"
	})
	add("many_parameters", "", func() string {
		var b strings.Builder
		for i := range 100_000 {
			fmt.Fprintf(&b, ", p%d", i)
		}
		return "def f(q" + b.String() + ") = q\nA = 1"
	})
	heavy("functions_that_double", "limit|ok", func() string {
		// Expanding the calls would take 2^60 copies of the first body.
		var b strings.Builder
		b.WriteString("def f0(x) = x + 1\n")
		for i := 1; i <= 60; i++ {
			fmt.Fprintf(&b, "def f%d(x) = f%d(x) + f%d(x)\n", i, i-1, i-1)
		}
		return b.String() + "A = f60(1)"
	})
	add("functions_in_a_chain", "limit|ok", func() string {
		var b strings.Builder
		b.WriteString("def f0(x) = x\n")
		for i := 1; i <= 100_000; i++ {
			fmt.Fprintf(&b, "def f%d(x) = f%d(x)\n", i, i-1)
		}
		return b.String() + "A = f100000(1)"
	})
	add("names_in_a_chain", "ok|limit", func() string {
		var b strings.Builder
		b.WriteString("a0 = 1\n")
		for i := 1; i < 9_000; i++ {
			fmt.Fprintf(&b, "a%d = a%d + 1\n", i, i-1)
		}
		return b.String()
	})
	text("recursive_function", "static", "def f(x) = f(x)\nA = f(1)")
	text("no_newline_at_the_end", "ok", "A = 1")
	text("empty", "", "")
	text("comment_only", "", "# nothing")

	// Characters.
	text("crlf", "ok", "A = [1,\r\n 2]\r\nB = sum(A)\r\n:print B\r\n")
	text("carriage_return_alone", "", "A = 1\rB = 2")
	text("bom", "", "\ufeffA = 1\n")
	text("bom_inside", "syntax", "A = 1\n\ufeffB = 2\n")
	text("nul", "syntax", "A = 1\x00\nB = 2")
	text("nul_in_a_comment", "", "A = 1 # \x00\n")
	text("invalid_utf8", "syntax", "A = \xff\xfe\n")
	text("invalid_utf8_in_a_comment", "", "A = 1 # \xc3\x28\n")
	text("invalid_utf8_in_a_string", "", "A = edges([[\"\xff\",\"b\"]])\n")
	text("overlong_utf8", "syntax", "A = \xc0\xaf\n")
	text("surrogate", "syntax", "A = \xed\xa0\x80\n")
	text("bidi_override", "syntax", "A = 1 \u202e+ 2\n")
	text("bidi_isolate", "syntax", "A = \u20661\u2069\n")
	text("bidi_in_a_comment", "syntax|ok", "A = 1 # \u202e evil\nB = 2\n")
	text("bidi_in_a_string", "syntax|ok", "A = edges([[\"a\u202e\",\"b\"]])\n")
	text("zero_width_space", "syntax", "A\u200b = 1\n")
	text("zero_width_joiner", "syntax", "A\u200dB = 1\n")
	text("soft_hyphen", "syntax", "A\u00ad = 1\n")
	text("cyrillic_a", "syntax", "\u0410 = 1\n")
	text("greek_omicron", "syntax", "tot\u03bfl = 1\n")
	text("fullwidth_letters", "syntax", "\uff21 = 1\n")
	text("fullwidth_digits", "syntax", "A = \uff11\n")
	text("arabic_digits", "syntax", "A = \u0661\n")
	text("accented_name", "syntax", "caf\u00e9 = 1\n")
	text("combining_accent", "syntax", "cafe\u0301 = 1\n")
	text("emoji", "syntax", "A = \U0001F600\n")
	text("minus_sign", "syntax", "A = 2 \u2212 1\n")
	text("multiplication_sign", "syntax", "A = 2 \u00d7 1\n")
	text("curly_quotes", "syntax", "A = edges([[\u201ca\u201d,\u201cb\u201d]])\n")
	text("no_break_space", "syntax|ok", "A\u00a0=\u00a01\n")
	text("line_separator", "syntax", "A = 1\u2028B = 2\n")
	text("paragraph_separator", "syntax", "A = 1\u2029B = 2\n")
	text("next_line", "syntax", "A = 1\u0085B = 2\n")
	text("vertical_tab", "syntax|ok", "A =\v1\n")
	text("form_feed", "syntax|ok", "A =\f1\n")
	text("escape_sequence", "syntax", "A = \x1b[31m1\n")
	text("backslash", "syntax", "A = 1 \\\n + 2\n")
	text("private_use", "syntax", "A = \ue000\n")
	text("noncharacter", "syntax", "A = \ufffe\n")

	// Numbers.
	text("number_1e400", "syntax|static|runtime", "A = 1e400")
	text("number_1e308_times_10", "runtime", "A = 1e308 * 10")
	text("number_1e_400", "ok|syntax", "A = 1e-400")
	text("number_denormal", "ok", "A = 5e-324")
	text("number_hex", "syntax|static", "A = 0x10")
	text("number_binary", "syntax|static", "A = 0b101")
	text("number_octal", "syntax|static|ok", "A = 0o17")
	text("number_underscores", "syntax|static", "A = 1_000")
	text("number_two_points", "syntax", "A = 1.2.3")
	text("number_point_alone", "syntax", "A = .")
	text("number_no_exponent", "syntax|static", "A = 1e")
	text("number_with_suffix", "syntax|static", "A = 3f")
	text("negative_zero", "ok", "A = -0.0")
	text("nan_word", "static", "A = NaN")
	text("inf_word", "static", "A = inf")
	text("number_2_63", "", "A = 9223372036854775808")
	text("number_2_64", "", "A = 18446744073709551616")
	text("number_2_53", "", "A = 9007199254740993")
	text("index_2_63", "static", "A = ones(3)[9223372036854775808]")
	text("index_1e300", "static", "A = ones(3)[1e300]")
	text("axis_2_64", "static", "A = sum(eye(3), 18446744073709551616)")

	// Sizes.
	text("zeros_of_2_31", "limit|static", "A = zeros(2147483647)\nB = sum(A)")
	text("zeros_of_2_31_printed", "limit|static", "A = zeros(2147483647)")
	text("zeros_negative", "static|limit", "A = zeros(-1)")
	text("zeros_of_none", "", "A = zeros(0)")
	text("mean_of_none", "", "A = mean(zeros(0))")
	text("max_of_none", "static|runtime", "A = max(zeros(0))")
	text("zeros_product_overflow", "limit|static", "A = zeros(1000000000, 1000000000)")
	text("zeros_product_wraps", "limit|static", "A = zeros(4294967296, 4294967296)")
	text("zeros_of_1e300", "limit|static", "A = zeros(1e300)")
	text("zeros_of_nan", "static", "A = zeros(0/0)")
	text("eye_of_a_million", "limit|static", "A = eye(1000000)\nB = A[i,j] A[j,i] + exp(A[0,0])\nC = exp(A)")
	text("edges_with_a_huge_id", "limit|static", "A = edges([[0,4000000000]])")
	text("edges_with_a_huge_size", "limit|static", "A = edges([[0,1]], 4000000000)\nB = exp(A)")
	text("edges_id_2_64", "limit|static", "A = edges([[0,18446744073709551616]])")
	text("edges_ragged", "static", "A = edges([[0,1],[2]])")
	text("edges_out_of_range", "static", "A = edges([[0,3]], 3)")
	text("edges_negative", "static", "A = edges([[0,-1]], 3)")
	text("edges_fractional", "static", "A = edges([[0,0.5]], 3)")
	text("edges_duplicate", "ok", "A = edges([[0,1],[0,1]], 3)")
	text("edges_self", "ok", "A = edges([[0,0]], 3)")
	text("edges_size_too_small", "static", "A = edges([[0,1],[4,5]], 2)")
	text("edges_ambiguous", "ok", "A = edges([[0,0],[0,0]])")
	text("edges_of_nothing", "static", "A = edges()")
	text("edges_of_empty_lists", "static", "A = edges([[],[]])")
	text("edges_of_numbers", "static", "A = edges([0,1])")
	text("edges_of_a_number", "static", "A = edges(3)")
	text("edges_deep", "static", "A = edges([[[0,1]]])")
	text("edges_not_a_number", "static", "A = edges([[0/0,1]], 3)")
	heavy("closure_of_5000", "ok|limit", func() string {
		return "A = eye(5000)\nB = transpose(A)\nC = tc(A + B)\ns = sum(C)"
	})
	heavy("outer_products_of_500", "limit", func() string {
		return "v = ones(500)\nA[i,j] = v[i] v[j]\nB[i,j,k,l] = A[i,j] A[k,l]\nC = exp(B)\n"
	})
	text("outer_product_tower", "limit", "v = ones(10000)\nA[i,j,k] = v[i] v[j] v[k]\nB[i,j,k,l] = A[i,j,k] v[l]\nC = exp(B)")
	heavy("contraction_over_everything", "ok|limit", func() string {
		return "A = ones(40, 40)\ns = A[a,b] A[c,d] A[e,f] A[g,h] A[a,h] A[b,c] A[d,e] A[f,g]"
	})
	add("twenty_indices_summed", "ok|limit|static|runtime", func() string {
		names := "abcdefghijklmnopqrst"
		terms := make([]string, len(names))
		for i := range names {
			terms[i] = fmt.Sprintf("v[%c]", names[i])
		}
		return "v = [1, 1]\ns = " + strings.Join(terms, " ")
	})
	add("twenty_indices_kept", "static|limit", func() string {
		names := strings.Split("abcdefghijklmnopqrst", "")
		return "v = [1, 1]\nT[" + strings.Join(names, ",") + "] = " + strings.Join(lists.Map(names, func(n string) string { return "v[" + n + "]" }), " ")
	})
	heavy("a_hundred_indices", "ok|limit|static|runtime", func() string {
		var b strings.Builder
		b.WriteString("A = eye(3)\ns = 1 A[x0,x1]")
		for i := 1; i < 100; i++ {
			fmt.Fprintf(&b, " A[x%d,x%d]", i, i+1)
		}
		return b.String()
	})
	text("repeated_index_on_the_left", "ok", "v = [1, 2]\nD[i,i] = v[i]")
	text("eight_times_on_the_left", "ok", "v = [1, 2]\nD[i,i,i,i,i,i,i,i] = v[i]\ns = D[i,i,i,i,i,i,i,i]")
	text("nine_times_on_the_left", "static|limit", "v = [1, 2]\nD[i,i,i,i,i,i,i,i,i] = v[i]")
	text("different_extents", "static", "A = ones(2)\nB = ones(3)\ns = A[i] B[i]")

	// Names.
	text("undefined", "static", "A = B")
	text("undefined_everywhere", "static", "A = B + C * D[i] - tc(E)")
	text("use_before_definition", "static", "A = B\nB = 1")
	text("redefinition", "ok", "A = 1\nA = [1, 2]\nA = 3")
	text("shadowed_builtin", "ok", "tc = eye(2)\nA = tc(tc)")
	text("print_of_undefined", "static", ":print X")
	text("name_of_a_keyword", "", "def = 1")
	text("input_unbound", "", "input A: graph\nB = tc(A)")

	// Values.
	add("float_overflow", "runtime", func() string {
		return "A = [[1.5e10, 1], [1, 1.5e10]]\n" + strings.Repeat("A[i,k] = A[i,j] A[j,k]\n", 20)
	})
	text("infinity_minus_infinity", "runtime", "a = 1 / 0\nb = a - a")
	text("zero_over_zero", "runtime", "a = 0 / 0")
	text("zero_over_zero_masked", "ok", "a = where(0, 0 / 0, 5)")
	text("log_of_zero", "runtime", "a = log(0)")
	text("root_of_minus_one", "runtime", "a = sqrt(-1)")
	text("exp_overflow", "runtime", "a = exp(1e6)")
	text("not_a_number_as_an_index", "runtime|static", "v = [1, 2]\nx = select(v, 0 / 0)")
	text("infinity_as_a_node", "runtime|static", "A = eye(3)\nx = desc(A, 1 / 0)")
	text("negative_zero_output", "ok", "a = 0 * -1")
	add("counts_above_2_53", "runtime|static", func() string {
		return "A = ones(32, 32)\n" + strings.Repeat("A[i,k] = A[i,j] A[j,k]\n", 6)
	})
	text("integers_above_2_53", "runtime|static", "a = 3037000500\nb = a * a\nc = b * b")

	// Output.
	add("prints", "ok|limit", func() string { return "A = 1\n" + strings.Repeat(":print A\n", 9_000) })
	add("prints_on_one_line", "ok|limit", func() string { return "A = 1\n:print A" + strings.Repeat(", A", 10_000) })
	heavy("print_of_a_large_matrix", "ok|limit", func() string { return "A = ones(3000, 3000)\n:print A" })
	add("print_of_everything", "ok|limit", func() string { return "A = ones(60, 60)\n" + strings.Repeat(":print A\n", 1_000) })

	// Commands: none may run, and none may take the argument for a path.
	for _, d := range []string{
		"load", "save", "load_kb", "load_text", "load_checkpoint", "lc", "train", "train_kb", "eval_kb", "kb_batch",
		"batch", "generate", "vocab", "forward", "deferred", "iterate", "until_stable", "rand", "zeros", "ones",
		"show", "tensors", "relations", "run", "clear", "ema", "help", "quit", "exit", "q", "h", "?", "l", "s",
		"Print", "PRINT", "printf", "prin", "", "!", "sh", "why", "plan", "dis",
	} {
		text("command_"+d, "syntax|static", "A = 1\n:"+d+" A\n")
	}
	for i, p := range []string{
		"/etc/passwd", "../../../etc/passwd", "..\\..\\windows", "file:///etc/passwd", "http://localhost/", "~/.ssh/id_rsa",
		"$(id)", "`id`", "/dev/zero", "/proc/self/environ", "con", "a\x00b", "\"; rm -rf /\"",
	} {
		text(fmt.Sprintf("path_%d", i), "syntax|static", ":load "+p+"\nA = 1\n")
	}
	text("shebang", "", "#!/usr/bin/env ein\nA = 1\n")
	text("spaced_command", "syntax|static", ": load x\nA = 1\n")

	// Bombs of diagnostics: every token is an error, and the answer must stay small.
	add("bomb_of_characters", "syntax|limit", func() string { return strings.Repeat("@ ", million) })
	add("bomb_of_lines", "syntax|limit", func() string { return strings.Repeat("@\n", million) })
	add("bomb_of_strings", "syntax|limit", func() string { return strings.Repeat("\"\n", million) })
	add("bomb_of_statements", "syntax|limit", func() string { return strings.Repeat("A = = 1\n", million/4) })
	add("bomb_of_undefined_names", "static|limit", func() string {
		var b strings.Builder
		for i := range 9_000 {
			fmt.Fprintf(&b, "a%d = b%d + c%d\n", i, i, i)
		}
		return b.String()
	})
	add("bomb_of_near_names", "static|limit", func() string {
		// Every name is unknown and close to thousands of known ones.
		var b strings.Builder
		for i := range 4_500 {
			fmt.Fprintf(&b, "name%04d = 1\n", i)
		}
		for i := range 4_500 {
			fmt.Fprintf(&b, "x = nane%04d\n", i)
		}
		return b.String()
	})
	add("bomb_of_shape_errors", "static|limit", func() string {
		return "A = ones(2)\nB = ones(3)\n" + strings.Repeat("C[i] = A[i] B[i]\n", 9_000)
	})
	add("bomb_in_one_expression", "static|limit", func() string {
		return "A = [u0" + strings.Repeat(", undefined_name", million/4) + "]"
	})
	add("bomb_of_bad_rows", "static|limit", func() string {
		return "A = edges([[0,1]" + strings.Repeat(",[-1,0.5]", million/8) + "], 3)"
	})
	add("bomb_of_long_names", "static|limit", func() string {
		long := strings.Repeat("x", 100_000)
		return strings.Repeat("A = "+long+"\n", 50)
	})
	return cases
}
