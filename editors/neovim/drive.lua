-- Drives the language server in a headless Neovim and writes what it saw. Run by the
-- tests, with the configuration loaded:
--   nvim --headless -u start.lua -c 'luafile drive.lua'
-- The file is $EIN_FILE; what was seen goes to $EIN_SEEN as JSON.
local seen = {}
local wait_ms = 60000

local function finish(err)
  seen.error = err
  local f = assert(io.open(vim.env.EIN_SEEN, "w"))
  f:write(vim.json and vim.json.encode(seen) or vim.fn.json_encode(seen))
  f:close()
  vim.cmd("qa!")
end

local function wait_for(what, condition)
  if not vim.wait(wait_ms, condition, 20) then
    error("no " .. what)
  end
end

local function lines() return vim.api.nvim_buf_get_lines(0, 0, -1, false) end

-- at puts the cursor on the nth place of a text in a line, both from 1.
local function at(line, text, offset)
  local from = assert(lines()[line]:find(text, 1, true), text)
  vim.api.nvim_win_set_cursor(0, { line, from - 1 + (offset or 0) })
end

local function ask(method, more)
  local params = vim.tbl_extend("force", vim.lsp.util.make_position_params(), more or {})
  local answers, err = vim.lsp.buf_request_sync(0, method, params, wait_ms)
  if not answers then
    error(method .. ": " .. tostring(err))
  end
  for _, a in pairs(answers) do
    if a.err then
      error(method .. ": " .. a.err.message)
    end
    return a.result
  end
  error(method .. ": no server answered")
end

local function run()
  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.EIN_FILE))
  seen.filetype = vim.bo.filetype
  wait_for("server", function() return #vim.lsp.get_active_clients() > 0 and vim.lsp.get_active_clients()[1].initialized end)
  wait_for("diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
  seen.diagnostics = {}
  for _, d in ipairs(vim.diagnostic.get(0)) do
    table.insert(seen.diagnostics, { line = d.lnum + 1, code = d.code or "", message = d.message })
  end

  -- The fix that the diagnostic brings is applied.
  at(3, "rech")
  local range = { start = { line = 2, character = 0 }, ["end"] = { line = 2, character = #lines()[3] } }
  local actions = ask("textDocument/codeAction", {
    range = range,
    context = { diagnostics = {}, only = { "quickfix" } },
  })
  seen.actions = {}
  for _, a in ipairs(actions) do
    table.insert(seen.actions, a.title)
  end
  local fix = actions[1]
  if fix and not fix.edit and fix.data then
    fix = ask("codeAction/resolve", fix)
  end
  vim.lsp.util.apply_workspace_edit(fix.edit, "utf-16")
  seen.fixed = lines()[3]
  wait_for("end of the diagnostics", function() return #vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) == 0 end)

  at(3, "reach")
  seen.hover = ask("textDocument/hover").contents.value

  at(2, "Owns")
  seen.definition = ask("textDocument/definition")
  seen.references = #ask("textDocument/references", { context = { includeDeclaration = true } })

  -- Completion of a statement that is being typed.
  vim.api.nvim_buf_set_lines(0, 5, 5, false, { "More = Con" })
  vim.api.nvim_win_set_cursor(0, { 6, 10 })
  local list = ask("textDocument/completion")
  seen.completion = {}
  for _, item in ipairs(list.items or list) do
    table.insert(seen.completion, item.label)
  end
  vim.api.nvim_buf_set_lines(0, 5, 6, false, {})

  at(3, "Controls")
  vim.lsp.buf.rename("Held")
  wait_for("rename", function() return lines()[3]:find("Held", 1, true) ~= nil end)
  seen.renamed = lines()

  local edits = ask("textDocument/formatting", { options = { tabSize = 2, insertSpaces = true } })
  vim.lsp.util.apply_text_edits(edits, 0, "utf-16")
  seen.formatted = lines()

  -- A bracket that is forgotten: the statements after it are still understood.
  vim.api.nvim_buf_set_lines(0, 3, 3, false, { "Far = reach(Owns, " })
  vim.api.nvim_win_set_cursor(0, { 4, 17 })
  local help = ask("textDocument/signatureHelp")
  seen.signature = help.signatures[1].label
  seen.parameter = help.activeParameter
  at(5, "Held")
  seen.typing = ask("textDocument/hover").contents.value
  vim.api.nvim_buf_set_lines(0, 3, 4, false, {})

  seen.run = ask("workspace/executeCommand", { command = "ein.run", arguments = { vim.uri_from_bufnr(0) } })

  vim.lsp.stop_client(vim.lsp.get_active_clients())
  wait_for("end of the server", function() return #vim.lsp.get_active_clients() == 0 end)
end

local ok, err = xpcall(run, debug.traceback)
finish(not ok and err or nil)
