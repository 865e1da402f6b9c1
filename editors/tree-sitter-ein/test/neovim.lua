-- Highlights a program in Neovim and prints what each word is.
local library, queries, program = vim.env.EIN_LIBRARY, vim.env.EIN_QUERIES, vim.env.EIN_PROGRAM
local add = vim.treesitter.language and vim.treesitter.language.add -- from 0.9 on
if add then
  add("ein", { path = library })
else
  vim.treesitter.require_language("ein", library)
end
local function read(name)
  return table.concat(vim.fn.readfile(name), "\n")
end
local text = read(program)
local root = vim.treesitter.get_string_parser(text, "ein"):parse()[1]:root()
local parse = vim.treesitter.query and vim.treesitter.query.parse or vim.treesitter.parse_query
local query = parse("ein", read(queries))
for id, node in query:iter_captures(root, text, 0, -1) do
  local get = vim.treesitter.get_node_text or vim.treesitter.query.get_node_text
  io.stdout:write(query.captures[id] .. " " .. get(node, text) .. "\n")
end
vim.cmd("qa!")
