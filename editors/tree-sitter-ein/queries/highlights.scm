; Generated from the table of functions: go test ./editors -update
; Where two patterns take a word, the later counts in Neovim and the earlier in Helix,
; so each excludes the others.

(comment) @comment
(string) @string
(number) @number

(print ":print" @keyword.directive)
(why ":why" @keyword.directive)
(definition "def" @keyword.function)
(input "input" @keyword)
(repetition "repeat" @keyword)

(definition name: (identifier) @function)
(parameters (identifier) @variable.parameter)
(input name: (identifier) @variable)
(input kind: (identifier) @type)
(column name: (identifier) @variable.parameter)
(column type: (identifier) @type)
(equation name: (identifier) @variable)
(equation left: (identifier) @variable)
(equation right: (identifier) @variable)
(equation value: (identifier) @variable)
(negation (not) @keyword.operator)
(negation value: (identifier) @variable)
(assignment name: (identifier) @variable)
(argument name: (identifier) @variable.parameter)
((call function: (identifier) @function.builtin)
 (#any-of? @function.builtin "abs" "adj" "anc" "argmax" "argmin" "betweenness" "bridges" "clamp" "closed_walks" "components" "core_number" "count" "cut_nodes" "default" "desc" "diag" "dist" "edges" "eq" "exp" "eye" "floor" "ge" "gt" "has_path" "le" "log" "lt" "max" "maxflow" "mean" "min" "mincut" "mst" "ne" "node" "ones" "pagerank" "path" "range" "rank" "reach" "relu" "round" "scc" "select" "sigmoid" "size" "softmax" "sort" "sqrt" "step" "sum" "tanh" "tc" "topo_order" "trace" "transpose" "triangles" "vec" "wcc" "wdist" "where" "wpath" "zeros" "both" "children" "complement" "cousins" "either" "histogram" "in_degree" "leaves" "mean_over" "only" "out_degree" "parents" "quantile" "roots" "siblings" "sym" "topk"))
((call function: (identifier) @function.call)
 (#not-any-of? @function.call "abs" "adj" "anc" "argmax" "argmin" "betweenness" "bridges" "clamp" "closed_walks" "components" "core_number" "count" "cut_nodes" "default" "desc" "diag" "dist" "edges" "eq" "exp" "eye" "floor" "ge" "gt" "has_path" "le" "log" "lt" "max" "maxflow" "mean" "min" "mincut" "mst" "ne" "node" "ones" "pagerank" "path" "range" "rank" "reach" "relu" "round" "scc" "select" "sigmoid" "size" "softmax" "sort" "sqrt" "step" "sum" "tanh" "tc" "topo_order" "trace" "transpose" "triangles" "vec" "wcc" "wdist" "where" "wpath" "zeros" "both" "children" "complement" "cousins" "either" "histogram" "in_degree" "leaves" "mean_over" "only" "out_degree" "parents" "quantile" "roots" "siblings" "sym" "topk"))
(indices (identifier) @variable.parameter)
(product (identifier) @variable)
(binary (identifier) @variable)
(unary (identifier) @variable)
(index of: (identifier) @variable)
(assignment value: (identifier) @variable)
(argument value: (identifier) @variable)
(definition body: (identifier) @variable)
(repetition times: (identifier) @variable)
(expression_statement (identifier) @variable)
(parenthesized (identifier) @variable)
(arguments (identifier) @variable)
(list (identifier) @variable)
(print (identifier) @variable)

["=" "+=" "max=" "min=" "<" "<=" ">" ">=" "==" "!=" "+" "-" "*" "/" "?-" (arrow)] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":" (end) (question)] @punctuation.delimiter
[(invalid_number) (invalid_operator) (invalid_directive)] @error
