// What an expression rule cannot say: whether the next thing is on this line.
#include "tree_sitter/parser.h"

enum { NEWLINE, HERE, OPERATOR_HERE, BRACKET_HERE, PAREN_HERE, WORD_HERE, BRACE_HERE, NEVER };

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

// combines reads a word and reports whether it is max= or min= as an operator.
static bool combines(TSLexer *lexer) {
  char word[4] = {0};
  unsigned n = 0;
  while (letter(lexer->lookahead) || (lexer->lookahead >= '0' && lexer->lookahead <= '9')) {
    if (n < 4) word[n++] = (char)lexer->lookahead;
    lexer->advance(lexer, false);
  }
  if (n != 3 || word[0] != 'm' || lexer->lookahead != '=') return false;
  if (!((word[1] == 'a' && word[2] == 'x') || (word[1] == 'i' && word[2] == 'n'))) return false;
  lexer->advance(lexer, false);
  return lexer->lookahead != '=';
}

bool tree_sitter_ein_external_scanner_scan(void *state, TSLexer *lexer, const bool *valid) {
  (void)state;
  while (lexer->lookahead == ' ' || lexer->lookahead == '\t') lexer->advance(lexer, true);
  lexer->mark_end(lexer);
#define FOUND(token) return valid[token] && !valid[NEVER] && (lexer->result_symbol = (token), true)
  switch (lexer->lookahead) {
    case '\r':
    case '\n':
      if (lexer->lookahead == '\r') lexer->advance(lexer, false);
      if (lexer->lookahead != '\n' || !valid[NEWLINE]) return false;
      lexer->advance(lexer, false);
      lexer->mark_end(lexer);
      lexer->result_symbol = NEWLINE;
      return true;
    case 0:
    case '#':
    case '/': // of a comment, or an operator
      return false;
    case '=':
      lexer->advance(lexer, false);
      if (valid[OPERATOR_HERE] && lexer->lookahead != '=') FOUND(OPERATOR_HERE);
      FOUND(HERE);
    case '+':
      lexer->advance(lexer, false);
      if (lexer->lookahead == '=') FOUND(OPERATOR_HERE);
      FOUND(HERE);
    case '[':
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
    if ((valid[OPERATOR_HERE] || valid[WORD_HERE]) && combines(lexer)) FOUND(OPERATOR_HERE);
    if (!here) FOUND(WORD_HERE);
  }
  FOUND(HERE);
}
