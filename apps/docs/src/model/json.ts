const WIDTH = 64;

/** JSON with line breaks. Short objects and arrays without nested values stay on one line. */
export function pretty(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const flat = onOneLine(value);
  if (flat !== undefined && flat.length + indent.length <= WIDTH && (indent !== '' || Array.isArray(value)))
    return flat;
  const deeper = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => pretty(item, deeper))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${pretty(item, deeper)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return lines.length === 0
    ? `${open}${close}`
    : `${open}\n${lines.map((line) => deeper + line).join(',\n')}\n${indent}${close}`;
}

/** Undefined if the value contains non-empty arrays or objects. */
function onOneLine(value: object): string | undefined {
  if (Object.values(value).some((item) => typeof item === 'object' && item !== null && Object.keys(item).length > 0))
    return undefined;
  if (Array.isArray(value)) return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
  const entries = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${JSON.stringify(item)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
