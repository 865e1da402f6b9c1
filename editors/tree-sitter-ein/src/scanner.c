// What an expression rule cannot say: whether the next thing is on this line, and what
// is of a rule.
#include "tree_sitter/parser.h"

enum { NEWLINE, HERE, OPERATOR_HERE, BRACKET_HERE, PAREN_HERE, WORD_HERE, BRACE_HERE, NEVER, BASE_BRACKET_HERE, POINT, QUALIFIER, ASKED, END, QUESTION, ARROW, NOT };

void *tree_sitter_ein_external_scanner_create(void) { return NULL; }
void tree_sitter_ein_external_scanner_destroy(void *state) { (void)state; }
unsigned tree_sitter_ein_external_scanner_serialize(void *state, char *buffer) {
  (void)state;
  (void)buffer;
  return 0;
}
void tree_sitter_ein_external_scanner_deserialize(void *state, const char *buffer, unsigned length) {
  (void)state;
  (void)buffer;
  (void)length;
}

static bool letter(int32_t c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool digit(int32_t c) { return c >= '0' && c <= '9'; }

// word reads a word and gives its letters if there are three.
#define WORD(a, b, c) ((uint32_t)(a) << 16 | (uint32_t)(b) << 8 | (uint32_t)(c))
static uint32_t word(TSLexer *lexer) {
  uint32_t out = 0;
  unsigned n = 0;
  for (; letter(lexer->lookahead) || digit(lexer->lookahead); n++) {
    out = out << 8 | (uint32_t)lexer->lookahead;
    lexer->advance(lexer, false);
  }
  return n == 3 ? out : 0;
}

// lines skips what shows nothing and reports whether a line ended.
static bool lines(TSLexer *lexer) {
  bool ended = false;
  for (;; lexer->advance(lexer, true)) {
    int32_t c = lexer->lookahead;
    if (c == '\n') ended = true;
    else if (c != ' ' && c != '\t' && c != '\r') return ended;
  }
}

static void blanks(TSLexer *lexer) {
  while (lexer->lookahead == ' ' || lexer->lookahead == '\t') lexer->advance(lexer, false);
}

// quoted reads a string up to its closing quote.
static bool quoted(TSLexer *lexer) {
  for (lexer->advance(lexer, false); lexer->lookahead != '"'; lexer->advance(lexer, false)) {
    if (lexer->lookahead == '\\') lexer->advance(lexer, false);
    if (lexer->lookahead == '\n' || lexer->lookahead == 0) return false;
  }
  return true;
}

static bool arrow(TSLexer *lexer, bool take);

// base reads a value, of constants alone unless it may be any, and reports whether a dot
// behind digits ends it, with no arrow before.
static bool base(TSLexer *lexer, bool any) {
  int depth = 0;
  for (int32_t before = 0;;) {
    int32_t c = lexer->lookahead;
    if (c == '"') {
      if (!quoted(lexer)) return false;
    } else if (any && letter(c) && !((c == 'e' || c == 'E') && digit(before))) {
      word(lexer);
      before = c;
      continue;
    } else if (any && (c == '[' || c == '(')) {
      depth++;
    } else if (any && (c == ']' || c == ')')) {
      if (--depth < 0) return false;
    } else if (c == '<' && depth == 0) {
      if (arrow(lexer, false)) return false;
      before = c;
      continue;
    } else if (any && (c == ',' || (depth > 0 && c == '.'))) {
      // of a call or a list
    } else if (c == '.' && digit(before)) {
      lexer->advance(lexer, false);
      before = '.';
      if (digit(lexer->lookahead)) continue;
      blanks(lexer);
      c = lexer->lookahead;
      if (c == '/') {
        lexer->advance(lexer, false);
        return lexer->lookahead == '/';
      }
      if (c == 0 || letter(c) || c == '\r' || c == '\n' || c == ';' || c == '#' || c == ':') return true;
      continue;
    } else if (c == '.') {
      // of a number or a qualified name, or the end
      lexer->advance(lexer, false);
      if (!digit(lexer->lookahead) && !letter(lexer->lookahead)) return false;
      before = c;
      continue;
    } else if (!(digit(c) || c == ' ' || c == '\t' || c == '+' || c == '-' || c == '*' || c == '/' || c == '<' ||
                 c == '>' || c == '=' || c == '!' || ((c == 'e' || c == 'E') && digit(before)))) {
      return false;
    }
    before = c;
    lexer->advance(lexer, false);
  }
}

// arrow reads <- or :- and reports whether it is that of a rule, not a comparison
// with what has a minus sign. The token ends behind it if it is to be taken.
static bool arrow(TSLexer *lexer, bool take) {
  lexer->advance(lexer, false);
  if (lexer->lookahead != '-') return false;
  lexer->advance(lexer, false);
  if (take) lexer->mark_end(lexer);
  if (!letter(lexer->lookahead)) return lexer->lookahead != '.' && lexer->lookahead != '(' && !digit(lexer->lookahead);
  bool negates = word(lexer) == WORD('n', 'o', 't');
  return lexer->lookahead == '(' || lexer->lookahead == '[' || negates;
}

// ruled reports whether a line goes on, behind its first word, as only a rule does.
static bool ruled(TSLexer *lexer) {
  if (lexer->lookahead != '(') return false;
  for (int depth = 0; lexer->lookahead != '\n' && lexer->lookahead != 0;) {
    int32_t c = lexer->lookahead;
    lexer->advance(lexer, false);
    if (c == '(') depth++;
    if (c == ')' && --depth == 0) {
      blanks(lexer);
      return (lexer->lookahead == '<' || lexer->lookahead == ':') && arrow(lexer, false);
    }
  }
  return false;
}

// combines reports whether a word that was read is max= or min= as an operator.
static bool combines(TSLexer *lexer, uint32_t read) {
  if (lexer->lookahead != '=' || (read != WORD('m', 'a', 'x') && read != WORD('m', 'i', 'n'))) return false;
  lexer->advance(lexer, false);
  return lexer->lookahead != '=';
}

// based reports whether an index of constants, an operator and a value are a base case
// that ends with a dot behind digits.
static bool based(TSLexer *lexer) {
  int depth = 0;
  int32_t before = 0;
  bool named = false; // a name may be an index, and the value of an equation
  do {
    int32_t c = lexer->lookahead;
    if (c == 0 || (c >= 'a' && c <= 'z' && !digit(before))) return false;
    if (c == '"' && !quoted(lexer)) return false;
    if (c == '[' || c == '(') depth++;
    if (c == ']' || c == ')') depth--;
    if (letter(c)) {
      named = named || !digit(before);
      word(lexer);
    } else {
      lexer->advance(lexer, false);
    }
    before = c;
  } while (depth > 0);
  blanks(lexer);
  if (lexer->lookahead == '+') {
    lexer->advance(lexer, false);
    if (lexer->lookahead != '=') return false;
    lexer->advance(lexer, false);
  } else if (!combines(lexer, word(lexer))) {
    return false;
  }
  return base(lexer, !named);
}

bool tree_sitter_ein_external_scanner_scan(void *state, TSLexer *lexer, const bool *valid) {
  (void)state;
  bool beside = true;
  for (; lexer->lookahead == ' ' || lexer->lookahead == '\t'; beside = false) lexer->advance(lexer, true);
  lexer->mark_end(lexer);
  bool ends = valid[END] || valid[QUESTION];
#define FOUND(token) return valid[token] && !valid[NEVER] && (lexer->result_symbol = (token), true)
#define TOKEN(token) return lexer->mark_end(lexer), lexer->result_symbol = (token), true
  if ((lexer->lookahead == '\r' || lexer->lookahead == '\n') && ends && !valid[NEVER]) {
    // The end of a rule may stand on the next line, and nothing else of it.
    lines(lexer);
    if (lexer->lookahead == '?') {
      lexer->advance(lexer, false);
      if (lexer->lookahead != '-') return valid[QUESTION] && (lexer->mark_end(lexer), lexer->result_symbol = QUESTION, true);
    }
    if (lexer->lookahead != '.') {
      lexer->result_symbol = NEWLINE;
      return true;
    }
    beside = false;
  } else if (valid[NOT] && !valid[NEWLINE] && !valid[NEVER] && lines(lexer)) {
    lexer->mark_end(lexer);
    if (letter(lexer->lookahead)) {
      bool negates = word(lexer) == WORD('n', 'o', 't');
      blanks(lexer);
      if (negates && letter(lexer->lookahead)) TOKEN(NOT);
      if (!ruled(lexer)) return false;
      // The rule before has no end.
      lexer->result_symbol = NEWLINE;
      return true;
    }
  }
  switch (lexer->lookahead) {
    case '\r':
    case '\n':
      if (lexer->lookahead == '\r') lexer->advance(lexer, false);
      if (lexer->lookahead != '\n' || !valid[NEWLINE]) return false;
      lexer->advance(lexer, false);
      TOKEN(NEWLINE);
    case 0:
    case '#':
    case '/': // of a comment, or an operator
      return false;
    case '.':
      if (valid[HERE]) FOUND(HERE);
      lexer->advance(lexer, false);
      if (valid[NEVER]) return false;
      if (valid[QUALIFIER] && letter(lexer->lookahead)) TOKEN(QUALIFIER);
      if (valid[POINT] && beside && !valid[ASKED] && !(valid[END] && !valid[NEWLINE])) {
        lexer->mark_end(lexer);
        if (lexer->lookahead == 'e' || lexer->lookahead == 'E') {
          lexer->advance(lexer, false);
          if (lexer->lookahead == '+' || lexer->lookahead == '-') lexer->advance(lexer, false);
          if (!digit(lexer->lookahead)) return false;
          while (digit(lexer->lookahead)) lexer->advance(lexer, false);
          lexer->mark_end(lexer);
        }
        if (letter(lexer->lookahead) || digit(lexer->lookahead)) return false;
        lexer->result_symbol = POINT;
        return true;
      }
      if (valid[END] && !digit(lexer->lookahead)) TOKEN(END);
      return false;
    case '?':
      lexer->advance(lexer, false);
      if (valid[QUESTION] && !valid[NEVER]) TOKEN(QUESTION);
      return false;
    case '<':
    case ':':
      if (valid[ARROW] && arrow(lexer, true)) FOUND(ARROW);
      lexer->mark_end(lexer);
      FOUND(HERE);
    case '!':
    case '~':
    case '\\': {
      bool slash = lexer->lookahead == '\\';
      if (!valid[NOT]) FOUND(HERE);
      lexer->advance(lexer, false);
      if (slash) {
        if (lexer->lookahead != '+') return false;
        lexer->advance(lexer, false);
      }
      lexer->mark_end(lexer);
      while (lexer->lookahead == ' ') lexer->advance(lexer, false);
      if (letter(lexer->lookahead)) FOUND(NOT);
      return false;
    }
    case '=':
      lexer->advance(lexer, false);
      if (valid[OPERATOR_HERE] && lexer->lookahead != '=') FOUND(OPERATOR_HERE);
      FOUND(HERE);
    case '+':
      lexer->advance(lexer, false);
      if (lexer->lookahead == '=') FOUND(OPERATOR_HERE);
      FOUND(HERE);
    case '[':
      if (valid[BASE_BRACKET_HERE] && based(lexer)) FOUND(BASE_BRACKET_HERE);
      if (valid[BRACKET_HERE]) FOUND(BRACKET_HERE);
      FOUND(HERE);
    case '(':
      if (valid[PAREN_HERE]) FOUND(PAREN_HERE);
      FOUND(HERE);
    case '{':
      if (valid[BRACE_HERE]) FOUND(BRACE_HERE);
      FOUND(HERE);
  }
  if (letter(lexer->lookahead)) {
    bool here = valid[HERE];
    uint32_t read = word(lexer);
    if (read == WORD('n', 'o', 't') && valid[NOT] && !(valid[NEWLINE] && valid[WORD_HERE])) {
      blanks(lexer);
      if (letter(lexer->lookahead)) TOKEN(NOT);
    }
    if ((valid[OPERATOR_HERE] || valid[WORD_HERE]) && combines(lexer, read)) FOUND(OPERATOR_HERE);
    if (!here) FOUND(WORD_HERE);
  }
  FOUND(HERE);
}
