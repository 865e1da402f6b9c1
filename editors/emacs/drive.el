;;; drive.el --- Drives the language server in a batch Emacs  -*- lexical-binding: t -*-

;; Run by the tests: opens $EIN_FILE with ein-mode and eglot, and prints what the
;; server found and how the text is coloured.

;;; Code:

(dolist (dir (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa-src/*"))
  (add-to-list 'load-path dir))
(require 'flymake)
(require 'eglot)
(setq eglot-sync-connect t
      eglot-connect-timeout 120
      eglot-autoreconnect nil)
(add-to-list 'load-path (file-name-directory load-file-name))
(require 'ein-mode)
(remove-hook 'ein-mode-hook #'eglot-ensure) ; which waits for a command that never comes here
(find-file (getenv "EIN_FILE"))
(call-interactively #'eglot)
(let ((deadline (+ (float-time) 60)))
  (while (and (< (float-time) deadline) (null (flymake-diagnostics)))
    (accept-process-output nil 0.1)))
(font-lock-ensure)
(dolist (d (flymake-diagnostics))
  (princ (format "%d: %s\n" (line-number-at-pos (flymake-diagnostic-beg d)) (flymake-diagnostic-text d))))
(goto-char (point-min))
(search-forward "rech")
(princ (format "%s %s %s\n" major-mode (eglot-managed-p) (get-text-property (match-beginning 0) 'face)))
(dolist (text '("input Pay(from: node)" "repeat 2 {"))
  (with-temp-buffer
    (insert text)
    (ein-mode)
    (font-lock-ensure)
    (princ (format "%s %s\n" text (get-text-property 1 'face)))))
(eglot-shutdown (eglot-current-server) nil 60)

;;; drive.el ends here
