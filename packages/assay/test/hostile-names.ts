/** Names that a model or a stranger's suite may have. Each tries to break some output format. */
export const HOSTILE_NAMES: readonly string[] = [
  '=HYPERLINK("http://x.example","y")',
  '+1-1',
  '-rf',
  '@everyone #1 GH-2 https://x.example www.x.example',
  '<script>alert(1)</script><img src=x onerror=alert(2)>',
  'a|b`c``d\\|e',
  '**bold** [link](javascript:alert(1)) ~~x~~',
  '\u001B[31mred\u001B[0m\u001B]0;title\u0007',
  '\u202Egpj.exe\u2066',
  'line\nbreak\r\nand\ttab',
  ']]>&amp;"\'--><!--',
  'nul\u0000 high\uFFFE lone\uD800',
  '../../etc/passwd',
  '</details></code>',
  "it's; rm -rf $(HOME)",
]

/**
 * Characters that must not be sent to a terminal: C0 except tab and newline, DEL, C1, and bidirectional controls.
 */
export const TERMINAL_CONTROLS =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
