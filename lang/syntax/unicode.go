package syntax

// hiddenRune reports whether r shows nothing or changes how its neighbours
// show: a reader could not tell what the program says.
func hiddenRune(r rune) bool {
	switch {
	case r < ' ' && r != '\t', r >= 0x7F && r < 0xA0: // C0 and C1 controls
	case r == 0xAD, r == 0x61C, r == 0x180E, r == 0xFEFF: // soft hyphen, ALM, MVS, BOM
	case r >= 0x200B && r <= 0x200F: // zero width, joiners, marks
	case r >= 0x2028 && r <= 0x202E: // line separators, bidi embeddings
	case r >= 0x2060 && r <= 0x206F: // word joiner, isolates
	case r >= 0xFFF9 && r <= 0xFFFB: // interlinear annotation
	case r >= 0xE0000 && r <= 0xE007F: // tags
	default:
		return false
	}
	return true
}

// joiner reports whether r, though invisible, is needed to spell words in some
// scripts; a label may hold it, a name may not.
func joiner(r rune) bool { return r == 0x200C || r == 0x200D }

// lookalikes are characters that word processors, web pages and other alphabets
// put where the language wants plain ASCII.
var lookalikes = map[rune]string{
	'‘': "\"", '’': "\"", '“': "\"", '”': "\"", '„': "\"", '«': "\"", '»': "\"", '`': "\"", '\'': "\"",
	'−': "-", '–': "-", '—': "-", '‐': "-", '‑': "-",
	'×': "*", '·': "*", '∗': "*", '⋅': "*", '÷': "/", '∕': "/", '⁄': "/",
	'≤': "<=", '≥': ">=", '≠': "!=", '←': "<-", '∶': ":", '，': ",", '；': ";", '：': ":", '。': ".", '、': ",",
	'\u00A0': " ", '\u2003': " ", '\u2002': " ", '\u2009': " ", '\u202F': " ", '\u3000': " ",
	'А': "A", 'В': "B", 'С': "C", 'Е': "E", 'Н': "H", 'І': "I", 'К': "K", 'М': "M", 'О': "O", 'Р': "P", 'Т': "T", 'Х': "X",
	'а': "a", 'с': "c", 'е': "e", 'і': "i", 'ј': "j", 'о': "o", 'р': "p", 'ѕ': "s", 'х': "x", 'у': "y",
	'Α': "A", 'Β': "B", 'Ε': "E", 'Ζ': "Z", 'Η': "H", 'Ι': "I", 'Κ': "K", 'Μ': "M", 'Ν': "N", 'Ο': "O", 'Ρ': "P", 'Τ': "T", 'Χ': "X", 'ο': "o", 'ν': "v",
}

// lookalike is the ASCII text that r is likely meant for.
func lookalike(r rune) (string, bool) {
	if r > 0xFF00 && r < 0xFF5F { // full-width ASCII
		return string(r - 0xFF00 + ' '), true
	}
	s, ok := lookalikes[r]
	return s, ok
}
