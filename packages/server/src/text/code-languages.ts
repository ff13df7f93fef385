// Languages of code blocks: modules of highlight.js, and the names that clients use where highlight.js has another
// name.

export const languages: readonly string[] = (
  'apache bash c clojure cmake coffeescript cpp csharp css dart delphi diff dockerfile dos elixir elm erlang fortran fsharp go ' +
  'gradle graphql groovy haskell http ini java javascript json julia kotlin latex less lisp lua makefile markdown matlab nginx nix ' +
  'objectivec ocaml perl pgsql php plaintext powershell prolog properties protobuf python python-repl r ruby rust scala scheme scss ' +
  'shell sql swift tcl typescript vbnet verilog vhdl vim wasm x86asm xml yaml'
).split(' ');

/** By alias or language, in lower case: the Pygments names, by which clients and playgrounds know languages. */
export const labels: Readonly<Record<string, string>> = {
  apache: 'ApacheConf',
  cmake: 'CMake',
  dockerfile: 'Docker',
  dos: 'Batchfile',
  html: 'HTML',
  ini: 'INI',
  javascript: 'JavaScript',
  latex: 'TeX',
  less: 'LessCss',
  lisp: 'Common Lisp',
  nginx: 'Nginx configuration file',
  objectivec: 'Objective-C',
  pgsql: 'PostgreSQL SQL dialect',
  plaintext: 'Text only',
  properties: 'Properties',
  protobuf: 'Protocol Buffer',
  'python-repl': 'Python console session',
  r: 'S',
  shell: 'Bash Session',
  svg: 'XML',
  toml: 'TOML',
  vbnet: 'VB.net',
  verilog: 'verilog',
  vhdl: 'vhdl',
  vim: 'VimL',
  wasm: 'WebAssembly',
  x86asm: 'NASM',
  xhtml: 'HTML',
  xml: 'XML',
};

/** Names that Pygments knows and highlight.js does not. */
export const moreAliases: Readonly<Record<string, readonly string[]>> = {
  bash: ['sh', 'zsh', 'ksh'],
  latex: ['tex', 'latex'],
  objectivec: ['objective-c', 'obj-c', 'objc'],
  plaintext: ['text', 'txt'],
  python: ['py', 'py3', 'python3', 'sage'],
  'python-repl': ['pycon'],
  r: ['splus', 's', 'rscript'],
  shell: ['console', 'shell-session'],
};
