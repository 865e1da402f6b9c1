// The grammar of Ein for tree-sitter: that of lang/syntax/grammar.go, which decides what
// it means. A test compares the two. Five differences are known: there a line that begins
// with "def name" or the head of a rule begins a statement, even where the line before does not end one; a comment may have a line of its own
// between a rule and the dot that ends it; an argument may be called def, input or repeat; here "<-" in an
// equation is "<" and "-", and a line may end with the "=" of a value in a body.

// What shows nothing, or changes how its neighbours show, stands in no text.
const hidden =
  "\\u0000-\\u0008\\u000a-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f" +
  "\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}";

// lines is rules that ends of line stand between.
const lines = ($, rule) => seq(repeat($._eol), optional(seq(rule, repeat(seq($._eol, optional(rule))))));

const list1 = (rule) => seq(rule, repeat(seq(",", rule)));
const trailing = (rule) => optional(seq(list1(rule), optional(",")));

const combination = ($, bracket) =>
  prec(7, seq(
    $._target, bracket, field("indices", $.indices), $._operator_here,
    field("operator", choice("+=", "max=", "min=")), $._here, field("value", $._expression),
  ));

module.exports = grammar({
  name: "ein",

  word: ($) => $.identifier,

  extras: ($) => [/[ \t]/, /\r?\n/, $.comment],

  // A newline ends a statement where one can end. What belongs together outside
  // brackets, and the factors of a product everywhere, stand on one line: src/scanner.c
  // says so, with tokens without text.
  externals: ($) => [
    $._newline, $._here, $._operator_here, $._bracket_here, $._paren_here, $._word_here, $._brace_here, $._never,
    $._base_bracket_here, $._point, $._qualifier, $._asked, $.end, $.question, $.arrow, $.not,
  ],

  inline: ($) => [$._target],

  conflicts: ($) => [[$._word, $.repetition]],

  rules: {
    source_file: ($) =>
      seq(repeat(choice($._eol, $.fact, $.rule, $.query, $.why, seq($._statement, $._eol))), optional($._statement)),

    _eol: ($) => choice($._newline, ";"),

    _statement: ($) => choice($.print, alias($._question, $.why), $.definition, $.input, $.repetition, $._assignment, $.invalid_directive),

    print: ($) => seq(":print", $._here, list1($._expression)),

    why: ($) => seq($._question, choice($.end, $.question)),

    _question: ($) => seq(":why", $._here, choice($._atom, alias($._denied, $.negation), alias($._valued, $.equation))),

    _denied: ($) => seq($.not, $._atom),

    // No text is _asked: it says that a dot behind digits is the end.
    _valued: ($) => seq(field("left", $._atom), $._operator_here, field("operator", "="), field("right", $._expression), optional($._asked)),

    // :load and its like are of the session alone.
    invalid_directive: () => /:[A-Za-z_][A-Za-z0-9_]*/,

    definition: ($) =>
      seq(
        "def", $._here, field("name", $.identifier), $._here, field("parameters", $.parameters), $._here, "=", $._here,
        field("body", choice($.block, $._expression)),
      ),

    parameters: ($) => seq("(", trailing($.identifier), ")"),

    block: ($) =>
      seq(
        "{", repeat($._eol), repeat(seq(choice($._assignment, $.repetition), repeat1($._eol))),
        choice($._assignment, $.repetition, $.expression_statement), repeat($._eol), "}",
      ),

    repetition: ($) =>
      seq("repeat", choice($._here, $._bracket_here), field("times", $._expression), $._brace_here, field("body", alias($._rounds, $.block))),

    _rounds: ($) => seq("{", lines($, choice($._assignment, $.repetition)), "}"),

    expression_statement: ($) => $._expression,

    input: ($) =>
      seq("input", $._here, field("name", $.identifier), choice(
        seq($._here, ":", $._here, field("kind", $.identifier)),
        seq($._paren_here, field("columns", $.columns)),
      )),

    columns: ($) => seq("(", list1($.column), optional(","), ")"),

    column: ($) => seq(field("name", $.identifier), ":", field("type", $.identifier)),

    fact: ($) => seq(field("head", choice($._atom, alias($._combination, $.assignment), alias($._base, $.assignment))), $.end),

    rule: ($) => seq(field("head", choice($._atom, alias($._combination, $.assignment))), $.arrow, $._body, $.end),

    query: ($) => choice(
      seq(choice($._literal, alias($._set, $.equation)), optional($._literals), $.question),
      seq("?-", $._body, choice($.end, $.question)),
    ),

    _body: ($) => seq($._literal, optional($._literals)),

    _literals: ($) => repeat1(choice(seq(",", $._literal), $.negation)),

    _literal: ($) => choice($._expression, $.equation, $.negation),

    equation: ($) =>
      prec(-1, seq(field("left", $._expression), $._operator_here, field("operator", "="), field("right", $._expression))),

    negation: ($) =>
      seq(
        $.not,
        $._atom,
        choice(
          repeat(seq(choice($._word_here, $._paren_here), $._factor)),
          seq($._operator_here, field("operator", "="), field("value", $._expression)),
        ),
      ),

    _atom: ($) => choice($.call, alias($._row, $.index)),

    _row: ($) => prec(6, seq(field("of", choice($.identifier, $._word)), $._bracket_here, field("indices", $.indices))),

    // Of these only a combination can head a fact or a rule, and only what is set can begin
    // a query.
    _assignment: ($) => choice(alias($._set, $.assignment), alias($._collection, $.assignment), alias($._combination, $.assignment)),

    _set: ($) =>
      prec(7, seq(
        $._target, optional(seq($._bracket_here, field("indices", $.indices))), $._operator_here,
        field("operator", "="), $._here, field("value", $._expression),
      )),

    _collection: ($) =>
      prec(7, seq($._target, $._operator_here, field("operator", choice("+=", "max=", "min=")), $._here, field("value", $._expression))),

    _combination: ($) => combination($, $._bracket_here),

    // T["a"] min= 5. of constants, where the dot behind digits is the end.
    _base: ($) => combination($, $._base_bracket_here),

    // Before anything but a name, def and input are names.
    _target: ($) => field("name", choice($.identifier, $._word)),

    _word: ($) => choice(alias("def", $.identifier), alias("input", $.identifier), alias("repeat", $.identifier)),

    _expression: ($) => choice($.binary, $.unary, $.product, $._operand),

    binary: ($) =>
      choice(
        ...[
          [1, choice("<", "<=", ">", ">=", "==", "!=")],
          [2, choice("+", "-", $.invalid_operator)],
          [3, choice("*", "/")],
        ].map(([precedence, operator]) =>
          prec.left(precedence, seq(field("left", $._expression), field("operator", operator), field("right", $._expression)))),
      ),

    // -- with a blank behind is the comment of another language.
    invalid_operator: () => /--[ \t\r\n-]/,

    unary: ($) => prec(4, seq(choice("-", $.invalid_operator), $._expression)),

    // Factors side by side.
    product: ($) =>
      prec.left(5, seq(
        choice($.number, $._factor, alias($._list_index, $.index)),
        repeat1(seq(choice($._word_here, $._paren_here), $._factor)),
      )),

    _operand: ($) =>
      choice($.number, $.invalid_number, $.string, $.list, $._factor, alias($._list_index, $.index)),

    _factor: ($) => choice($.identifier, $._word, $._compound),

    _compound: ($) => choice($.invalid_qualified, $.call, $.parenthesized, $.index),

    // A dot between two names ends nothing.
    invalid_qualified: ($) => seq($.identifier, $._qualifier, $.identifier),

    call: ($) => prec(6, seq(field("function", choice($.identifier, $._word)), $._paren_here, field("arguments", $.arguments))),

    arguments: ($) => seq("(", trailing(choice($.argument, $._expression)), ")"),

    argument: ($) => seq(field("name", $.identifier), "=", field("value", $._expression)),

    parenthesized: ($) => seq("(", $._expression, ")"),

    index: ($) => prec(6, seq(field("of", choice($.identifier, $._word, $._compound)), $._bracket_here, field("indices", $.indices))),

    _list_index: ($) =>
      prec(6, seq(field("of", choice($.list, alias($._list_index, $.index))), $._bracket_here, field("indices", $.indices))),

    indices: ($) => seq("[", list1($._expression), "]"),

    list: ($) => seq("[", trailing($._expression), "]"),

    identifier: () => /[A-Za-z_][A-Za-z0-9_]*/,

    // A dot without digits behind it may be the end of a rule.
    number: ($) => choice(seq(/[0-9]+/, optional($._point)), /[0-9]*\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+/),

    invalid_number: () => /([0-9]+(\.[0-9]+)?|\.[0-9]+)([eE][+-]?[0-9]+)?([A-Za-z0-9_]|\.[0-9])+/,

    string: () => new RegExp(`"([^"\\\\${hidden}]|\\\\["\\\\nt])*"`, "u"),

    comment: () => token(new RegExp(`(//|#)[^${hidden}]*`, "u")),
  },
});
