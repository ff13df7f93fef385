const WIDTH = 60;

/** A JavaScript literal for the value. `special` can return the code for the value of a property. */
export function literal(
  value: unknown,
  indent = '',
  special: (value: unknown) => string | undefined = () => undefined,
): string {
  const flat = onOneLine(value, special);
  if (flat.length + indent.length <= WIDTH || typeof value !== 'object' || value === null) return flat;
  const deeper = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => literal(item, deeper))
    : Object.entries(value).map(([name, item]) => `${key(name)}: ${special(item) ?? literal(item, deeper)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${lines.map((line) => `${deeper}${line},`).join('\n')}\n${indent}${close}`;
}

function onOneLine(value: unknown, special: (value: unknown) => string | undefined): string {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => onOneLine(item, () => undefined)).join(', ')}]`;
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  return `{ ${entries.map(([name, item]) => `${key(name)}: ${special(item) ?? onOneLine(item, () => undefined)}`).join(', ')} }`;
}

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name));

/** A string in single quotes. */
function text(value: string): string {
  const inside = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inside}'`;
}
