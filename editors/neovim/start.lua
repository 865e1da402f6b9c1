-- Ein in Neovim 0.7 to 0.10: copy this file to ~/.config/nvim/plugin/ein.lua.
vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
  pattern = "*.ein",
  callback = function() vim.bo.filetype = "ein" end,
})

local client

vim.api.nvim_create_autocmd("FileType", {
  pattern = "ein",
  callback = function(args)
    vim.bo[args.buf].commentstring = "// %s"
    if not client then
      client = vim.lsp.start_client({
        name = "ein",
        cmd = { vim.g.ein_command or "ein", "lsp" },
        root_dir = vim.fn.getcwd(),
        -- Files for the inputs of programs, as in `ein run --input NAME=FILE`.
        init_options = { inputs = vim.empty_dict() },
        on_exit = function() client = nil end,
      })
    end
    if client then
      vim.lsp.buf_attach_client(args.buf, client)
    end
  end,
})
