;;; ein-mode.el --- Ein programs, with eglot  -*- lexical-binding: t -*-

;; Emacs 29 has eglot. Put this file on the load path and (require 'ein-mode) into the
;; init file.

;;; Code:

(defvar eglot-server-programs)
(declare-function eglot-ensure "eglot")

(defgroup ein-mode nil
  "Ein, a tensor-logic language."
  :group 'languages)

(defcustom ein-mode-command '("ein" "lsp")
  "The command that starts the language server."
  :type '(repeat string)
  :group 'ein-mode)

(defvar ein-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 12" table)
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?_ "_" table)
    table))

(defvar ein-mode-keywords
  '(("^[ \t]*\\(:print\\|:why\\)\\_>" 1 font-lock-keyword-face)
    ("^[ \t]*\\(def\\)[ \t]+\\([A-Za-z_][A-Za-z0-9_]*\\)[ \t]*("
     (1 font-lock-keyword-face) (2 font-lock-function-name-face))
    ("^[ \t]*\\(input\\)[ \t]+\\([A-Za-z_][A-Za-z0-9_]*\\)[ \t]*:[ \t]*\\(graph\\|matrix\\|vector\\|scalar\\)\\_>"
     (1 font-lock-keyword-face) (2 font-lock-variable-name-face) (3 font-lock-type-face))
    ("^[ \t]*\\(input\\|repeat\\)[ \t]+[^ \t=]" 1 font-lock-keyword-face)
    ("\\_<\\([A-Za-z_][A-Za-z0-9_]*\\)[ \t]*(" 1 font-lock-function-name-face)
    ("^[ \t]*\\([A-Za-z_][A-Za-z0-9_]*\\)[ \t]*\\(?:\\[[^]\n]*\\]\\)?[ \t]*\\(?:max\\|min\\|\\+\\)?="
     1 font-lock-variable-name-face)))

;;;###autoload
(define-derived-mode ein-mode prog-mode "Ein"
  "Major mode for Ein programs."
  (setq-local comment-start "// ")
  (setq-local comment-start-skip "\\(?://+\\|#+\\)[ \t]*")
  (setq-local font-lock-defaults '(ein-mode-keywords)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.ein\\'" . ein-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               (cons 'ein-mode (lambda (&rest _) ein-mode-command))))

(add-hook 'ein-mode-hook #'eglot-ensure)

(provide 'ein-mode)
;;; ein-mode.el ends here
