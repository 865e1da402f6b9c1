-- Ein in Neovim 0.11 and later: copy this file to ~/.config/nvim/lsp/ein.lua and put
--   vim.filetype.add({ extension = { ein = "ein" } })
--   vim.lsp.enable("ein")
-- into init.lua. For 0.7 to 0.10 see start.lua.
return {
  cmd = { "ein", "lsp" },
  filetypes = { "ein" },
  root_markers = { ".git" },
  single_file_support = true,
  -- Files for the inputs of programs, as in `ein run --input NAME=FILE`.
  init_options = { inputs = vim.empty_dict() },
}
