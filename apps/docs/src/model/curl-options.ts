/** An option of a curl command. Words that belong to no option, such as the URL, have no name. */
export interface CurlOption {
  name: string;
  value: string;
}

/** Letters of options that take a value, with their long names where those matter here. */
const LETTERS: Record<string, string> = {
  X: '--request',
  u: '--user',
  H: '--header',
  d: '--data',
  F: '--form',
  T: '--upload-file',
};
const WITH_VALUE = 'AbcCDdeEFHKmoPQrTtuUwXxYyz';

const LONG_WITH_VALUE = new Set(
  `request user header data data-ascii data-raw data-binary data-urlencode json form form-string url url-query
  user-agent max-time connect-timeout retry retry-delay retry-max-time output output-dir write-out cookie cookie-jar
  referer proxy proxy-user proxy-header preproxy socks4 socks4a socks5 socks5-hostname noproxy resolve connect-to doh-url
  dns-servers interface local-port unix-socket abstract-unix-socket cacert capath cert cert-type key key-type pass
  pinnedpubkey ciphers tls13-ciphers tls-max oauth2-bearer aws-sigv4 netrc-file config dump-header limit-rate rate
  speed-limit speed-time max-redirs max-filesize range continue-at upload-file time-cond expect100-timeout
  keepalive-time happy-eyeballs-timeout-ms trace trace-ascii stderr proto proto-default proto-redir request-target
  variable etag-save etag-compare create-file-mode parallel-max`
    .split(/\s+/)
    .map((name) => `--${name}`),
);

/** Options with their values, parsed from `-sXPOST`, `-sX POST` and `--request=POST`. */
export function optionsOf(words: readonly string[]): CurlOption[] {
  const rest = [...words];
  const found: CurlOption[] = [];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word.startsWith('--')) found.push(longOption(word, rest));
    else if (/^-./.test(word)) found.push(...shortOptions(word.slice(1), rest));
    else found.push({ name: '', value: word });
  }
  return found;
}

function longOption(word: string, rest: string[]): CurlOption {
  const [, name, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
  if (name !== undefined && value !== undefined) return { name, value };
  return { name: word, value: LONG_WITH_VALUE.has(word) ? (rest.shift() ?? '') : '' };
}

/** Letters in one word: the first that takes a value takes what is left of the word, or the next one. */
function shortOptions(letters: string, rest: string[]): CurlOption[] {
  const at = [...letters].findIndex((letter) => WITH_VALUE.includes(letter));
  const flags = [...(at < 0 ? letters : letters.slice(0, at))].map((letter) => ({ name: `-${letter}`, value: '' }));
  if (at < 0) return flags;
  const letter = letters.charAt(at);
  const value = letters.slice(at + 1) || (rest.shift() ?? '');
  return [...flags, { name: LETTERS[letter] ?? `-${letter}`, value }];
}
